import CoreBluetooth
import GATTProfiles

/// Carries out the commands that a user gives to a running peripheral, except those about the peripheral as a whole.
/// Used on the peripheral's queue only.
final class CommandHandler {
    typealias Reply = (ControlReply) -> Void

    private let profileName: String
    private let services: SimulatedServices
    private let publication: ServicePublication
    private let links: CentralLinks
    private let events: EventOutput
    /// The burst that is under way.
    private var burst: Burst?

    init(
        profileName: String, services: SimulatedServices, publication: ServicePublication, links: CentralLinks,
        events: EventOutput
    ) {
        self.profileName = profileName
        self.services = services
        self.publication = publication
        self.links = links
        self.events = events
    }

    // MARK: Values

    /// Sets a characteristic's value.
    func set(_ name: String, to value: Data) -> ControlReply {
        withCharacteristic(name) { characteristic in
            if let obstacle = characteristic.obstacleToSetting { return ControlReply(error: obstacle) }
            characteristic.set(value)
            events.report(.set) { event in
                event.name(characteristic)
                event.value = value
            }
            return ControlReply()
        }
    }

    /// Replaces the values that are really sent by one.
    ///
    /// - Returns: why that is not possible; nil if it is.
    func replace(_ replacement: ProxiedDevice.Replacement) -> String? {
        let value = Data(replacement.value)
        let answer = withCharacteristic(replacement.characteristic) { characteristic in
            let properties = characteristic.profile.properties
            switch replacement.direction {
            case .fromDevice:
                guard !properties.isDisjoint(with: [.read, .notify, .indicate]) else {
                    return ControlReply(error: "\(characteristic.path) has no value to set")
                }
                characteristic.replacements.read = value
                characteristic.replacements.notified = value
            case .toDevice:
                guard characteristic.profile.isWriteable else {
                    return ControlReply(error: "\(characteristic.path) cannot be written")
                }
                characteristic.replacements.written = value
            }
            return ControlReply()
        }
        return answer.error
    }

    /// Sends a value to the subscribers of a characteristic.
    func send(_ value: Data, on name: String) -> ControlReply {
        withCharacteristic(name) { send(value, on: $0, as: .sent) }
    }

    /// Sends a value to the subscribers of the characteristic that chirps.
    func chirp(_ value: Data) -> ControlReply {
        guard let chirp = services.chirp else { return noChirp }
        return send(value, on: chirp, as: .chirped)
    }

    /// - Parameter kind: `chirped`, which does not name the characteristic, or `sent`.
    private func send(
        _ value: Data, on characteristic: SimulatedCharacteristic, as kind: PeripheralEvent.Kind
    ) -> ControlReply {
        guard !characteristic.profile.properties.isDisjoint(with: [.notify, .indicate]) else {
            return ControlReply(error: "\(characteristic.path) has neither the notify nor the indicate property")
        }
        guard characteristic.service.isPublished else {
            return ControlReply(error: publication.notPublished(characteristic.service))
        }
        let subscribers = characteristic.subscribers.count
        let audience = characteristic.audience
        if subscribers > 0, characteristic.profile.pieceSizes == nil,
            value.count > characteristic.maximumNotificationLength
        {
            return ControlReply(
                error: "\(kind == .chirped ? "chirp" : "value") too long: \(value.count) bytes (limit "
                    + "\(characteristic.maximumNotificationLength) in a notification at the subscriber's MTU)"
            )
        }
        guard characteristic.sendOrWait(value) else {
            return ControlReply(
                error: "too many \(kind == .chirped ? "chirps" : "values") are queued for the link")
        }
        events.report(kind) { event in
            if kind == .sent { event.name(characteristic) }
            event.value = value
            event.message = audience
        }
        var answer = ControlReply()
        answer.subscribers = subscribers
        return answer
    }

    // MARK: Bursts

    /// Sends many numbered values on the characteristic that chirps, and answers when the last one was handed over.
    func startBurst(_ plan: Burst.Plan, _ reply: @escaping Reply) {
        guard let chirp = services.chirp else { return reply(noChirp) }
        guard burst == nil else { return reply(ControlReply(error: "a burst is already in progress")) }
        guard !chirp.subscribers.isEmpty else {
            return reply(ControlReply(error: "no central is subscribed to \(chirp.profile.name)"))
        }
        guard plan.size <= chirp.maximumNotificationLength else {
            return reply(
                ControlReply(
                    error: "size too large: \(plan.size) bytes (limit \(chirp.maximumNotificationLength) in a "
                        + "notification at the subscriber's MTU)"))
        }
        let burst = Burst(plan, on: chirp, clock: services.clock) { [weak self] result in
            self?.burst = nil
            switch result {
            case .success(let outcome):
                var answer = ControlReply()
                answer.sent = outcome.sent
                answer.waits = outcome.waits
                answer.seconds = outcome.seconds
                reply(answer)
            case .failure(let error): reply(ControlReply(error: error.description))
            }
        }
        self.burst = burst
        burst.start()
    }

    /// There may be room again, or no subscriber any longer.
    func resumeBurst() {
        burst?.resume()
    }

    func cancelBurst(_ reason: String) {
        burst?.cancel(reason)
    }

    // MARK: Links

    /// Ends the links of all centrals, or of one, and answers when they have ended.
    func disconnect(_ central: String?, _ reply: @escaping Reply) {
        guard links.canEnd else { return reply(ControlReply(error: publication.notReady)) }
        links.end(central) { addresses in
            guard !addresses.isEmpty else {
                return reply(ControlReply(error: central.map { "\($0) is not connected" } ?? "no central is connected"))
            }
            var answer = ControlReply()
            answer.disconnected = addresses
            reply(answer)
        }
    }

    // MARK: Faults

    /// Injects a fault into a characteristic, unless it has too many.
    func add(_ fault: Fault, to name: String) -> ControlReply {
        withCharacteristic(name) { characteristic in
            guard services.add(fault, to: characteristic) else {
                return ControlReply(error: SimulatedServices.tooManyFaults)
            }
            return ControlReply()
        }
    }

    /// Clears the injected faults of a characteristic, of all of them if nil.
    func clearFaults(_ name: String?) -> ControlReply {
        guard let name else {
            for characteristic in services.characteristics { characteristic.clearFaults() }
            return ControlReply()
        }
        return withCharacteristic(name) { characteristic in
            characteristic.clearFaults()
            return ControlReply()
        }
    }

    // MARK: Names

    private var noChirp: ControlReply {
        let senders = services.characteristics.filter(\.profile.notifies).map(\.path.description)
        var text = "the profile \(profileName) has no characteristic that chirps"
        if !senders.isEmpty {
            text += ": use \"send CHARACTERISTIC VALUE\", with one of \(senders.joined(separator: ", "))"
        }
        return ControlReply(error: text)
    }

    /// Does something with the characteristic that a user names: `service/characteristic`, or its name or UUID alone if
    /// only one has it.
    private func withCharacteristic(
        _ text: String, _ body: (SimulatedCharacteristic) -> ControlReply
    ) -> ControlReply {
        guard let path = AttributePath(text) else {
            return ControlReply(error: "invalid characteristic \"\(text)\"; expected NAME or SERVICE/NAME")
        }
        let found = services.characteristics.filter { characteristic in
            let (own, service) = (characteristic.profile, characteristic.service.profile)
            return path.characteristic.matches(uuid: own.uuid, name: own.name)
                && (path.service?.matches(uuid: service.uuid, name: service.name) ?? true)
        }
        guard let characteristic = found.first else {
            return ControlReply(
                error: "unknown characteristic \"\(text)\" in the profile \(profileName); valid: "
                    + services.characteristics.map(\.path.description).joined(separator: ", "))
        }
        guard found.count == 1 else {
            return ControlReply(
                error: "ambiguous characteristic \"\(text)\": " + found.map(\.path.description).joined(separator: ", "))
        }
        return body(characteristic)
    }
}
