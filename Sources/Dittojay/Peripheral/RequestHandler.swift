import CoreBluetooth
import LineOutput
import MainLoop
import PlainText

/// Answers the requests of centrals (reads, writes and subscriptions), or lets them go wrong on purpose. Used on the
/// peripheral's queue only.
final class RequestHandler {
    private let services: SimulatedServices
    private let links: CentralLinks
    private let unanswered: UnansweredRequests
    private let scenario: ScenarioPlayer
    private let events: EventOutput
    private var server: (any GATTServer)?

    /// How many silences there are at the moment, and the requests that wait for their end.
    private var silences = 0
    private(set) var held: [PostponedAnswer] = []
    private static let heldLimit = 1000

    /// Long values that a device has given, to be handed on in parts.
    private var longReads = LongReads()

    /// How many reads were answered.
    private(set) var readCount: UInt64 = 0
    /// How many writes were accepted.
    private(set) var writeCount: UInt64 = 0

    init(
        services: SimulatedServices, links: CentralLinks, unanswered: UnansweredRequests, scenario: ScenarioPlayer,
        events: EventOutput
    ) {
        self.services = services
        self.links = links
        self.unanswered = unanswered
        self.scenario = scenario
        self.events = events
        services.onFault = { [weak self] characteristic, action in self?.sendingWentWrong(characteristic, action) }
        services.onMessage = { [events] characteristic, value in
            events.report(.sent) { event in
                event.name(characteristic)
                event.value = value
                event.message = characteristic.audience
            }
        }
    }

    /// Has answers go here; nowhere if nil.
    func use(_ server: (any GATTServer)?) {
        self.server = server
    }

    // MARK: Requests

    func read(_ request: CBATTRequest) {
        guard let simulated = services.characteristic(for: request.characteristic) else {
            server?.respond(to: request, withResult: .attributeNotFound)
            return
        }
        let central = links.note(request.central)
        if request.offset > 0, let value = longReads.value(of: simulated.path, for: central.address) {
            return answer(request, from: central, of: simulated, on: .read, nil) { [weak self] in
                self?.respond(to: request, with: value)
            }
        }
        // The parts of a long value are one read.
        let fault = request.offset == 0 ? simulated.hit(.read) : nil
        var size: Int?
        if case .resize(let bytes) = fault { size = bytes }
        answer(request, from: central, of: simulated, on: .read, fault) { [weak self] in
            self?.answerRead(request, from: central, of: simulated, resizedTo: size)
        }
    }

    func write(_ requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        // One characteristic at a time: a reliable write to several is refused, as nothing here can undo.
        guard let simulated = services.characteristic(for: first.characteristic),
            requests.allSatisfy({ $0.characteristic === first.characteristic })
        else {
            server?.respond(to: first, withResult: .requestNotSupported)
            return
        }
        let central = links.note(first.central)
        answer(first, from: central, of: simulated, on: .write, simulated.hit(.write)) { [weak self] in
            self?.answerWrite(requests, first, from: central, of: simulated)
        }
    }

    func subscribed(_ central: CBCentral, to characteristic: CBCharacteristic) {
        guard let simulated = services.characteristic(for: characteristic) else { return }
        subscriptionsChanged(of: simulated, .subscribed, .subscribed, by: links.note(central))
    }

    func unsubscribed(_ central: CBCentral, from characteristic: CBCharacteristic) {
        guard let simulated = services.characteristic(for: characteristic) else { return }
        subscriptionsChanged(of: simulated, .unsubscribed, .unsubscribed, by: PeripheralEvent.Central(central))
    }

    private func subscriptionsChanged(
        of simulated: SimulatedCharacteristic, _ kind: PeripheralEvent.Kind, _ occasion: ScenarioStep.Occasion,
        by central: PeripheralEvent.Central
    ) {
        let report = { [weak self] (answer: Answer?) in
            guard let self else { return }
            events.report(kind) { event in
                event.name(simulated)
                event.central = central
                if let answer { event.note(answer) }
            }
            if services.source == nil { simulated.subscriptionsChanged() }
            scenario.occurred(Occurrence(occasion, to: simulated.path))
        }
        guard let source = services.source else { return report(nil) }
        simulated.subscriptionsChanged()
        if simulated.subscribers.isEmpty { return endSubscription(of: simulated, at: source, report) }
        source.setNotifying(true, of: simulated.path, report)
    }

    /// Turns a device's notifications off when the last subscriber has left. CoreBluetooth reports one of the others,
    /// if there are any, in place of the one that has disconnected, a moment later: the device must not notice.
    private func endSubscription(
        of simulated: SimulatedCharacteristic, at source: any AnswerSource, _ report: @escaping (Answer?) -> Void
    ) {
        let path = simulated.path
        guard links.connected.count > 1 else { return source.setNotifying(false, of: path, report) }
        services.clock.after(Self.successionTime) { [weak simulated, weak source] in
            guard let simulated, let source, simulated.subscribers.isEmpty else { return report(nil) }
            source.setNotifying(false, of: path, report)
        }
    }

    /// How long CoreBluetooth may take to report another subscriber: twice what it waits itself.
    private static let successionTime = 0.2

    /// Passes a value on that a device has sent.
    func notified(_ value: Data, by path: CharacteristicPath) {
        guard let simulated = services.characteristic(at: path), simulated.service.isPublished else { return }
        let sent = simulated.replacements.notified ?? value
        let room = simulated.maximumNotificationLength
        let isTaken = simulated.sendOrWait(sent)
        events.report(.notified) { event in
            event.name(simulated)
            event.value = sent
            if simulated.replacements.notified != nil { event.original = value }
            if !isTaken {
                event.message =
                    "lost: too many values are queued for the link (limit \(SimulatedCharacteristic.deviceWaitingLimit))"
            } else if sent.count > room, !simulated.subscribers.isEmpty {
                event.message = "truncated to \(room) bytes, the limit at the subscriber's MTU"
            }
        }
    }

    // MARK: In order

    private func answerRead(
        _ request: CBATTRequest, from central: PeripheralEvent.Central, of simulated: SimulatedCharacteristic,
        resizedTo size: Int?
    ) {
        simulated.read { [weak self] answer in
            self?.finishRead(request, from: central, of: simulated, resizedTo: size, answer)
        }
    }

    private func finishRead(
        _ request: CBATTRequest, from central: PeripheralEvent.Central, of simulated: SimulatedCharacteristic,
        resizedTo size: Int?, _ answer: Answer
    ) {
        let refusal: CBATTError
        switch answer.outcome {
        case .value(let read):
            let value = size.map(read.resized) ?? read
            if services.source != nil, request.offset == 0 {
                longReads.note(value, of: simulated.path, for: central)
            }
            guard request.offset <= value.count else {
                refusal = CBATTError(.invalidOffset)
                break
            }
            respond(to: request, with: value)
            guard request.offset == 0 else { return }
            if !simulated.profile.isQuiet {
                events.report(.read) { event in
                    event.name(simulated)
                    event.central = central
                    event.note(answer)
                    event.value = value
                }
            }
            return scenario.occurred(Occurrence(.read, to: simulated.path, value: value))
        case .refused(let error): refusal = error
        case .lost: return lost(request, .read, from: central, of: simulated, answer)
        }
        server?.respond(to: request, withResult: refusal.code)
        events.report(.read) { event in
            event.name(simulated)
            event.central = central
            event.note(answer)
            event.value = nil
            event.attError = refusal.code.rawValue
        }
        refused(.read, simulated, nil, refusal)
    }

    /// Answers a read with the rest of a value.
    private func respond(to request: CBATTRequest, with value: Data) {
        guard request.offset <= value.count else {
            server?.respond(to: request, withResult: .invalidOffset)
            return
        }
        request.value = request.offset == 0 ? value : value.dropFirst(request.offset)
        server?.respond(to: request, withResult: .success)
        readCount += 1
    }

    /// The device that was asked has disconnected: the request is answered when the central's link is being ended.
    private func lost(
        _ request: CBATTRequest, _ kind: PeripheralEvent.Kind, from central: PeripheralEvent.Central,
        of simulated: SimulatedCharacteristic, _ answer: Answer
    ) {
        unanswered.hold(request, from: central.address)
        events.report(kind) { event in
            event.name(simulated)
            event.central = central
            event.note(answer)
            event.value = request.value
            event.message = "not answered: the link to the device was lost"
        }
    }

    private func refused(
        _ occasion: ScenarioStep.Occasion, _ simulated: SimulatedCharacteristic, _ value: Data?, _ error: CBATTError
    ) {
        let code = UInt8(truncatingIfNeeded: error.code.rawValue)
        scenario.occurred(Occurrence(occasion, to: simulated.path, value: value, attError: code))
    }

    private func answerWrite(
        _ requests: [CBATTRequest], _ first: CBATTRequest, from central: PeripheralEvent.Central,
        of simulated: SimulatedCharacteristic
    ) {
        do throws(CBATTError) {
            let value = try WriteAssembly.value(
                after: requests.lazy.map { ($0.offset, $0.value ?? Data()) }, on: simulated.valueBeforeWrite)
            simulated.write(value, wantsResponse: first.wantsResponse) { [weak self] answer in
                self?.finishWrite(first, from: central, of: simulated, answer)
            }
        } catch {
            finishWrite(first, from: central, of: simulated, Answer(.refused(error)))
        }
    }

    private func finishWrite(
        _ first: CBATTRequest, from central: PeripheralEvent.Central, of simulated: SimulatedCharacteristic,
        _ answer: Answer
    ) {
        if case .lost = answer.outcome { return lost(first, .written, from: central, of: simulated, answer) }
        let refusal = answer.refusal
        if refusal == nil { writeCount += 1 }
        server?.respond(to: first, withResult: refusal?.code ?? .success)
        if refusal != nil || !simulated.profile.isQuiet {
            events.report(.written) { event in
                event.name(simulated)
                event.central = central
                event.note(answer)
                if refusal != nil { event.value = first.value }
                event.attError = refusal?.code.rawValue
            }
        }
        if let refusal { return refused(.written, simulated, first.value, refusal) }
        if case .value(let value) = answer.outcome {
            scenario.occurred(Occurrence(.written, to: simulated.path, value: answer.original ?? value))
        }
        if !answer.reaction.isEmpty { scenario.play(answer.reaction) {} }
        simulated.service.sendMessages()
    }

    // MARK: Wrong on purpose

    /// Answers a request, unless something is to go wrong with it.
    private func answer(
        _ request: CBATTRequest, from central: PeripheralEvent.Central, of simulated: SimulatedCharacteristic,
        on trigger: Fault.Trigger, _ fault: Fault.Action?, normally: @escaping () -> Void
    ) {
        guard !services.isSilent else {
            return hold(from: central) { [weak self] in
                self?.answer(request, from: central, of: simulated, on: trigger, fault, normally: normally)
            }
        }
        guard let fault else { return normally() }
        events.report(.fault) { event in
            event.name(simulated)
            event.central = central
            event.value = request.value
            event.message = "\(fault) to a \(trigger.rawValue)"
            if case .error(let code) = fault {
                event.attError = Int(code)
                event.message = nil
            }
        }
        switch fault {
        case .noAnswer: unanswered.hold(request, from: central.address)
        case .error(let code):
            server?.respond(to: request, withResult: CBATTError(attError: code).code)
            let occasion: ScenarioStep.Occasion = trigger == .read ? .read : .written
            scenario.occurred(Occurrence(occasion, to: simulated.path, value: request.value, attError: code))
        case .disconnect:
            unanswered.hold(request, from: central.address)
            links.drop(central.address)
        case .delay(let seconds):
            let postponed = unanswered.postpone(from: central.address) { [weak self] in
                guard let self else { return }
                // If the service was removed, bluetoothd has answered the central, and a write must not count.
                guard services.characteristic(for: request.characteristic) != nil else {
                    server?.respond(to: request, withResult: .attributeNotFound)
                    return
                }
                normally()
            }
            services.clock.after(seconds) { postponed.give() }
        case .flood, .drop, .duplicate, .resize: normally()
        }
    }

    /// Stops sending and leaves requests pending for this many seconds.
    func beSilent(for seconds: Double) {
        silences += 1
        services.isSilent = true
        events.report(.fault) { $0.message = "silence for \(Duration.text(seconds: seconds))" }
        services.clock.after(seconds) { [weak self] in
            guard let self else { return }
            silences -= 1
            if silences == 0 { speak() }
        }
    }

    private func speak() {
        services.isSilent = false
        let waiting = held
        held = []
        for answer in waiting { answer.give() }
        services.sendWaiting()
    }

    /// Keeps a request until the silence ends. bluetoothd has one from each central at most.
    private func hold(from central: PeripheralEvent.Central, _ answer: @escaping () -> Void) {
        guard held.count < Self.heldLimit else { return }
        held.append(unanswered.postpone(from: central.address, answer))
    }

    /// A subscription, or a value on its way, has met a fault.
    private func sendingWentWrong(_ simulated: SimulatedCharacteristic, _ action: Fault.Action) {
        events.report(.fault) { event in
            event.name(simulated)
            event.message = "\(action)"
        }
        guard action == .disconnect else { return }
        for central in simulated.subscribers { links.drop(PeripheralEvent.Central(central).address) }
    }
}
