import CoreBluetooth
package import Foundation

/// What happens to peripherals.
extension AgentCore: AgentBackendObserver {
    private func apps(with peripheral: UUID) -> [RegisteredApp] { apps.filter { $0.record[peripheral] != nil } }

    package func connected(_ peripheral: UUID) {
        for app in apps(with: peripheral) {
            guard let record = app.record[peripheral], record.state != .disconnected else { continue }
            app.up.insert(peripheral)
            // A program that runs sees to its connections itself, as soon as it knows of them.
            guard app.presence != .running || app.greeting != nil else { continue }
            for subscription in record.subscriptions { subscribeAgain(subscription, app) }
            if record.state == .connecting {
                app.record[peripheral]?.state = .connected
                save()
                somethingHappened(to: app)
            }
            greetIfReady(app)
        }
    }

    private func subscribeAgain(_ request: SubscriptionRequest, _ app: RegisteredApp) {
        app.subscribing += 1
        backend.subscribe(request.peripheral, request.key, usesSocket: request.usesSocket) { [weak self, weak app] in
            guard let self, let app else { return }
            app.subscribing -= 1
            defer { greetIfReady(app) }
            switch $0 {
            case .success(let key) where key != request.key:
                app.record.editSubscription(request.subscription) { $0.key = key }
                save()
            case .success: break
            // It is asked for again when the link is back.
            case .failure(let failure) where failure.isLossOfLink: break
            case .failure(let failure):
                host.log("\(app.name) no longer receives values of \(request.key.characteristic): \(failure.text)")
                app.record.removeSubscription(request.subscription)
                save()
            }
        }
    }

    package func disconnected(_ peripheral: UUID, isComing: Bool) {
        for app in apps(with: peripheral) {
            app.up.remove(peripheral)
            app.record[peripheral]?.state = isComing ? .connecting : .disconnected
            if !isComing { app.record[peripheral]?.subscriptions = [] }
            save()
            somethingHappened(to: app)
            greetIfReady(app)
        }
    }

    /// The scans of programs that have ended go on here, if they are for certain services, as Apple's do in the
    /// background. A program that is about to be started resumes its own.
    func resumeScans() {
        backend.scan(apps.filter { $0.presence == .ended }.compactMap(\.record.scan).filter { $0.services != nil })
    }

    package func discovered(_ services: Set<String>, on adapter: String) {
        for app in apps {
            if let scan = app.record.scan, scan.adapter == adapter, scan.isFor(services) {
                somethingHappened(to: app)
            }
        }
    }

    package func bluetoothIsGone() {
        for app in apps { app.up = [] }
    }

    package func received(_ value: Data, from peripheral: UUID, path: String) {
        for (app, subscription) in subscribers(peripheral, path) {
            app.inbox.append(ValueFrame(subscription: subscription, value: value))
            if app.inbox.lost > app.reportedLoss {
                if app.reportedLoss == 0 {
                    host.log("Values are lost: \(app.name) leaves too many of them")
                }
                app.reportedLoss = app.inbox.lost
            }
            somethingHappened(to: app)
        }
    }

    package func servicesChanged(_ peripheral: UUID, invalidated: [String], paths: [String]) {
        for app in apps(with: peripheral) {
            app.record[peripheral]?.subscriptions.removeAll { subscription in
                paths.contains { subscription.key.path.hasPrefix($0 + "/") }
            }
            // A program that runs sees it for itself.
            if app.presence != .running {
                var change = app.record[peripheral]?.serviceChange ?? ServiceChangeRecord(invalidated: [])
                change.add(invalidated)
                app.record[peripheral]?.serviceChange = change
            }
            save()
            somethingHappened(to: app)
        }
    }
}
