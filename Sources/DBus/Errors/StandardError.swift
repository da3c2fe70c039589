/// The errors of the D-Bus specification, by their names without what all begin with.
enum StandardError: String {
    case accessDenied = "AccessDenied"
    case failed = "Failed"
    case invalidArguments = "InvalidArgs"
    case nameHasNoOwner = "NameHasNoOwner"
    case noReply = "NoReply"
    case propertyReadOnly = "PropertyReadOnly"
    case serviceUnknown = "ServiceUnknown"
    case unknownInterface = "UnknownInterface"
    case unknownMethod = "UnknownMethod"
    case unknownObject = "UnknownObject"
    case unknownProperty = "UnknownProperty"

    private static let prefix = "org.freedesktop.DBus.Error."

    /// Nil when `name` is another error's.
    init?(name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(name.dropFirst(Self.prefix.count)))
    }

    /// The name on the bus.
    var name: String { Self.prefix + rawValue }
}
