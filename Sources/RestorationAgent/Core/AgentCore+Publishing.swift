import Foundation
package import RestorationProtocol

/// Programs that are peripherals: the agent publishes for them, so that what they have published outlasts them.
extension AgentCore {
    // MARK: The program comes and goes

    /// Sees to it that what the record has is published. A program that runs and knows what is published sees to it
    /// itself.
    func preparePublisher(of app: RegisteredApp) {
        let registration = app.record.registration
        guard registration.role == .peripheral else { return }
        if let publishing = app.publishing, publishing.adapter != registration.adapter { stopPublishing(app) }
        if app.record.publication == nil { app.record.publication = PublicationRecord() }
        guard app.publishing == nil else { return publishAgain(app) }
        let publishing = PublishingApp(makePublisher(registration.adapter), adapter: registration.adapter)
        app.publishing = publishing
        publishing.publisher.observer = self
        publishAgain(app)
    }

    /// A program that has lost the agent, and not its own state, republishes everything.
    func forgetPublication(of app: RegisteredApp) {
        stopPublishing(app)
        app.record.publication = nil
    }

    func stopPublishing(_ app: RegisteredApp) {
        app.publishing?.publisher.stop()
        app.publishing = nil
    }

    /// What of the record is not published, because the agent or bluetoothd was started again.
    private func publishAgain(_ app: RegisteredApp) {
        guard let publishing = app.publishing, let record = app.record.publication, !isInformed(app),
            publishing.publisher.state == Self.poweredOn
        else { return }
        for service in record.services where publishing.published.insert(service.number).inserted {
            publishing.republishing += 1
            publishing.publisher.publish(service) { [weak self, weak app] failure in
                guard let self, let app else { return }
                if let failure {
                    host.log("\(app.name) no longer publishes its service \(service.uuid): \(failure.text)")
                    publishing.published.remove(service.number)
                }
                republished(publishing, app)
            }
        }
        guard let advertisement = record.advertisement, !publishing.isAdvertised else { return }
        publishing.isAdvertised = true
        publishing.republishing += 1
        publishing.publisher.advertise(advertisement) { [weak self, weak app] failure in
            guard let self, let app else { return }
            if let failure {
                host.log("\(app.name) is no longer advertised: \(failure.text)")
                publishing.isAdvertised = false
            }
            republished(publishing, app)
        }
    }

    private func republished(_ publishing: PublishingApp, _ app: RegisteredApp) {
        publishing.republishing -= 1
        greetIfReady(app)
    }

    /// `CBManagerState.poweredOn`
    private static let poweredOn = 5

    /// Whether the program runs and knows what is published.
    private func isInformed(_ app: RegisteredApp) -> Bool { app.peer != nil && app.greeting == nil }

    /// What a program that comes back learns.
    func publication(of app: RegisteredApp) -> Publication? {
        guard let publishing = app.publishing, var record = app.record.publication else { return nil }
        if publishing.publisher.state == Self.poweredOn {
            // What could not be published again is the program's to publish.
            record.services.removeAll { !publishing.published.contains($0.number) }
            if !publishing.isAdvertised { record.advertisement = nil }
            app.record.publication = record
        }
        return Publication(
            state: publishing.publisher.state, epoch: publishing.publisher.epoch, record: record,
            subscriptions: Array(publishing.publisher.subscriptions.prefix(AgentLimits.subscriptions)))
    }

    /// The program knows what is published: it gets what centrals wait for.
    func deliverRequests(to app: RegisteredApp) {
        for (request, _) in app.publishing?.requests ?? [] { app.peer?.send(.request(request), passing: nil) }
    }

    /// Nobody waits any longer to hear of the values of the program that has ended.
    func settleUpdates(of app: RegisteredApp) {
        guard let publishing = app.publishing else { return }
        for index in publishing.updates.indices { publishing.updates[index].isOwed = false }
    }

    // MARK: What the program asks for

    /// - Returns: false when the program does not keep to the protocol.
    func publish(_ service: ServiceRecord, epoch: Int, _ app: RegisteredApp) -> Bool {
        guard let publishing = app.publishing, var record = app.record.publication,
            service.number >= record.nextService, service.number < .max
        else { return false }
        let number = service.number
        record.nextService = number + 1
        app.record.publication = record
        let answer: (AgentFailure?) -> Void = { [weak app] in
            app?.peer?.send(.published(service: number, failure: $0), passing: nil)
        }
        guard epoch == publishing.publisher.epoch else {
            answer(.outdated)
            return true
        }
        record.services.append(service)
        guard record.isWithinLimits else {
            answer(AgentFailure(domain: .core, code: 4, text: "Too many services for the restoration agent."))
            return true
        }
        app.record.publication = record
        publishing.published.insert(number)
        publishing.publisher.publish(service) { [weak self, weak app] failure in
            if failure != nil, publishing.publisher.epoch == epoch {
                publishing.published.remove(number)
                app?.record.publication?.services.removeAll { $0.number == number }
            }
            answer(failure)
            self?.save()
        }
        save()
        return true
    }

    func withdraw(_ service: UInt32, _ app: RegisteredApp) {
        refuseRequests(to: service, of: app)
        app.record.publication?.services.removeAll { $0.number == service }
        app.publishing?.published.remove(service)
        app.publishing?.publisher.withdraw(service)
        save()
    }

    /// - Returns: false when the program does not keep to the protocol.
    func advertise(_ advertisement: AdvertisementRecord, epoch: Int, _ app: RegisteredApp) -> Bool {
        guard let publishing = app.publishing, advertisement.isWithinLimits else { return false }
        let answer: (AgentFailure?) -> Void = { [weak app] in
            app?.peer?.send(.advertising(failure: $0), passing: nil)
        }
        guard epoch == publishing.publisher.epoch else {
            answer(.outdated)
            return true
        }
        app.record.publication?.advertisement = advertisement
        publishing.isAdvertised = true
        publishing.publisher.advertise(advertisement) { [weak self, weak app] failure in
            if failure != nil, publishing.publisher.epoch == epoch {
                publishing.isAdvertised = false
                app?.record.publication?.advertisement = nil
            }
            answer(failure)
            self?.save()
        }
        save()
        return true
    }

    func stopAdvertising(_ app: RegisteredApp) {
        app.record.publication?.advertisement = nil
        app.publishing?.isAdvertised = false
        app.publishing?.publisher.stopAdvertising()
        save()
    }

    func respond(_ answer: CentralAnswer, _ app: RegisteredApp) {
        guard let publishing = app.publishing, publishing.remove(answer.request) else { return }
        publishing.publisher.respond(answer)
    }

    /// - Returns: false when the program does not keep to the protocol.
    func update(_ updates: [ValueUpdate], _ app: RegisteredApp) -> Bool {
        guard let publishing = app.publishing else { return false }
        let owed = publishing.updates.count(where: \.isOwed)
        guard owed + updates.count <= AgentLimits.updates else { return false }
        // Of programs that have died with values on their way, only so many are kept.
        let surplus = publishing.updates.count - owed - AgentLimits.updates
        if surplus > 0 { publishing.updates.removeFirst(surplus) }
        publishing.updates += updates.map { ($0, true) }
        flush(app)
        return true
    }

    private func flush(_ app: RegisteredApp) {
        guard let publishing = app.publishing else { return }
        var owed = 0
        while let next = publishing.updates.first, publishing.publisher.update(next.update) {
            publishing.updates.removeFirst()
            if next.isOwed { owed += 1 }
        }
        if owed > 0 { app.peer?.send(.updated(count: owed), passing: nil) }
    }

    // MARK: Requests that nobody answers

    /// A program that was started for a request may republish everything before it knows of the request: whoever
    /// waits for the answer is not kept waiting.
    private func refuseRequests(to service: UInt32, of app: RegisteredApp) {
        guard let publishing = app.publishing else { return }
        for (request, _) in publishing.requests where request.place.service == service {
            respond(CentralAnswer(request: request.number, code: CentralAnswer.unlikelyError, value: nil), app)
        }
    }

    private func expireRequests(of app: RegisteredApp) {
        guard let publishing = app.publishing else { return }
        for request in publishing.expired(at: host.now) where publishing.remove(request.number) {
            publishing.publisher.respond(
                CentralAnswer(request: request.number, code: CentralAnswer.unlikelyError, value: nil))
        }
        publishing.expiry = nil
        scheduleExpiry(of: app)
    }

    private func scheduleExpiry(of app: RegisteredApp) {
        guard let publishing = app.publishing, publishing.expiry == nil, let next = publishing.requests.first else {
            return
        }
        publishing.expiry = host.after(max(0, next.deadline - host.now)) { [weak self, weak app] in
            if let app { self?.expireRequests(of: app) }
        }
    }
}

/// What centrals do.
extension AgentCore: PublisherObserver {
    private func app(of publisher: any Publisher) -> RegisteredApp? {
        apps.first { $0.publishing?.publisher === publisher }
    }

    package func stateChanged(_ publisher: any Publisher) {
        guard let app = app(of: publisher), let publishing = app.publishing else { return }
        publishing.reset()
        if isInformed(app) {
            // It sets everything up again when the controller is on.
            app.record.publication?.services = []
            app.record.publication?.advertisement = nil
            app.peer?.send(.state(publisher.state, epoch: publishing.publisher.epoch), passing: nil)
            return save()
        }
        publishAgain(app)
        greetIfReady(app)
    }

    package func received(_ request: CentralRequest, _ publisher: any Publisher) {
        guard let app = app(of: publisher), let publishing = app.publishing else { return }
        guard publishing.requests.count < AgentLimits.requests else {
            return publisher.respond(
                CentralAnswer(request: request.number, code: CentralAnswer.insufficientResources, value: nil))
        }
        publishing.add(request, deadline: host.now + AgentLimits.requestTimeout)
        scheduleExpiry(of: app)
        if isInformed(app) { app.peer?.send(.request(request), passing: nil) }
        somethingHappened(to: app)
    }

    package func subscribed(_ central: SubscribedCentral, _ publisher: any Publisher) {
        guard let app = app(of: publisher) else { return }
        if isInformed(app) { app.peer?.send(.centralSubscribed(central), passing: nil) }
        somethingHappened(to: app)
    }

    package func unsubscribed(_ central: SubscribedCentral, _ publisher: any Publisher) {
        // It is no reason to start a program.
        guard let app = app(of: publisher), isInformed(app) else { return }
        app.peer?.send(.centralUnsubscribed(central), passing: nil)
    }

    package func isReady(_ publisher: any Publisher) {
        if let app = app(of: publisher) { flush(app) }
    }
}

extension CentralAnswer {
    /// Error codes of ATT (Core Specification, Vol 3, Part F, 3.4.1.1).
    fileprivate static let unlikelyError = 0x0E
    fileprivate static let insufficientResources = 0x11
}

extension AgentFailure {
    /// `CBError.operationCancelled`
    fileprivate static let outdated = AgentFailure(
        domain: .core, code: 5, text: "The controller was switched off or replaced meanwhile.")
}
