import Foundation

/// Which signals to hear. Nil means any.
package struct MatchRule: Hashable, Swift.Sendable {
    /// A unique or a well-known name; the bus resolves the latter.
    package var sender: String?
    package var path: ObjectPath?
    /// Signals of this object and of all objects below it.
    package var pathNamespace: ObjectPath?
    package var interface: String?
    package var member: String?
    /// The first argument, when it is a string.
    package var firstArgument: String?

    package init(
        sender: String? = nil, path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil, interface: String? = nil,
        member: String? = nil, firstArgument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.firstArgument = firstArgument
    }

    /// The rule in the bus's own words.
    var text: String {
        var parts = ["type='signal'"]
        func add(_ key: String, _ value: String?) {
            if let value { parts.append("\(key)='\(value.replacingOccurrences(of: "'", with: "'\\''"))'") }
        }
        add("sender", sender)
        add("path", path?.string)
        // The bus refuses a namespace of "/", which would say nothing anyway.
        if pathNamespace != .root { add("path_namespace", pathNamespace?.string) }
        add("interface", interface)
        add("member", member)
        add("arg0", firstArgument)
        return parts.joined(separator: ",")
    }

    /// Whether a signal that arrived is meant, but for its arguments. `owner` is the unique name behind ``sender``.
    func matchesHeader(of signal: BusSignal, owner: String?) -> Bool {
        if let member, signal.member != member { return false }
        if let interface, signal.interface != interface { return false }
        if let sender, signal.sender != sender, signal.sender != owner { return false }
        if let path, signal.path != path { return false }
        if let pathNamespace, !signal.path.isSameOrBelow(pathNamespace) { return false }
        return true
    }

    func matchesArguments(of signal: BusSignal) -> Bool {
        guard let firstArgument else { return true }
        guard case .string(firstArgument)? = signal.arguments.first else { return false }
        return true
    }
}
