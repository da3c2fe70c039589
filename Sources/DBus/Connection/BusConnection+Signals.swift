package import Foundation
package import MainLoop

extension BusConnection {
    /// Calls `handler` for every signal that `rule` matches, in the order of arrival, until the registration is
    /// cancelled or released. The bus knows of the rule before it sees any call that is made afterwards. Handlers of
    /// rules with a ``MatchRule/path`` get a signal before others.
    ///
    /// A rule with a well-known ``MatchRule/sender`` needs a ``watchOwner(of:_:)`` of that name, by which the
    /// connection knows which program owns it.
    package func onSignal(_ rule: MatchRule, _ handler: @escaping @LoopActor (BusSignal) -> Void) -> Registration {
        let listener = signals.add(rule, handler: handler)
        sendToBus(BusDriver.addMatch, rule)
        return Registration { [weak self] in
            self?.signals.remove(listener)
            self?.sendToBus(BusDriver.removeMatch, rule)
        }
    }

    private func sendToBus(_ method: BusDriver.Method, _ rule: MatchRule) {
        // Both can fail only when the connection was lost, and the rules with it.
        try? callWithoutReply(.bus(method, [.string(rule.text)]))
    }

    /// Calls `handler` with the unique name of the owner of `name` (nil: none), first with the present one, then at
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
        let query = call(.bus(BusDriver.getNameOwner, [.string(name)])) { [weak self] result in
            guard let self, isConnected else { return }
            // An error means that it has no owner.
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
    /// - Throws: ``BusError/alreadyInUse(_:)`` when another program owns it.
    package func requestName(_ name: String) async throws {
        let doNotQueue: UInt32 = 4
        let reply = try await call(.bus(BusDriver.requestName, [.string(name), .uint32(doNotQueue)]))
        let result: UInt32 = try reply.first()
        // 1: primary owner, 4: already the owner.
        guard result == 1 || result == 4 else { throw BusError.alreadyInUse("the bus name \(name)") }
    }

    /// Gives `name` back.
    package func releaseName(_ name: String) async throws {
        _ = try await call(.bus(BusDriver.releaseName, [.string(name)]))
    }

    /// Calls `handler` for each PropertiesChanged signal of `sender` that reports a new value of `property`, an array
    /// of bytes, and nothing else, until the registration is cancelled or released. No other handler gets such signals
    /// then.
    ///
    /// It does not make the bus send them: that takes an ``onSignal(_:_:)`` whose rule matches, and a
    /// ``watchOwner(of:_:)`` of the sender.
    package func onBytes<Interface: BusInterface>(
        of property: InterfaceProperty<Interface, Data>, at path: ObjectPath, from sender: String,
        _ handler: @escaping @LoopActor (Data) -> Void
    ) -> Registration {
        let listener = ByteListener(sender: sender, path: path, property: property, handler: handler)
        signals.add(listener)
        return Registration { [weak self] in self?.signals.remove(listener) }
    }
}

/// Passes each owner to a handler once.
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
