import CDBus

/// A signal's interface and name in the form that libdbus compares with: a Swift string would be copied for each
/// comparison.
struct SignalHeader: Swift.Sendable {
    static let propertiesChanged = SignalHeader(PropertiesInterface.propertiesChanged)
    static let disconnected = SignalHeader(LocalInterface.disconnected)

    private let interface: [CChar]
    private let member: [CChar]

    private init<Interface: BusInterface>(_ signal: InterfaceSignal<Interface>) {
        interface = Array(Interface.name.utf8CString)
        member = Array(signal.name.utf8CString)
    }

    /// Whether `message` is this signal.
    func matches(_ message: OpaquePointer) -> Bool { dbus_message_is_signal(message, interface, member) != 0 }
}
