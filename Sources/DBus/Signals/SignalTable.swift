import CDBus
import Foundation
import MainLoop

/// Who wants to hear which signals, and who owns which names.
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

    let bytes = ByteSignalTable()
    private var listeners: [Listener] = []
    /// The unique names behind the well-known names that rules speak of, and how many watch each name.
    private var owners: [String: (owner: String?, watches: Int)] = [:]

    func add(_ rule: MatchRule, handler: @escaping @LoopActor (BusSignal) -> Void) -> Listener {
        let listener = Listener(rule, handler)
        listeners.append(listener)
        return listener
    }

    func remove(_ listener: Listener) {
        // A signal that is being dispatched may have it still in its list.
        listener.isCancelled = true
        listeners.removeAll { $0 === listener }
    }

    func startWatch(of name: String) {
        owners[name, default: (nil, 0)].watches += 1
    }

    func stopWatch(of name: String) {
        guard let known = owners[name] else { return }
        owners[name] = known.watches > 1 ? (known.owner, known.watches - 1) : nil
    }

    func setOwner(_ owner: String?, of name: String) {
        owners[name]?.owner = owner
    }

    func dispatch(_ message: RawMessage) {
        if bytes.dispatch(message.pointer, owner: { owners[$0]?.owner }) { return }
        // The arguments are read when the rest of the message is known to be wanted.
        var signal = BusSignal(
            sender: message.sender, path: message.path, interface: message.interface ?? "", member: message.member,
            arguments: [])
        var isRead = false
        for listener in listeners where !listener.isCancelled {
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
        rule.sender.flatMap { owners[$0]?.owner }
    }
}

extension BusConnection {
    /// Calls `handler` for every signal that `rule` matches, in the order of arrival, until the registration is
    /// cancelled or released. The bus knows of the rule before it sees any call that is made afterwards.
    ///
    /// A rule with a well-known ``MatchRule/sender`` needs a ``watchOwner(of:_:)`` of that name, which tells the
    /// connection who is behind it.
    package func onSignal(_ rule: MatchRule, _ handler: @escaping @LoopActor (BusSignal) -> Void) -> Registration {
        let listener = signals.add(rule, handler: handler)
        sendToBus(BusDriver.addMatch, rule)
        return Registration { [weak self] in
            self?.signals.remove(listener)
            self?.sendToBus(BusDriver.removeMatch, rule)
        }
    }

    private func sendToBus(_ method: BusDriver.Method, _ rule: MatchRule) {
        // Both can fail only when the connection is gone, and then the rules are gone, too.
        try? callWithoutReply(BusDriver.call(method, [.string(rule.text)]))
    }

    /// Calls `handler` with the unique name of the owner of `name` (nil: nobody), first with the present one, then at
    /// each change, until the registration is cancelled or released.
    package func watchOwner(of name: String, _ handler: @escaping @LoopActor (String?) -> Void) -> Registration {
        var rule = MatchRule.signal(BusDriver.nameOwnerChanged, from: BusDriver.busName)
        rule.firstArgument = name
        let watch = OwnerWatch(handler)
        signals.startWatch(of: name)
        let registration = onSignal(rule) { [weak self] signal in
            guard signal.arguments.count == 3, let owner = String(busValue: signal.arguments[2]) else { return }
            let newOwner = owner.isEmpty ? nil : owner
            self?.signals.setOwner(newOwner, of: name)
            watch.changed(to: newOwner)
        }
        let query = call(BusDriver.call(BusDriver.getNameOwner, [.string(name)])) { [weak self] result in
            guard let self, isConnected else { return }
            // An error means: nobody owns it.
            let owner = try? result.get().first(as: String.self)
            signals.setOwner(owner, of: name)
            watch.changed(to: owner)
        }
        return Registration { [weak self] in
            watch.stop()
            query.cancel()
            registration.cancel()
            self?.signals.stopWatch(of: name)
        }
    }

    /// Asks the bus for `name`.
    ///
    /// - Throws: ``BusError/alreadyInUse(_:)`` when somebody else owns it.
    package func requestName(_ name: String) async throws {
        let doNotQueue: UInt32 = 4
        let reply = try await call(BusDriver.call(BusDriver.requestName, [.string(name), .uint32(doNotQueue)]))
        let result: UInt32 = try reply.first()
        // 1: primary owner, 4: already the owner.
        guard result == 1 || result == 4 else { throw BusError.alreadyInUse("the bus name \(name)") }
    }

    /// Gives `name` back.
    package func releaseName(_ name: String) async throws {
        _ = try await call(BusDriver.call(BusDriver.releaseName, [.string(name)]))
    }
}

/// Tells a handler each owner once.
@LoopActor
private final class OwnerWatch {
    private var handler: (@LoopActor (String?) -> Void)?
    private var last: String??

    init(_ handler: @escaping @LoopActor (String?) -> Void) {
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
