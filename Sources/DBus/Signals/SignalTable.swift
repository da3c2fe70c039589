import CDBus
import MainLoop

/// The listeners of signals, by the objects that send them, and the owners of the names that they listen to.
@LoopActor
final class SignalTable {
    @LoopActor
    final class Listener {
        let rule: MatchRule
        let handler: @LoopActor (BusSignal) -> Void
        var isCancelled = false

        init(_ rule: MatchRule, _ handler: @escaping @LoopActor (BusSignal) -> Void) {
            self.rule = rule
            self.handler = handler
        }
    }

    /// The listeners of one object.
    private struct ObjectListeners {
        var signals: [Listener] = []
        var bytes: [ByteListener] = []
    }

    private struct Owner {
        let uniqueName: String
        /// As libdbus has it: a Swift string would be copied for each signal.
        let characters: [CChar]
    }

    private var objects: [ObjectPath: ObjectListeners] = [:] { didSet { latest = nil } }
    /// The object whose value came last. Values come in runs: to compare the path, as libdbus has it, is faster than to
    /// make a string of it and look that up.
    private var latest: (path: [CChar], listeners: [ByteListener])?
    /// The listeners of more than one object.
    private var general: [Listener] = []
    /// The unique names behind the well-known names that rules speak of, and how many watch each name.
    private var owners: [String: (owner: Owner?, watches: Int)] = [:]

    /// Whether nobody listens.
    var isEmpty: Bool { objects.isEmpty && general.isEmpty }

    // MARK: Listeners

    func add(_ rule: MatchRule, handler: @escaping @LoopActor (BusSignal) -> Void) -> Listener {
        let listener = Listener(rule, handler)
        if let path = rule.path {
            objects[path, default: ObjectListeners()].signals.append(listener)
        } else {
            general.append(listener)
        }
        return listener
    }

    func remove(_ listener: Listener) {
        // A signal that is being dispatched may have it still in its list.
        listener.isCancelled = true
        if let path = listener.rule.path {
            objects[path]?.signals.removeAll { $0 === listener }
            removeIfEmpty(path)
        } else {
            general.removeAll { $0 === listener }
        }
    }

    func add(_ listener: ByteListener) {
        objects[listener.path, default: ObjectListeners()].bytes.append(listener)
    }

    func remove(_ listener: ByteListener) {
        objects[listener.path]?.bytes.removeAll { $0 === listener }
        removeIfEmpty(listener.path)
    }

    private func removeIfEmpty(_ path: ObjectPath) {
        if let listeners = objects[path], listeners.signals.isEmpty, listeners.bytes.isEmpty { objects[path] = nil }
    }

    // MARK: Owners

    func startWatch(of name: String) {
        owners[name, default: (nil, 0)].watches += 1
    }

    func stopWatch(of name: String) {
        owners[name]?.watches -= 1
        if owners[name]?.watches == 0 { owners[name] = nil }
    }

    func setOwner(_ owner: String?, of name: String) {
        owners[name]?.owner = owner.map { Owner(uniqueName: $0, characters: Array($0.utf8CString)) }
    }

    // MARK: Signals

    /// Hands over the value of a property that is an array of bytes.
    ///
    /// - Returns: whether the message was that.
    func dispatchBytes(_ message: OpaquePointer) -> Bool {
        guard SignalHeader.propertiesChanged.matches(message) else { return false }
        // No closure here: Swift would check for each signal that this is the loop.
        for listener in byteListeners(to: message) {
            guard let owner = owners[listener.sender]?.owner, dbus_message_has_sender(message, owner.characters) != 0
            else { continue }
            if listener.take(message) { return true }
        }
        return false
    }

    private func byteListeners(to message: OpaquePointer) -> [ByteListener] {
        if let latest, dbus_message_has_path(message, latest.path) != 0 { return latest.listeners }
        guard let characters = dbus_message_get_path(message) else { return [] }
        let path = ObjectPath(validated: String(cString: characters))
        guard let listeners = objects[path]?.bytes, !listeners.isEmpty else { return [] }
        latest = (Array(path.string.utf8CString), listeners)
        return listeners
    }

    /// Hands a signal to the listeners of its object, then to those of more than one.
    func dispatch(_ message: RawMessage) {
        // The arguments are read when the rest of the message is known to be wanted.
        var signal = BusSignal(
            sender: message.sender, path: message.path, interface: message.interface ?? "", member: message.member,
            arguments: [])
        var isRead = false
        for listener in (objects[signal.path]?.signals ?? []) + general where !listener.isCancelled {
            let rule = listener.rule
            guard rule.matchesHeader(of: signal, owner: owner(of: rule)) else { continue }
            if !isRead {
                guard let arguments = try? message.arguments() else { return }
                signal.arguments = arguments
                isRead = true
            }
            if rule.matchesArguments(of: signal) { listener.handler(signal) }
        }
    }

    private func owner(of rule: MatchRule) -> String? {
        rule.sender.flatMap { owners[$0]?.owner?.uniqueName }
    }
}
