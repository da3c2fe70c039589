package import CoreBluetooth
import Foundation

/// What programs ask for.
extension AgentCore {
    /// Handles a message.
    ///
    /// - Returns: false when the program does not keep to the protocol.
    package func receive(_ message: AppMessage, from peer: any AgentPeer) -> Bool {
        if case .hello(let registration) = message {
            guard !apps.contains(where: { $0.peer === peer }) else { return false }
            return register(registration, peer)
        }
        guard let app = apps.first(where: { $0.peer === peer }), message.isAllowed(app.record.registration.role) else {
            return false
        }
        switch message {
        case .hello: return false
        case .connecting(let request): return connecting(request, app)
        case .connected(let request): return connected(request, app)
        case .released(let peripheral): released(peripheral, app)
        case .subscribe(let request): return subscribe(request, app)
        case .unsubscribe(let number): unsubscribe(number, app)
        case .scanning(let scan): return self.scanning(scan, app)
        case .publish(let service, let epoch): return publish(service, epoch: epoch, app)
        case .withdraw(let service): withdraw(service, app)
        case .advertise(let advertisement, let epoch): return advertise(advertisement, epoch: epoch, app)
        case .stopAdvertising: stopAdvertising(app)
        case .respond(let answer): respond(answer, app)
        case .update(let updates): return update(updates, app)
        case .goodbye: goodbye(peer)
        }
        return true
    }

    /// The connection to a program has ended without that it took leave.
    package func connectionIsGone(_ peer: any AgentPeer) { peerIsGone(peer) }

    private func connecting(_ request: PeripheralRequest, _ app: RegisteredApp) -> Bool {
        guard note(request, .connecting, app) else { return false }
        app.up.remove(request.peripheral)
        save()
        return true
    }

    private func connected(_ request: PeripheralRequest, _ app: RegisteredApp) -> Bool {
        guard note(request, .connected, app) else { return false }
        app.up.insert(request.peripheral)
        backend.keep(request)
        save()
        return true
    }

    private func note(_ request: PeripheralRequest, _ state: PeripheralRecord.State, _ app: RegisteredApp) -> Bool {
        guard AgentLimits.isName(request.adapter) else { return false }
        if var known = app.record[request.peripheral] {
            known.adapter = request.adapter
            known.reconnects = request.reconnects
            known.state = state
            if state == .connected { known.serviceChange = nil }
            app.record[request.peripheral] = known
            return true
        }
        guard app.record.peripherals.count < AgentLimits.peripherals else { return false }
        app.record[request.peripheral] = PeripheralRecord(request, state: state)
        return true
    }

    private func released(_ peripheral: UUID, _ app: RegisteredApp) {
        guard let known = app.record[peripheral] else { return }
        app.record[peripheral] = nil
        letGo(known, of: app, disconnecting: false)
        save()
    }

    private func scanning(_ scan: ScanRecord?, _ app: RegisteredApp) -> Bool {
        guard scan?.isWithinLimits ?? true else { return false }
        app.record.scan = scan
        save()
        return true
    }

    private func subscribe(_ request: SubscriptionRequest, _ app: RegisteredApp) -> Bool {
        guard request.subscription >= app.record.nextSubscription, request.subscription < .max,
            request.key.isWithinLimits
        else { return false }
        app.record.nextSubscription = request.subscription + 1
        // A program that was started again and has not taken up its former subscription means this one instead.
        app.record[request.peripheral]?.subscriptions.removeAll { $0.key == request.key }
        guard app.record.peripherals.reduce(0, { $0 + $1.subscriptions.count }) < AgentLimits.subscriptions else {
            let text =
                "Too many subscriptions for the restoration agent (limit \(AgentLimits.subscriptions) per program)."
            app.peer?.send(
                .subscribed(
                    subscription: request.subscription, failure: AgentFailure(domain: .core, code: 0, text: text)),
                passing: nil)
            return true
        }
        guard app.record[request.peripheral] != nil else {
            // The link was lost while this was on its way.
            let failure = AgentFailure(domain: .core, code: 3, text: "The peripheral is not connected.")
            app.peer?.send(.subscribed(subscription: request.subscription, failure: failure), passing: nil)
            return true
        }
        app.record[request.peripheral]?.subscriptions.append(request)
        backend.subscribe(request.peripheral, request.key, usesSocket: request.usesSocket) { [weak self, weak app] in
            guard let self, let app else { return }
            switch $0 {
            case .success(let key):
                app.record.editSubscription(request.subscription) { $0.key = key }
                app.peer?.send(.subscribed(subscription: request.subscription, failure: nil), passing: nil)
            case .failure(let failure):
                app.record.removeSubscription(request.subscription)
                app.peer?.send(.subscribed(subscription: request.subscription, failure: failure), passing: nil)
            }
            save()
        }
        save()
        return true
    }

    private func unsubscribe(_ number: UInt32, _ app: RegisteredApp) {
        let answer: (AgentFailure?) -> Void = { [weak app] failure in
            app?.peer?.send(.unsubscribed(subscription: number, failure: failure), passing: nil)
        }
        guard let (peripheral, subscription) = app.record.removeSubscription(number) else { return answer(nil) }
        save()
        guard subscribers(peripheral, subscription.key.path).isEmpty else { return answer(nil) }
        backend.unsubscribe(peripheral, subscription.key) { result in
            if case .failure(let failure) = result { answer(failure) } else { answer(nil) }
        }
    }

    /// Who wants the values of a characteristic, and under which numbers.
    func subscribers(_ peripheral: UUID, _ path: String) -> [(app: RegisteredApp, subscription: UInt32)] {
        apps.flatMap { app in
            (app.record[peripheral]?.subscriptions ?? []).filter { $0.key.path == path }
                .map { (app, $0.subscription) }
        }
    }
}

extension AppMessage {
    /// Whether a program may say that after it has registered.
    fileprivate func isAllowed(_ role: AppRegistration.Role?) -> Bool {
        switch self {
        case .hello: false
        case .connecting, .connected, .released, .subscribe, .unsubscribe, .scanning: role != .peripheral
        case .publish, .withdraw, .advertise, .stopAdvertising, .respond, .update: role == .peripheral
        case .goodbye: true
        }
    }
}

extension AppRecord {
    /// Changes the subscription of this number, if there is one.
    mutating func editSubscription(_ number: UInt32, _ edit: (inout SubscriptionRequest) -> Void) {
        for (peripheral, record) in peripherals.enumerated() {
            guard let index = record.subscriptions.firstIndex(where: { $0.subscription == number }) else { continue }
            edit(&peripherals[peripheral].subscriptions[index])
        }
    }

    /// Removes the subscription of this number.
    @discardableResult
    mutating func removeSubscription(_ number: UInt32) -> (peripheral: UUID, SubscriptionRequest)? {
        for (peripheral, record) in peripherals.enumerated() {
            guard let index = record.subscriptions.firstIndex(where: { $0.subscription == number }) else { continue }
            return (record.identifier, peripherals[peripheral].subscriptions.remove(at: index))
        }
        return nil
    }
}
