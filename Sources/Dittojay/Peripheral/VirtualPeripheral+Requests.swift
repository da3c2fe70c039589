import CoreBluetooth
import Synchronization

/// How requests are answered, or not.
extension VirtualPeripheral {
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard let simulated = services.characteristic(for: request.characteristic) else {
            return peripheral.respond(to: request, withResult: .attributeNotFound)
        }
        let central = note(request.central)
        // The parts of a long value are one read.
        let fault = request.offset == 0 ? simulated.faults.hit(.read) : nil
        answer(request, from: central, of: simulated, on: .read, fault) { [weak self] in
            self?.answerRead(request, from: central, of: simulated)
        }
    }

    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        // One characteristic at a time: a reliable write to several is refused, as nothing here can undo.
        guard let simulated = services.characteristic(for: first.characteristic),
            requests.allSatisfy({ $0.characteristic === first.characteristic })
        else { return peripheral.respond(to: first, withResult: .requestNotSupported) }
        let central = note(first.central)
        answer(first, from: central, of: simulated, on: .write, simulated.faults.hit(.write)) { [weak self] in
            self?.answerWrite(requests, first, from: central, of: simulated)
        }
    }

    // MARK: In order

    private func answerRead(
        _ request: CBATTRequest, from central: PeripheralEvent.Central, of simulated: SimulatedCharacteristic
    ) {
        do throws(CBATTError) {
            let value = try simulated.read()
            guard request.offset <= value.count else { throw CBATTError(.invalidOffset) }
            request.value = request.offset == 0 ? value : value.dropFirst(request.offset)
            manager?.respond(to: request, withResult: .success)
            reads += 1
            guard request.offset == 0 else { return }
            if !simulated.profile.isQuiet {
                tell(.read) { event in
                    event.name(simulated)
                    event.central = central
                    event.value = value
                }
            }
            occurred(.read, to: simulated)
        } catch {
            manager?.respond(to: request, withResult: error.code)
            tell(.read) { event in
                event.name(simulated)
                event.central = central
                event.attError = error.code.rawValue
            }
        }
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
            writes += 1
        } catch {
            refusal = error
        }
        manager?.respond(to: first, withResult: refusal?.code ?? .success)
        if refusal != nil || !simulated.profile.isQuiet {
            tell(.written) { event in
                event.name(simulated)
                event.central = central
                event.value = refusal == nil ? value : first.value
                event.attError = refusal?.code.rawValue
            }
        }
        guard refusal == nil else { return }
        occurred(.written, to: simulated)
        if !reaction.isEmpty { play(reaction) {} }
    }

    // MARK: Wrong on purpose

    /// Answers a request in order, by calling `normally`, unless something is to go wrong with it.
    private func answer(
        _ request: CBATTRequest, from central: PeripheralEvent.Central, of simulated: SimulatedCharacteristic,
        on trigger: Fault.Trigger, _ fault: Fault.Action?, normally: @escaping () -> Void
    ) {
        guard let fault else { return normally() }
        tell(.fault) { event in
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
        case .noAnswer: unanswered[central.address, default: []].append(request)
        case .error(let code): manager?.respond(to: request, withResult: CBATTError(attError: code).code)
        case .disconnect:
            unanswered[central.address, default: []].append(request)
            disconnect(address: central.address)
        case .delay(let seconds):
            let work = DispatchWorkItem { [weak self] in
                guard let self else { return }
                // If the service is gone, the central has bluetoothd's answer, and a write must not count.
                guard services.characteristic(for: request.characteristic) != nil else {
                    manager?.respond(to: request, withResult: .attributeNotFound)
                    return
                }
                normally()
            }
            queue.asyncAfter(deadline: .now() + seconds, execute: work)
        case .flood, .drop: normally()
        }
    }

    /// A subscription, or a value on its way, has met a fault.
    func sendingWentWrong(_ simulated: SimulatedCharacteristic, _ action: Fault.Action) {
        tell(.fault) { event in
            event.name(simulated)
            event.message = "\(action)"
        }
        guard action == .disconnect else { return }
        for central in simulated.subscribers { disconnect(address: known(central).address) }
    }

    private func disconnect(address: String) {
        guard isDisconnecting.insert(address).inserted else { return }
        endLinks(address) { [self] _ in isDisconnecting.remove(address) }
    }

    /// Ends the connections of all centrals, or of one, and tells the addresses of those that were connected.
    ///
    /// When a link ends while bluetoothd 5.66 waits for the answer to a request of it, it uses memory that it has
    /// freed, and may die of it (seen: 5 s after the request, when it stops waiting). So requests that were to get no
    /// answer get one after all, right after bluetoothd has been asked to end the link: too late to reach the central.
    func endLinks(_ address: String? = nil, _ done: @escaping ([String]) -> Void) {
        guard let custodian else { return done([]) }
        let waiting = WaitingRequests(address.map { unanswered.removeValue(forKey: $0) ?? [] } ?? takeUnanswered())
        // Both closures go to the bus's actor and back, and are called on this queue only.
        nonisolated(unsafe) let done = done
        Task { [queue] in
            let addresses = await custodian.disconnectCentrals(address: address) { waiting.answer() }
            queue.async {
                waiting.answer()
                done(addresses)
            }
        }
    }

    private func takeUnanswered() -> [CBATTRequest] {
        defer { unanswered = [:] }
        return Array(unanswered.values.joined())
    }
}

/// Requests without an answer. Whoever releases one answers it, with an error.
private final class WaitingRequests: Swift.Sendable {
    private let requests: Mutex<[CBATTRequest]>

    init(_ requests: sending [CBATTRequest]) {
        self.requests = Mutex(requests)
    }

    func answer() {
        requests.withLock { $0 = [] }
    }
}
