import Bluejay
import GATTProfiles

/// A listen of the monitor that is tried again as long as the connection is up.
@MainActor
final class RetryingSubscription {
    enum Event {
        case value(Data)
        /// The device does not have the characteristic, now that its services are known; or no longer.
        case missing(wasThere: Bool)
        /// It cannot be listened to.
        case failed(Failure, Next)
    }

    /// What follows a failure.
    enum Next {
        /// After this many seconds.
        case tryAgain(Double)
        /// Only another connection can help.
        case connectAgain
        /// The request is still open.
        case keepWaiting
    }

    private let characteristic: CharacteristicIdentifier
    private let peripheral: PeripheralIdentifier
    private let context: CommandContext
    private let answerTimeout: Double
    /// Whether a connection without it is of no use.
    private let isEssential: Bool
    private let handler: (Event) -> Void
    /// Counts the attempts, so that timers of former ones are known.
    private var attempt = 0
    private var failures = 0
    private var isWaiting = false
    private var isEnded = false
    /// Whether the characteristic has been listened to.
    private var wasOn = false
    /// Whether it was reported that the characteristic is missing.
    private(set) var isKnownMissing = false

    init(
        _ characteristic: CharacteristicIdentifier, of peripheral: PeripheralIdentifier, _ context: CommandContext,
        answerTimeout: Double, isEssential: Bool, handler: @escaping (Event) -> Void
    ) {
        self.characteristic = characteristic
        self.peripheral = peripheral
        self.context = context
        self.answerTimeout = answerTimeout
        self.isEssential = isEssential
        self.handler = handler
    }

    /// The connection has ended, or is about to.
    func end() {
        isEnded = true
    }

    /// Begins, or begins again where it has failed.
    func begin() {
        guard !isEnded, (try? context.bluejay.isListening(to: characteristic)) == false else { return }
        attempt += 1
        let current = attempt
        isWaiting = true
        after(answerTimeout) { [weak self] in self?.check(current) }
        context.bluejay.listen(to: characteristic, multipleListenOption: .replaceable) {
            [weak self] (result: ReadResult<Data>) in
            guard let self, !isEnded else { return }
            switch result {
            case .success(let value): took(value)
            case .failure(let error): failed(error)
            }
        }
    }

    private func took(_ value: Data) {
        isWaiting = false
        wasOn = true
        isKnownMissing = false
        failures = 0
        handler(.value(value))
    }

    private func failed(_ error: any Error) {
        isWaiting = false
        switch error {
        // A missing value does not end the listen.
        case BluejayError.missingData: return
        case BluejayError.missingService, BluejayError.missingCharacteristic: return isMissing()
        // The end of the connection is reported as such.
        case BluejayError.notConnected, BluejayError.bluetoothUnavailable, BluejayError.explicitDisconnect,
            BluejayError.multipleListenReplaced, BluejayError.cancelled, BluejayError.stopped:
            return
        default: break
        }
        // It may be one that can only be read.
        if let known, !known.properties.isSubscribable { return isMissing() }
        let failure = Failure(error, attempt: "cannot listen", device: peripheral.name)
        // Another connection would not change the device's own answer, unless pairing has failed on this one.
        guard error is CBATTError && !failure.isAboutPairing || !isEssential else {
            return handler(.failed(failure, .connectAgain))
        }
        let pause = Pauses.pause(afterFailures: failures)
        failures += 1
        after(pause) { [weak self, attempt] in
            guard let self, self.attempt == attempt else { return }
            begin()
        }
        handler(.failed(failure, .tryAgain(pause)))
    }

    private func isMissing() {
        guard !isKnownMissing else { return }
        isKnownMissing = true
        handler(.missing(wasThere: wasOn))
    }

    /// The time for an answer is up.
    private func check(_ number: Int) {
        guard !isEnded, isWaiting, number == attempt else { return }
        isWaiting = false
        // Bluejay has no word for a listen that has begun.
        if isNotifying { return wasOn = true }
        let problem = DirectPeripheral.Problem.noAnswer(within: answerTimeout)
        handler(.failed(Failure(problem, attempt: "cannot listen"), isEssential ? .connectAgain : .keepWaiting))
    }

    private var isNotifying: Bool { known?.isNotifying ?? false }

    /// The characteristic, as far as it was discovered.
    private var known: CBCharacteristic? {
        let peripheral = context.manager.retrievePeripherals(withIdentifiers: [peripheral.uuid]).first
        return (peripheral?.services ?? []).lazy.filter { $0.uuid == self.characteristic.service.uuid }
            .flatMap { $0.characteristics ?? [] }.first { $0.uuid == self.characteristic.uuid }
    }

    private func after(_ seconds: Double, _ work: @escaping @MainActor () -> Void) {
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { MainActor.assumeIsolated { work() } }
    }
}

/// Pauses that grow with the number of failures.
enum Pauses {
    /// 0.5 s, 1 s, 2 s, … 30 s.
    static func pause(afterFailures count: Int) -> Double { min(0.5 * Double(1 << min(count, 6)), 30) }
}
