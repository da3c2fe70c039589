import CoreBluetooth
import GATTProfiles
import LineOutput

extension VirtualPeripheral {
    /// Carries out a command and answers it by calling `reply` once, on the queue.
    public func perform(_ request: ControlRequest, reply: @escaping (ControlReply) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        switch request {
        case .version: reply(.version)
        case .events: reply(ControlReply(error: "events go to the programs at the control socket"))
        case .status:
            var answer = ControlReply()
            answer.status = status
            reply(answer)
        case .chirp(let value): reply(chirp(Data(value)))
        case .set(let name, let value): reply(withCharacteristic(name) { set(Data(value), of: $0) })
        case .send(let name, let value): reply(withCharacteristic(name) { send(Data(value), on: $0) })
        case .burst(let count, let size, let rate):
            start(Burst.Plan(count: count, size: size, rate: rate), reply)
        case .addService(let name?): add(name, reply)
        case .addService(nil): addAll(reply)
        case .removeService(let name?): reply(remove(name))
        case .removeService(nil): reply(removeAll())
        case .disconnect(let central): disconnect(central, reply)
        case .addFault(let characteristic, let fault):
            reply(withCharacteristic(characteristic) { add(fault, to: $0) })
        case .clearFaults(let characteristic):
            if let characteristic {
                reply(
                    withCharacteristic(characteristic) { characteristic in
                        characteristic.faults.clear()
                        return ControlReply()
                    })
            } else {
                for characteristic in services.characteristics { characteristic.faults.clear() }
                reply(ControlReply())
            }
        case .quit:
            reply(ControlReply())
            stop()
        }
    }

    /// Does something with the characteristic that a user names: `service/characteristic`, or its name or UUID alone if
    /// only one has it.
    private func withCharacteristic(
        _ text: String, _ body: (SimulatedCharacteristic) -> ControlReply
    ) -> ControlReply {
        guard let path = AttributePath(text) else {
            return ControlReply(error: "\"\(text)\" is no characteristic: write NAME or SERVICE/NAME")
        }
        let found = services.characteristics.filter { characteristic in
            let (own, service) = (characteristic.profile, characteristic.service.profile)
            return path.characteristic.matches(uuid: own.uuid, name: own.name)
                && (path.service?.matches(uuid: service.uuid, name: service.name) ?? true)
        }
        guard let characteristic = found.first else {
            return ControlReply(
                error: "the profile \(profile.name) has no characteristic \"\(text)\"; it has: "
                    + services.characteristics.map(\.path.description).joined(separator: ", "))
        }
        guard found.count == 1 else {
            return ControlReply(
                error: "\"\(text)\" is one of several: " + found.map(\.path.description).joined(separator: ", "))
        }
        return body(characteristic)
    }

    /// From now on this goes wrong, too, unless that is too much.
    func add(_ fault: Fault, to characteristic: SimulatedCharacteristic) -> ControlReply {
        guard services.add(fault, to: characteristic) else {
            return ControlReply(error: "there are \(Fault.maximumCount) faults already: clear some of them first")
        }
        return ControlReply()
    }

    private func set(_ value: Data, of characteristic: SimulatedCharacteristic) -> ControlReply {
        guard characteristic.profile.properties.contains(.read) else {
            return ControlReply(error: "\(characteristic.path) has no read among its properties")
        }
        if case .writeCount = characteristic.profile.source {
            return ControlReply(error: "\(characteristic.path) counts writes: its value cannot be set")
        }
        characteristic.set(value)
        tell(.set) { event in
            event.name(characteristic)
            event.value = value
        }
        return ControlReply()
    }

    private func chirp(_ value: Data) -> ControlReply {
        guard let chirp = services.chirp else {
            return ControlReply(error: "the profile \(profile.name) has no characteristic that chirps")
        }
        return send(value, on: chirp, as: .chirped)
    }

    /// Sends a value to the subscribers at the user's wish.
    ///
    /// - Parameter kind: `chirped`, which does not name the characteristic, or `sent`.
    private func send(
        _ value: Data, on characteristic: SimulatedCharacteristic, as kind: PeripheralEvent.Kind = .sent
    ) -> ControlReply {
        guard !characteristic.profile.properties.isDisjoint(with: [.notify, .indicate]) else {
            return ControlReply(error: "\(characteristic.path) has neither notify nor indicate among its properties")
        }
        guard characteristic.service.isPublished else {
            return ControlReply(error: notPublished(characteristic.service))
        }
        let subscribers = characteristic.subscribers.count
        if subscribers > 0, characteristic.profile.pieceSizes == nil,
            value.count > characteristic.maximumNotificationLength
        {
            return ControlReply(
                error: "\(kind == .chirped ? "a chirp" : "a value") of \(value.count) bytes is longer than the "
                    + "\(characteristic.maximumNotificationLength) that fit into a notification at the subscriber's MTU"
            )
        }
        guard characteristic.sendOrWait(value) else {
            return ControlReply(
                error: "too many \(kind == .chirped ? "chirps" : "values") wait already for the link to take them")
        }
        tell(kind) { event in
            if kind == .sent { event.name(characteristic) }
            event.value = value
            event.message =
                subscribers == 0
                ? "nobody has subscribed" : "to \(counted(subscribers, "subscriber"))"
        }
        var answer = ControlReply()
        answer.subscribers = subscribers
        return answer
    }

    private func start(_ plan: Burst.Plan, _ reply: @escaping (ControlReply) -> Void) {
        guard let chirp = services.chirp else {
            return reply(ControlReply(error: "the profile \(profile.name) has no characteristic that chirps"))
        }
        guard burst == nil else { return reply(ControlReply(error: "a burst is under way already")) }
        guard !chirp.subscribers.isEmpty else {
            return reply(ControlReply(error: "nobody has subscribed to \(chirp.profile.name)"))
        }
        guard plan.size <= chirp.maximumNotificationLength else {
            return reply(
                ControlReply(
                    error: "\(plan.size) bytes are more than the \(chirp.maximumNotificationLength) that fit into a "
                        + "notification at the subscriber's MTU"))
        }
        let burst = Burst(plan, on: chirp, queue: queue) { [weak self] result in
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

    private func disconnect(_ central: String?, _ reply: @escaping (ControlReply) -> Void) {
        guard custodian != nil else { return reply(ControlReply(error: notReady)) }
        endLinks(central) { addresses in
            guard !addresses.isEmpty else {
                return reply(ControlReply(error: central.map { "\($0) is not connected" } ?? "no central is connected"))
            }
            var answer = ControlReply()
            answer.disconnected = addresses
            reply(answer)
        }
    }

    var notReady: String {
        manager == nil ? "Bluetooth is not ready yet" : "Bluetooth is not on"
    }

    func notPublished(_ service: SimulatedService) -> String {
        guard manager?.state == .poweredOn else { return notReady }
        return "the service \(service.profile.name) is "
            + (service.publication == .pending ? "not published yet" : "withdrawn")
    }
}
