import BlueZ
import DBus
import LayerLog
import MainLoop

/// A request to a device that bluetoothd was asked to make, until there is an answer that can be believed.
///
/// It is made again for as long as bluetoothd is busy, once when the device is paired because of it, and when the
/// device's services have changed; it fails when that pairing fails (``PairingWatch``); and what bluetoothd answers is
/// doubted where the device may not have said it.
///
/// When the link ends, or 30 seconds have passed without an answer, bluetoothd completes the open request with the ATT
/// error 0, which means success on its way to the bus: a read has an empty value then, and a write and a subscription
/// succeed (`disc_att_send_op` in src/shared/att.c, `process_error` in src/shared/gatt-client.c and
/// `async_dbus_op_reply` in src/gatt-client.c, 5.66); other ways end with 0x0E or "Operation failed". After the 30
/// seconds it ends the link, some seconds later.
///
/// What waits for the answer keeps the request, and the request keeps the link.
@LoopActor
final class PendingRequest<Value: Swift.Sendable> {
    typealias Ask = @LoopActor (@escaping Completion<Value>) -> Void

    private let link: PeripheralLink
    private let path: ObjectPath
    private let ask: Ask
    /// Nil once it was called.
    private var completion: Completion<Value>?
    /// When bluetoothd was asked last.
    private var start = ContinuousClock.now
    private let wasPairedBefore: Bool?
    private var wasPaired = false
    private var attemptsLeft = RequestTiming.maximumAttempts
    /// Until when changes of the services are waited for; nil as long as the device has not said that there are any.
    private var changeDeadline: ContinuousClock.Instant?
    private var retries: RetryLog?

    /// Makes a request.
    ///
    /// - Parameter path: of the attribute that it is about.
    /// - Parameter ask: asks bluetoothd; it may run several times.
    /// - Parameter completion: called once with the answer.
    static func make(
        on link: PeripheralLink, of path: ObjectPath, _ ask: @escaping Ask, completion: @escaping Completion<Value>
    ) {
        let request = PendingRequest(link, path, ask, completion)
        link.pairingWatch.requestBegins(request.pairingFailed)
        request.attempt()
    }

    private init(
        _ link: PeripheralLink, _ path: ObjectPath, _ ask: @escaping Ask, _ completion: @escaping Completion<Value>
    ) {
        self.link = link
        self.path = path
        self.ask = ask
        self.completion = completion
        wasPairedBefore = link.device?.isPaired
    }

    private func attempt() {
        attemptsLeft -= 1
        start = .now
        wasPaired = link.device?.isPaired ?? false
        ask(answered)
    }

    private func answered(_ result: Result<Value, any Error>) {
        guard link.phase == .connected, attemptsLeft > 0, case .failure(let error as BlueZError) = result else {
            return settle(result)
        }
        switch error {
        case .inProgress:
            noteRetry(error)
            link.busyTimer = .timer(after: RequestTiming.busyPause) { [self] in attempt() }
        // What needs encryption makes bluetoothd pair, but 5.82 may ask the device again before that is done, and then
        // answers with the device's second refusal.
        case .att(ATT.insufficientAuthentication) where !wasPaired:
            noteRetry(error)
            attemptAfterPairing(until: .now + RequestTiming.pairingTimeout, otherwise: result)
        // Or it asks again while the socket waits for encryption and takes nothing, and then says this, which the
        // device has not (5.82, 5.87).
        case .att(ATT.unlikelyError) where !wasPaired:
            noteRetry(error)
            attemptAfterPairing(until: .now + RequestTiming.signOfPairing, otherwise: result)
        case .att(ATT.databaseOutOfSync): attemptAfterChange(error)
        default: settle(result)
        }
    }

    /// The services have changed, and bluetoothd is yet to look. It passes the refusal on (5.66), whatever the request
    /// was about; an app could only do what is done here. If the attribute was removed, the next attempt says so.
    private func attemptAfterChange(_ error: BlueZError) {
        let deadline = changeDeadline ?? .now + link.session.timing.serviceChange
        changeDeadline = deadline
        guard deadline > .now else { return settle(.failure(error)) }
        noteRetry(error)
        link.afterServiceChange(atMost: deadline - .now) { [self] in attempt() }
    }

    private func noteRetry(_ error: BlueZError) {
        var retries = retries ?? RetryLog(logger, "get an answer to a request")
        retries.failed("\(error)")
        self.retries = retries
    }

    private func attemptAfterPairing(
        until deadline: ContinuousClock.Instant, otherwise result: Result<Value, any Error>
    ) {
        guard link.phase == .connected, let device = link.device else { return settle(result) }
        if device.isPaired { return attempt() }
        let end = link.pairingWatch.hasAgreed ? max(deadline, start + RequestTiming.pairingTimeout) : deadline
        guard end > .now || link.pairingWatch.isAsking else { return settle(result) }
        link.busyTimer = .timer(after: RequestTiming.busyPause) { [self] in
            attemptAfterPairing(until: deadline, otherwise: result)
        }
    }

    // MARK: The answer

    /// Before an answer that may be none is passed on, makes sure that the link is there. If it is not, the app learns
    /// only that; or that pairing has failed.
    private func settle(_ result: Result<Value, any Error>) {
        retries?.ended()
        guard link.phase == .connected, let device = link.device, isDoubtful(result) else { return finish(result) }
        Task {
            guard await device.fetchIsConnected(), link.phase == .connected else {
                return finish(.failure(BlueZError.noAnswer))
            }
            // Pairing may have taken the time.
            let isLate = time >= RequestTiming.attTimeout && device.isPaired == wasPairedBefore
            if case .success = result, isLate { return finish(.failure(BlueZError.noAnswer)) }
            finish(result)
        }
    }

    private var time: Duration { .now - start }

    private func isDoubtful(_ result: Result<Value, any Error>) -> Bool {
        switch result {
        case .success(let value as Data): value.isEmpty
        case .success: time > RequestTiming.promptness
        case .failure(BlueZError.att(ATT.unlikelyError)), .failure(BlueZError.noAnswer): true
        // The attributes of a device that is not paired are removed with its link, and before that is reported.
        case .failure(BlueZError.objectRemoved): true
        case .failure: false
        }
    }

    private func finish(_ result: Result<Value, any Error>) {
        guard let completion else { return }
        self.completion = nil
        link.pairingWatch.requestEnds()
        completion(result)
        if case .failure(BlueZError.att(ATT.invalidHandle)) = result { link.attributeIsUnknown(path) }
    }

    /// That is the answer, and the link, over which nothing can be asked any longer, is ended.
    private func pairingFailed(_ error: CBATTError) {
        finish(.failure(error))
        link.dropAfterFailedPairing()
    }
}

private enum RequestTiming {
    static let maximumAttempts = 100
    /// bluetoothd refuses a request while another program's is under way; it is tried again after this pause.
    static let busyPause: Duration = .milliseconds(20)
    /// How long a pairing may take that a request has set off.
    static let pairingTimeout: Duration = .seconds(3)
    /// How long it takes at most, in some ten packets, until the agent is asked.
    static let signOfPairing: Duration = .milliseconds(1500)
    /// What bluetoothd gives an ATT request (`ATT_TIMEOUT_INTERVAL`), with some allowance for timers.
    static let attTimeout: Duration = .milliseconds(29_500)
    /// An answer that took longer may be the end of the link.
    static let promptness: Duration = .seconds(1)
}
