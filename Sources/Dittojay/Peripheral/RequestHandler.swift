import CoreBluetooth
import LineOutput

/// Answers the requests of centrals (reads, writes and subscriptions), or lets them go wrong on purpose. Used on the
/// peripheral's queue only.
final class RequestHandler {
    private let queue: DispatchQueue
    private let services: SimulatedServices
    private let links: CentralLinks
    private let unanswered: UnansweredRequests
    private let scenario: ScenarioPlayer
    private let events: EventOutput
    private var server: (any GATTServer)?

    /// How many silences there are at the moment, and the requests that wait for their end.
    private var silences = 0
    private var held: [() -> Void] = []
    private static let heldLimit = 1000

    /// How many reads were answered.
    private(set) var readCount: UInt64 = 0
    /// How many writes were accepted.
    private(set) var writeCount: UInt64 = 0

    init(
        queue: DispatchQueue, services: SimulatedServices, links: CentralLinks, unanswered: UnansweredRequests,
        scenario: ScenarioPlayer, events: EventOutput
    ) {
        self.queue = queue
        self.services = services
        self.links = links
        self.unanswered = unanswered
        self.scenario = scenario
        self.events = events
        for characteristic in services.characteristics {
            characteristic.onFault = { [weak self, weak characteristic] action in
                if let self, let characteristic { sendingWentWrong(characteristic, action) }
            }
        }
        for service in services.all {
            service.onMessage = { [events] characteristic, value in
                events.report(.sent) { event in
                    event.name(characteristic)
                    event.value = value
                    event.message = characteristic.audience
                }
            }
        }
    }

    /// From now on answers go here; nowhere if nil.
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
        events.report(kind) { event in
            event.name(simulated)
            event.central = central
        }
        simulated.subscriptionsChanged()
        scenario.occurred(Occurrence(occasion, to: simulated.path))
    }

    // MARK: In order

    private func answerRead(
        _ request: CBATTRequest, from central: PeripheralEvent.Central, of simulated: SimulatedCharacteristic,
        resizedTo size: Int?
    ) {
        do throws(CBATTError) {
            var value = try simulated.read()
            if let size { value = value.resized(to: size) }
            guard request.offset <= value.count else { throw CBATTError(.invalidOffset) }
            request.value = request.offset == 0 ? value : value.dropFirst(request.offset)
            server?.respond(to: request, withResult: .success)
            readCount += 1
            guard request.offset == 0 else { return }
            if !simulated.profile.isQuiet {
                events.report(.read) { event in
                    event.name(simulated)
                    event.central = central
                    event.value = value
                }
            }
            scenario.occurred(Occurrence(.read, to: simulated.path, value: value))
        } catch {
            server?.respond(to: request, withResult: error.code)
            events.report(.read) { event in
                event.name(simulated)
                event.central = central
                event.attError = error.code.rawValue
            }
            refused(.read, simulated, nil, error)
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
        var value = Data()
        var reaction: [ScenarioStep] = []
        var refusal: CBATTError?
        do throws(CBATTError) {
            value = try WriteAssembly.value(
                after: requests.lazy.map { ($0.offset, $0.value ?? Data()) }, on: simulated.valueBeforeWrite)
            reaction = try simulated.write(value)
            writeCount += 1
        } catch {
            refusal = error
        }
        server?.respond(to: first, withResult: refusal?.code ?? .success)
        if refusal != nil || !simulated.profile.isQuiet {
            events.report(.written) { event in
                event.name(simulated)
                event.central = central
                event.value = refusal == nil ? value : first.value
                event.attError = refusal?.code.rawValue
            }
        }
        if let refusal { return refused(.written, simulated, first.value, refusal) }
        scenario.occurred(Occurrence(.written, to: simulated.path, value: value))
        if !reaction.isEmpty { scenario.play(reaction) {} }
        simulated.service.sendMessages()
    }

    // MARK: Wrong on purpose

    /// Answers a request, unless something is to go wrong with it.
    private func answer(
        _ request: CBATTRequest, from central: PeripheralEvent.Central, of simulated: SimulatedCharacteristic,
        on trigger: Fault.Trigger, _ fault: Fault.Action?, normally: @escaping () -> Void
    ) {
        guard !services.isSilent else {
            return hold { [weak self] in
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
            let work = DispatchWorkItem { [weak self] in
                guard let self else { return }
                // If the service was removed, bluetoothd has answered the central, and a write must not count.
                guard services.characteristic(for: request.characteristic) != nil else {
                    server?.respond(to: request, withResult: .attributeNotFound)
                    return
                }
                normally()
            }
            queue.asyncAfter(deadline: .now() + seconds, execute: work)
        case .flood, .drop, .duplicate, .resize: normally()
        }
    }

    /// From now on nothing is sent, and requests wait for their answers, for this many seconds.
    func beSilent(for seconds: Double) {
        silences += 1
        services.isSilent = true
        events.report(.fault) { $0.message = "silence for \(Duration.text(seconds: seconds))" }
        queue.asyncAfter(
            deadline: .now() + seconds,
            execute: DispatchWorkItem { [weak self] in
                guard let self else { return }
                silences -= 1
                if silences == 0 { speak() }
            })
    }

    private func speak() {
        services.isSilent = false
        let waiting = held
        held = []
        for answer in waiting { answer() }
        services.sendWaiting()
    }

    /// Keeps a request until the silence ends. bluetoothd has one from each central at most.
    private func hold(_ answer: @escaping () -> Void) {
        if held.count < Self.heldLimit { held.append(answer) }
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
