import CoreBluetooth
import LineOutput

/// A step that waits until something happens.
struct AwaitedOccasion {
    let occasion: ScenarioStep.Occasion
    let path: CharacteristicPath?
    let completion: () -> Void
}

/// Scenarios and reactions: steps that the peripheral plays by itself.
extension VirtualPeripheral {
    /// How many lists of steps are played at a time. A central can write faster than reactions end.
    static let maximumPlays = 256

    /// Plays steps, beside those that are being played already.
    func play(_ steps: [ScenarioStep], onEnd: @escaping () -> Void) {
        guard isRunning else { return }
        guard runners.count < Self.maximumPlays else {
            tell(.failed) { event in
                event.message =
                    "scenario: \(Self.maximumPlays) lists of steps are being played already: what follows from this one is "
                    + "left out"
            }
            return onEnd()
        }
        var key: ObjectIdentifier?
        let runner = StepRunner(
            steps, queue: queue,
            perform: { [weak self] step, completion in self?.perform(step, completion) },
            onEnd: { [weak self] in
                if let key { self?.runners[key] = nil }
                onEnd()
            })
        key = ObjectIdentifier(runner)
        runners[ObjectIdentifier(runner)] = runner
        runner.start()
    }

    /// Something has happened that a step may wait for.
    func occurred(_ occasion: ScenarioStep.Occasion, to characteristic: SimulatedCharacteristic? = nil) {
        guard !awaited.isEmpty else { return }
        let isMeant = { (awaited: AwaitedOccasion) in
            awaited.occasion == occasion && (awaited.path == nil || awaited.path == characteristic?.path)
        }
        let ready = awaited.filter(isMeant)
        awaited.removeAll(where: isMeant)
        for awaited in ready { awaited.completion() }
    }

    private func perform(_ step: ScenarioStep, _ completion: @escaping () -> Void) {
        switch step {
        case .wait, .repeat: completion()
        case .waitFor(let occasion, let path):
            if isCaseAlready(occasion, path) { return completion() }
            awaited.append(AwaitedOccasion(occasion: occasion, path: path, completion: completion))
        case .send(let path, let values, let interval):
            guard let characteristic = services.characteristic(at: path) else { return completion() }
            send(values[...], on: characteristic, interval: interval, completion)
        case .set(let path, let value):
            services.characteristic(at: path)?.set(Data(value))
            completion()
        case .resetCount(let path):
            services.characteristic(at: path)?.writeCount = .init()
            completion()
        case .resetEnergy(let path):
            services.characteristic(at: path)?.heart?.resetEnergy()
            completion()
        case .fault(let path, let fault):
            if let characteristic = services.characteristic(at: path),
                let error = add(fault, to: characteristic).error
            {
                tell(.failed) { $0.message = "scenario: \(error)" }
            }
            completion()
        case .clearFaults(let path):
            perform(.clearFaults(characteristic: path?.description), step, completion)
        case .chirp(let value): perform(.chirp(value), step, completion)
        case .burst(let count, let size, let rate):
            perform(.burst(count: count, size: size, rate: rate), step, completion)
        case .addService(let name): perform(.addService(name), step, completion)
        case .removeService(let name): perform(.removeService(name), step, completion)
        case .disconnect: perform(.disconnect(central: nil), step, completion)
        case .quit: perform(.quit, step, completion)
        }
    }

    /// Does what a command does; a failure is told, and the scenario goes on.
    private func perform(_ request: ControlRequest, _ step: ScenarioStep, _ completion: @escaping () -> Void) {
        perform(request) { [weak self] reply in
            if let error = reply.error { self?.tell(.failed) { $0.message = "scenario: \(error)" } }
            completion()
        }
    }

    private func isCaseAlready(_ occasion: ScenarioStep.Occasion, _ path: CharacteristicPath?) -> Bool {
        switch occasion {
        case .connected: !centrals.isEmpty
        case .subscribed:
            services.characteristics.contains { !$0.subscribers.isEmpty && (path == nil || $0.path == path) }
        case .disconnected, .unsubscribed, .read, .written: false
        }
    }

    /// Sends the values one after another. What there is no room for is tried again.
    private func send(
        _ values: ArraySlice<[UInt8]>, on characteristic: SimulatedCharacteristic, interval: Double,
        _ completion: @escaping () -> Void
    ) {
        var rest = values
        while let bytes = rest.first {
            let value = Data(bytes)
            guard characteristic.sendOrWait(value) else {
                return later(0.01) { $0.send(rest, on: characteristic, interval: interval, completion) }
            }
            rest.removeFirst()
            let room = characteristic.maximumNotificationLength
            if value.count > room, characteristic.profile.pieceSizes == nil, !characteristic.subscribers.isEmpty {
                tell(.failed) { event in
                    event.message =
                        "scenario: a value of \(value.count) bytes for \(characteristic.path) is cut off after the \(room) that "
                        + "fit into a notification at the subscriber's MTU; \"split\" sends it in pieces"
                }
            }
            tell(.sent) { event in
                event.name(characteristic)
                event.value = value
                let count = characteristic.subscribers.count
                event.message = count == 0 ? "nobody has subscribed" : "to \(counted(count, "subscriber"))"
            }
            if interval > 0, !rest.isEmpty {
                return later(interval) { $0.send(rest, on: characteristic, interval: interval, completion) }
            }
        }
        completion()
    }

    private func later(_ seconds: Double, _ body: @escaping (VirtualPeripheral) -> Void) {
        let work = DispatchWorkItem { [weak self] in
            if let self, isRunning { body(self) }
        }
        queue.asyncAfter(deadline: .now() + seconds, execute: work)
    }
}
