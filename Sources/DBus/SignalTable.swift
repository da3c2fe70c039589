import CDBus
import Foundation

/// Who wants to hear which signals, and who owns which names.
@BusActor
final class SignalTable {
    private struct Listener {
        let rule: MatchRule
        let handler: @BusActor (BusSignal) -> Void
    }

    weak var connection: BusConnection?
    private var listeners: [(key: Int, listener: Listener)] = []
    private var nextKey = 0
    /// The unique names behind the well-known names that rules speak of.
    private var owners: [String: String] = [:]

    func add(_ rule: MatchRule, handler: @escaping @BusActor (BusSignal) -> Void) -> Int {
        nextKey += 1
        listeners.append((nextKey, Listener(rule: rule, handler: handler)))
        return nextKey
    }

    func remove(_ key: Int) {
        listeners.removeAll { $0.key == key }
    }

    func setOwner(_ owner: String?, of name: String) {
        owners[name] = owner
    }

    func dispatch(_ message: RawMessage) {
        guard let arguments = try? message.arguments() else { return }
        let signal = BusSignal(
            sender: message.sender, path: message.path, interface: message.interface ?? "", member: message.member,
            arguments: arguments)
        for (_, listener) in listeners where listener.rule.matches(signal, owner: owner(of: listener.rule)) {
            listener.handler(signal)
        }
    }

    private func owner(of rule: MatchRule) -> String? {
        guard let sender = rule.sender, !sender.hasPrefix(":") else { return nil }
        return owners[sender]
    }
}

extension BusConnection {
    /// Calls `handler` for every signal that `rule` matches, in the order of arrival, until the registration is
    /// cancelled or released. The bus knows of the rule before it sees any call that is made afterwards.
    ///
    /// A rule with a well-known ``MatchRule/sender`` needs a ``watchOwner(of:_:)`` of that name, which tells the
    /// connection who is behind it.
    public func onSignal(_ rule: MatchRule, _ handler: @escaping @BusActor (BusSignal) -> Void) -> Registration {
        let key = signals.add(rule, handler: handler)
        sendToBus("AddMatch", rule)
        return Registration { [weak self] in
            self?.signals.remove(key)
            self?.sendToBus("RemoveMatch", rule)
        }
    }

    private func sendToBus(_ method: String, _ rule: MatchRule) {
        // Both can fail only when the connection is gone, and then the rules are gone, too.
        try? callWithoutReply(Self.busCall(method, [.string(rule.text)]))
    }

    static func busCall(_ method: String, _ arguments: [BusValue]) -> MethodCall {
        MethodCall(
            destination: "org.freedesktop.DBus", path: ObjectPath(validated: "/org/freedesktop/DBus"),
            interface: "org.freedesktop.DBus", method: method, arguments: arguments)
    }

    /// Calls `handler` with the unique name of the owner of `name` (nil: nobody), first with the present one, then at
    /// each change, until the registration is cancelled or released.
    public func watchOwner(of name: String, _ handler: @escaping @BusActor (String?) -> Void) -> Registration {
        let rule = MatchRule(
            sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
            firstArgument: name)
        let watch = OwnerWatch(handler)
        let registration = onSignal(rule) { [weak self] signal in
            guard signal.arguments.count == 3, let owner = String(busValue: signal.arguments[2]) else { return }
            let newOwner = owner.isEmpty ? nil : owner
            self?.signals.setOwner(newOwner, of: name)
            watch.changed(to: newOwner)
        }
        let query = call(Self.busCall("GetNameOwner", [.string(name)])) { [weak self] result in
            guard let self, isConnected else { return }
            // An error means: nobody owns it.
            let owner = try? result.get().first(as: String.self)
            signals.setOwner(owner, of: name)
            watch.changed(to: owner)
        }
        return Registration {
            watch.stop()
            query.cancel()
            registration.cancel()
        }
    }

    /// Asks the bus for `name`.
    ///
    /// - Throws: ``BusError/alreadyInUse(_:)`` when somebody else owns it.
    public func requestName(_ name: String) async throws {
        let doNotQueue: UInt32 = 4
        let reply = try await call(Self.busCall("RequestName", [.string(name), .uint32(doNotQueue)]))
        let result: UInt32 = try reply.first()
        // 1: primary owner, 4: already the owner.
        guard result == 1 || result == 4 else { throw BusError.alreadyInUse("the bus name \(name)") }
    }

    /// Gives `name` back.
    public func releaseName(_ name: String) async throws {
        _ = try await call(Self.busCall("ReleaseName", [.string(name)]))
    }
}

/// Tells a handler each owner once.
@BusActor
private final class OwnerWatch {
    private var handler: (@BusActor (String?) -> Void)?
    private var last: String??

    init(_ handler: @escaping @BusActor (String?) -> Void) {
        self.handler = handler
    }

    func changed(to owner: String?) {
        if let last, last == owner { return }
        last = .some(owner)
        handler?(owner)
    }

    func stop() {
        handler = nil
    }
}
