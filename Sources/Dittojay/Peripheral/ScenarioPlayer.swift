import CoreBluetooth
import LineOutput
import MainLoop

/// Plays lists of steps at the same time: the profile's scenario, and the reactions to writes. Used on the
/// peripheral's queue only.
final class ScenarioPlayer {
    /// How many lists of steps are played at a time. A central can write faster than reactions end.
    static let maximumCount = 256

    /// Carries out a command for a step.
    typealias Performer = (_ request: ControlRequest, _ reply: @escaping (ControlReply) -> Void) -> Void

    /// Carries out the steps that are commands; by default nothing is done for them.
    var performCommand: Performer = { _, reply in reply(ControlReply()) }

    private let services: SimulatedServices
    private let links: CentralLinks
    private let events: EventOutput
    /// In the order in which they began.
    private var runners: [StepRunner] = []
    private var isStopped = false
    /// The scenario that expects something, while it is played.
    private var test: ScenarioTest?

    init(services: SimulatedServices, links: CentralLinks, events: EventOutput) {
        self.services = services
        self.links = links
        self.events = events
    }

    /// How many lists of steps are being played.
    var count: Int { runners.count }

    /// Plays steps, beside those that are being played already.
    ///
    /// - Parameter onEnd: called once when they have been played, or at once if too much is being played already.
    func play(_ steps: [ScenarioStep], onEnd: @escaping () -> Void) {
        start(steps, perform: { $0.perform($1, $2) }, onEnd: onEnd)
    }

    /// Plays the steps of a scenario that expects something.
    ///
    /// - Parameter onEnd: called once when they have been played, or an expectation was not met.
    func play(_ test: ScenarioTest, onEnd: @escaping () -> Void) {
        self.test = test
        start(
            test.steps,
            perform: { player, step, completion in
                guard case .expect(let expectation) = step else { return player.perform(step, completion) }
                let isCase = { (event: ScenarioExpectation.Event) in player.isCaseAlready(event) }
                test.expect(expectation, isCase: isCase) { isMet in if isMet { completion() } else { onEnd() } }
            }, onEnd: onEnd)
    }

    private func start(
        _ steps: [ScenarioStep],
        perform: @escaping (ScenarioPlayer, ScenarioStep, @escaping () -> Void) -> Void, onEnd: @escaping () -> Void
    ) {
        guard !isStopped else { return }
        guard runners.count < Self.maximumCount else {
            events.report(
                failure:
                    "scenario: too many lists of steps at once (limit \(Self.maximumCount)): the steps that follow from "
                    + "this one are left out")
            return onEnd()
        }
        weak var ended: StepRunner?
        let runner = StepRunner(
            steps, clock: services.clock, isCase: { [weak self] in self?.isCaseAlready($0) ?? false },
            perform: { [weak self] step, completion in
                if let self { perform(self, step, completion) }
            },
            onEnd: { [weak self] in
                self?.runners.removeAll { $0 === ended }
                onEnd()
            })
        ended = runner
        runners.append(runner)
        runner.start()
    }

    /// Ends everything that is being played, and plays nothing more.
    func stop() {
        isStopped = true
        for runner in runners { runner.cancel() }
        runners = []
        test = nil
    }

    /// Something has happened that a step may wait for, or expect.
    func occurred(_ occurrence: Occurrence) {
        test?.occurred(occurrence)
        for runner in runners { runner.occurred(occurrence) }
    }

    // MARK: Steps

    private func perform(_ step: ScenarioStep, _ completion: @escaping () -> Void) {
        switch step {
        case .wait, .waitFor, .repeat: completion()
        case .expect:
            // Files cannot have it here.
            events.report(
                failure: "scenario: expect and expect-not are valid only in a scenario, not in the reaction to a write")
            completion()
        case .send(let path, let values, let interval):
            guard let characteristic = services.characteristic(at: path) else { return completion() }
            send(values[...], on: characteristic, interval: interval, completion)
        case .set(let path, let value):
            services.characteristic(at: path)?.set(Data(value))
            completion()
        case .resetCount(let path):
            services.characteristic(at: path)?.resetWriteCount()
            completion()
        case .resetEnergy(let path):
            services.characteristic(at: path)?.heart?.resetEnergy()
            completion()
        case .fault(let path, let fault):
            if let characteristic = services.characteristic(at: path), !services.add(fault, to: characteristic) {
                events.report(failure: "scenario: " + SimulatedServices.tooManyFaults)
            }
            completion()
        case .clearFaults(let path): command(.clearFaults(characteristic: path?.description), completion)
        case .chirp(let value): command(.chirp(value), completion)
        case .burst(let count, let size, let rate):
            command(.burst(count: count, size: size, rate: rate), completion)
        case .addService(let name): command(.addService(name), completion)
        case .removeService(let name): command(.removeService(name), completion)
        case .advertise(let isOn): command(.advertise(isOn), completion)
        case .silence(let seconds): command(.silence(seconds), completion)
        case .power(let isOn): command(.power(isOn), completion)
        case .disconnect: command(.disconnect(central: nil), completion)
        case .quit: command(.quit, completion)
        }
    }

    /// Does what a command does. A failure is reported, and the scenario goes on.
    private func command(_ request: ControlRequest, _ completion: @escaping () -> Void) {
        performCommand(request) { [weak self] reply in
            if let error = reply.error { self?.events.report(failure: "scenario: \(error)") }
            completion()
        }
    }

    private func isCaseAlready(_ event: ScenarioExpectation.Event) -> Bool {
        switch event.occasion {
        case .connected: !links.connected.isEmpty
        case .subscribed:
            services.characteristics.contains { characteristic in
                !characteristic.subscribers.isEmpty
                    && (event.characteristic == nil || characteristic.path == event.characteristic)
            }
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
            reportSent(value, on: characteristic)
            if interval > 0, !rest.isEmpty {
                return later(interval) { $0.send(rest, on: characteristic, interval: interval, completion) }
            }
        }
        completion()
    }

    private func reportSent(_ value: Data, on characteristic: SimulatedCharacteristic) {
        let room = characteristic.maximumNotificationLength
        if value.count > room, characteristic.profile.pieceSizes == nil, !characteristic.subscribers.isEmpty {
            events.report(
                failure: "scenario: a value of \(value.count) bytes for \(characteristic.path) is truncated to the "
                    + "\(room) that fit in a notification at the subscriber's MTU; \"split\" sends it in pieces")
        }
        events.report(.sent) { event in
            event.name(characteristic)
            event.value = value
            event.message = characteristic.audience
        }
    }

    private func later(_ seconds: Double, _ body: @escaping (ScenarioPlayer) -> Void) {
        services.clock.after(seconds) { [weak self] in
            if let self, !isStopped { body(self) }
        }
    }
}
