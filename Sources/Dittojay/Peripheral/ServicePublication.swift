import CoreBluetooth
import GATTProfiles
import Logging
import MainLoop

/// Which services centrals can find: publishes and withdraws them, and advertises those that are published. Used on the
/// peripheral's queue only.
final class ServicePublication {
    /// How long bluetoothd has to take something back, in seconds.
    private static let patience = 5.0

    /// Called when services were withdrawn by command, before the advertisement changes.
    var onWithdrawal: (() -> Void)?

    private var profile: PeripheralProfile
    private var localName: String
    private let services: SimulatedServices
    private let events: EventOutput
    private var server: (any GATTServer)?
    private var adapter: AdapterLease.Description?
    /// Whether the peripheral is stopping: then nothing is advertised again.
    private var isStopping = false
    /// Whether it is to advertise; a command can change that.
    private var mayAdvertise = true
    /// Whether there is nothing to advertise at the moment, as the device behind a proxy is away.
    private var isHeld = false
    /// Who waits until it advertises.
    private var advertisingReplies: [(ControlReply) -> Void] = []
    /// The UUIDs in the advertisement that was asked for last; nil if it has to be asked for again in any case.
    private var advertised: [String]?
    /// What a beacon advertises in turn, and when its turn ends.
    private var frames: EddystoneFrames?
    private var turn: OneShotTimer?
    private var frame: [UInt8]?
    /// Whether the advertisement has only another frame than the one before.
    private var isNextFrame = false
    /// What waits for a service to be published, by the service's name.
    private var replies: [String: [(ControlReply) -> Void]] = [:]

    init(_ profile: PeripheralProfile, localName: String, services: SimulatedServices, events: EventOutput) {
        self.profile = profile
        self.localName = localName
        self.services = services
        self.events = events
    }

    // MARK: Life

    /// Sets what is offered; nothing is published yet.
    func adopt(_ profile: PeripheralProfile, localName: String) {
        self.profile = profile
        self.localName = localName
    }

    /// Starts publishing services here.
    func use(_ server: any GATTServer, on adapter: AdapterLease.Description) {
        self.server = server
        self.adapter = adapter
        var interval = profile.advertisement.interval ?? ExtraAdvertisement.kernelInterval
        if !adapter.takesIntervals, interval != ExtraAdvertisement.kernelInterval {
            logger.notice("bluetoothd before 5.77 advertises every 1.28 s, unless it runs with --experimental")
            interval = ExtraAdvertisement.kernelInterval
        }
        guard frames == nil else { return }
        frames = profile.advertisement.eddystone.map { EddystoneFrames($0, seed: services.seed, interval: interval) }
    }

    /// Bluetooth is on: publishes and advertises what is wanted.
    func start() {
        advertised = nil
        frame = nil
        isNextFrame = false
        for service in services.all where service.isWanted { publish(service) }
        // There is nothing to wait for if no service is published at the start.
        advertise()
    }

    /// Bluetooth is off: nothing is published any longer.
    func interrupt() {
        advertised = nil
        turn?.cancel()
        for service in services.all { service.withdraw() }
        let waiting = replies
        replies = [:]
        for (name, replies) in waiting {
            for reply in replies {
                reply(ControlReply(error: "Bluetooth was switched off before \(name) was published"))
            }
        }
        answerAdvertising(ControlReply(error: "Bluetooth was switched off before advertising started"))
    }

    /// Stops advertising for good. The services stay until ``stop(_:)``, for as long as centrals are connected.
    /// `done` is called on the queue when bluetoothd has stopped, or does not answer.
    func stopAdvertising(_ done: @escaping () -> Void) {
        isStopping = true
        turn?.cancel()
        guard let server = poweredOnServer else { return done() }
        server.stopAdvertising()
        settle(server, done)
    }

    /// Withdraws everything for good. `done` is called on the queue when bluetoothd has taken it back, or does not
    /// answer.
    func stop(_ done: @escaping () -> Void) {
        isStopping = true
        poweredOnServer?.removeAllServices()
        for service in services.all { service.withdraw() }
        guard let server else { return done() }
        detach()
        settle(server, done)
    }

    /// Calls `done` on the queue when bluetoothd has done all that the server has asked for, or does not answer.
    private func settle(_ server: any GATTServer, _ done: @escaping () -> Void) {
        // Fired on the queue only.
        nonisolated(unsafe) let end = services.clock.after(Self.patience, done)
        server.settle { [queue = services.clock.queue] in queue.async { end.fire() } }
    }

    /// Forgets the server.
    func detach() {
        server = nil
    }

    // MARK: Status

    var state: CBManagerState { server?.state ?? .unknown }
    var isAdvertising: Bool { server?.isAdvertising ?? false }

    /// Why a command cannot be carried out while Bluetooth is not on.
    var notReady: String { server == nil ? "Bluetooth is not ready yet" : "Bluetooth is not on" }

    /// Why a command cannot be carried out on a service that centrals cannot find.
    func notPublished(_ service: SimulatedService) -> String {
        guard poweredOnServer != nil else { return notReady }
        return "the service \(service.profile.name) is "
            + (service.publication == .pending ? "not published yet" : "withdrawn")
    }

    private var poweredOnServer: (any GATTServer)? { server.flatMap { $0.state == .poweredOn ? $0 : nil } }

    // MARK: Commands

    /// Publishes a service, and answers when it is published.
    func add(_ text: String, _ reply: @escaping (ControlReply) -> Void) {
        switch service(text) {
        case .failure(let problem): reply(ControlReply(error: problem.description))
        case .success(let service):
            guard !service.isPublished else {
                return reply(ControlReply(error: "the service \(service.profile.name) is already published"))
            }
            guard poweredOnServer != nil else { return reply(ControlReply(error: notReady)) }
            publish(service, reply)
        }
    }

    /// Publishes all services that are not, and answers when the last of them is published, or with the first problem.
    func addAll(_ reply: @escaping (ControlReply) -> Void) {
        guard poweredOnServer != nil else { return reply(ControlReply(error: notReady)) }
        let missing = services.all.filter { !$0.isPublished }
        guard !missing.isEmpty else { return reply(ControlReply(error: "all services are already published")) }
        var outstanding = missing.count
        var error: String?
        for service in missing {
            publish(service) { answer in
                error = error ?? answer.error
                outstanding -= 1
                if outstanding == 0 { reply(error.map { ControlReply(error: $0) } ?? ControlReply()) }
            }
        }
    }

    /// Withdraws a service, and answers when bluetoothd has done so, or does not answer. It notifies connected centrals
    /// of the change.
    func remove(_ text: String, _ reply: @escaping (ControlReply) -> Void) {
        switch service(text) {
        case .failure(let problem): reply(ControlReply(error: problem.description))
        case .success(let service):
            guard let registration = service.registration, service.isPublished, let server = poweredOnServer else {
                return reply(ControlReply(error: notPublished(service)))
            }
            server.remove(registration)
            withdraw([service]) { reply(ControlReply()) }
        }
    }

    /// Withdraws all services, and answers when bluetoothd has done so, or does not answer.
    func removeAll(_ reply: @escaping (ControlReply) -> Void) {
        guard let server = poweredOnServer else { return reply(ControlReply(error: notReady)) }
        let registered = services.all.filter { $0.registration != nil }
        guard !registered.isEmpty else { return reply(ControlReply(error: "no service is published")) }
        server.removeAllServices()
        withdraw(registered) { reply(ControlReply()) }
    }

    /// Resumes or stops advertising, and answers when bluetoothd has done so, or does not answer. Links stay up.
    func setAdvertising(_ isWanted: Bool, _ reply: @escaping (ControlReply) -> Void) {
        guard let server = poweredOnServer else { return reply(ControlReply(error: notReady)) }
        guard isWanted != mayAdvertise else {
            return reply(ControlReply(error: isWanted ? "already advertising" : "not advertising"))
        }
        mayAdvertise = isWanted
        if isWanted {
            advertisingReplies.append(reply)
            return advertise()
        }
        server.stopAdvertising()
        turn?.cancel()
        advertised = nil
        isNextFrame = false
        answerAdvertising(ControlReply(error: "advertising was switched off again"))
        // A central still finds an advertisement that bluetoothd is just registering, which it does after each link.
        settle(server) { [events] in
            events.report(.advertisingStopped) { _ in }
            reply(ControlReply())
        }
    }

    /// Stops advertising until Bluetooth is on again. The kernel (6.12) does not stop the advertising of a legacy
    /// controller that it switches off.
    func pauseAdvertising() {
        turn?.cancel()
        poweredOnServer?.stopAdvertising()
        advertised = nil
        isNextFrame = false
    }

    /// Bluetooth was not switched off after all.
    func resumeAdvertising() { advertise() }

    /// Stops advertising until ``release()``. What is published stays.
    func hold() {
        isHeld = true
        let wasAdvertising = isAdvertising
        pauseAdvertising()
        if wasAdvertising { events.report(.advertisingStopped) { _ in } }
    }

    /// Advertises again, if that is wanted otherwise.
    func release() {
        isHeld = false
        advertise()
    }

    /// Publishes other services in place of some, which are forgotten.
    func replace(_ removed: [SimulatedService], by added: [ServiceProfile]) {
        for service in removed {
            if let registration = service.registration { poweredOnServer?.remove(registration) }
        }
        services.add(added)
        let new = services.all.suffix(added.count)
        withdraw(removed)
        services.forget(removed)
        guard poweredOnServer != nil else { return }
        for service in new where service.isWanted { publish(service) { _ in } }
    }

    private func answerAdvertising(_ answer: ControlReply) {
        let waiting = advertisingReplies
        advertisingReplies = []
        for reply in waiting { reply(answer) }
    }

    private func publish(_ service: SimulatedService, _ reply: @escaping (ControlReply) -> Void) {
        replies[service.profile.name, default: []].append(reply)
        service.isWanted = true
        if service.registration == nil { publish(service) }
    }

    private func publish(_ service: SimulatedService) {
        guard let server else { return }
        server.add(service.makeRegistration(server: server))
    }

    private func withdraw(_ withdrawn: [SimulatedService], _ done: @escaping () -> Void = {}) {
        var removed: [String] = []
        for service in withdrawn {
            let name = service.profile.name
            let wasPublished = service.isPublished
            service.isWanted = false
            service.withdraw()
            if wasPublished { removed.append(name) }
            // A client that asked for the service just before gets an answer, too.
            for reply in replies.removeValue(forKey: name) ?? [] {
                reply(ControlReply(error: "the service \(name) was withdrawn before it was published"))
            }
        }
        onWithdrawal?()
        // A central that connects before bluetoothd has removed a service still finds it.
        let report = { [events] in
            for name in removed { events.report(.serviceRemoved) { $0.service = name } }
            done()
        }
        if let server { settle(server, report) } else { report() }
        advertise()
    }

    private struct NoSuchService: Error, CustomStringConvertible {
        let description: String
    }

    /// The service that a user names: by its name, or by its UUID if only one has it.
    private func service(_ text: String) -> Result<SimulatedService, NoSuchService> {
        if let service = services.service(named: text) { return .success(service) }
        let found = services.all.filter { service in
            AttributePath(text).map {
                $0.service == nil && $0.characteristic.matches(uuid: service.profile.uuid, name: nil)
            } ?? false
        }
        if let service = found.first, found.count == 1 { return .success(service) }
        let problem =
            found.isEmpty
            ? "unknown service \"\(text)\" in the profile \(profile.name); valid: "
            : "ambiguous service \"\(text)\":"
        let names = (found.isEmpty ? services.all : found).map(\.profile.name)
        return .failure(NoSuchService(description: problem + names.joined(separator: ", ")))
    }

    // MARK: What the server reports

    /// A service was published, or could not be.
    func published(_ registration: CBService, error: (any Error)?) {
        // A service that was withdrawn meanwhile has another registration, or none.
        guard let service = services.all.first(where: { $0.registration === registration }) else { return }
        let name = service.profile.name
        let replies = replies.removeValue(forKey: name) ?? []
        if let error {
            // The others are advertised all the same.
            service.fail()
            let message = "cannot publish the service \(name): \(error.localizedDescription)"
            events.report(failure: message)
            for reply in replies { reply(ControlReply(error: message)) }
        } else {
            service.confirm()
            if !replies.isEmpty { events.report(.serviceAdded) { $0.service = name } }
            for reply in replies { reply(ControlReply()) }
        }
        advertise()
    }

    /// The peripheral advertises, or cannot.
    func advertisingStarted(error: (any Error)?) {
        // Another one has replaced it meanwhile, or it was switched off, before or after it began.
        let isStopped = error.map { ($0 as? CBError)?.code == .operationCancelled } ?? !isAdvertising
        guard !isStopped else { return }
        if let error {
            advertised = nil
            let message = "cannot advertise: \(error.localizedDescription)"
            answerAdvertising(ControlReply(error: message))
            return events.report(failure: message)
        }
        answerAdvertising(ControlReply())
        takeTurns()
        guard !isNextFrame else { return isNextFrame = false }
        events.report(.advertising) { event in
            let names = services.all.filter { $0.isPublished && $0.profile.isAdvertised }.map(\.profile.name)
            event.message =
                "\"\(localName)\"\(names.isEmpty ? "" : " with ")\(names.joined(separator: ", ")) on \(adapter?.name ?? "") "
                + (adapter?.address ?? "")
        }
    }

    // MARK: Advertising

    /// Advertises the services that are published, as soon as all that are wanted are.
    private func advertise() {
        guard let server = poweredOnServer, !isStopping, mayAdvertise, !isHeld else { return }
        guard services.all.allSatisfy({ !$0.isWanted || $0.publication == .done || $0.publication == .failed }) else {
            return
        }
        var uuids: [String] = []
        for service in services.all where service.isPublished && service.profile.isAdvertised {
            // Several services may have the same UUID.
            if !uuids.contains(service.profile.uuid) { uuids.append(service.profile.uuid) }
        }
        guard uuids != advertised else { return }
        if advertised != nil { server.stopAdvertising() }
        advertised = uuids
        var extra = profile.advertisement
        if frames != nil {
            if frame == nil { frame = frames?.next() }
            extra.serviceData[Eddystone.service] = frame
            uuids.append(Eddystone.service)
        }
        server.startAdvertising(extra.data(localName: localName, serviceUUIDs: uuids))
    }

    /// Lets the next frame follow when this one was advertised for its time.
    private func takeTurns() {
        guard let interval = profile.advertisement.eddystone?.interval, !isStopping, mayAdvertise else { return }
        turn?.cancel()
        turn = services.clock.after(interval) { [weak self] in
            guard let self, poweredOnServer != nil, advertised != nil else { return }
            frame = frames?.next()
            server?.stopAdvertising()
            advertised = nil
            isNextFrame = true
            advertise()
        }
    }
}

extension ExtraAdvertisement {
    /// The whole advertisement as CoreBluetooth takes it.
    fileprivate func data(localName: String, serviceUUIDs: [String]) -> [String: Any] {
        var data: [String: Any] = [
            CBAdvertisementDataLocalNameKey: localName,
            CBAdvertisementDataServiceUUIDsKey: serviceUUIDs.map { CBUUID(string: $0) },
        ]
        if let interval {
            data[AdvertisementPlan.intervalKey] = NSNumber(value: UInt32((interval * 1000).rounded()))
        }
        if let appearance { data[AdvertisementPlan.appearanceKey] = NSNumber(value: appearance) }
        if hasTxPower { data[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: 0) }
        if !manufacturers.isEmpty {
            data[CBAdvertisementDataAllManufacturerDataKey] = manufacturers.map { manufacturer in
                Data(NumberType.bytes(of: manufacturer.company) + manufacturer.data)
            }
        }
        if !serviceData.isEmpty {
            data[CBAdvertisementDataServiceDataKey] = [CBUUID: Data](
                serviceData.map { (CBUUID(string: $0.key), Data($0.value)) }
            ) { first, _ in first }
        }
        return data
    }
}
