import CoreBluetooth
import GATTProfiles

/// A subscription of the monitor that is tried again as long as the connection is up.
@MainActor
final class RetryingSubscription {
    enum Event {
        /// The device does not have the characteristic, or no longer.
        case missing(wasThere: Bool)
        /// It cannot be listened to.
        case failed(CommandError, Next)
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

    let characteristic: MonitoredCharacteristic
    private let link: AsyncPeripheral
    private let answerTimeout: Double
    private let report: (Event) -> Void
    /// What is listened to, or was asked for.
    private var asked: CBCharacteristic?
    private var task: Task<Void, Never>?
    private var failures = 0
    /// Whether the characteristic has been listened to.
    private var wasOn = false
    /// Whether it was reported that the characteristic is missing.
    private(set) var isKnownMissing = false

    init(
        to characteristic: MonitoredCharacteristic, over link: AsyncPeripheral, answerTimeout: Double,
        report: @escaping (Event) -> Void
    ) {
        self.characteristic = characteristic
        self.link = link
        self.answerTimeout = answerTimeout
        self.report = report
    }

    /// Begins, or begins again where it does not listen.
    ///
    /// - Parameter services: what the device has.
    func begin(_ services: [CBService]) {
        guard let found = characteristic.find(in: services), found.properties.isSubscribable else { return isMissing() }
        if found === asked { return }
        end()
        asked = found
        task = Task { await subscribe(to: found) }
    }

    /// The connection has ended, or is about to.
    func end() {
        task?.cancel()
    }

    /// Whether a value is one that is listened to.
    func takes(_ source: CBCharacteristic) -> Bool {
        guard source === asked else { return false }
        wasOn = true
        isKnownMissing = false
        failures = 0
        return true
    }

    private func isMissing() {
        asked = nil
        guard !isKnownMissing else { return }
        isKnownMissing = true
        report(.missing(wasThere: wasOn))
    }

    private func subscribe(to found: CBCharacteristic) async {
        while true {
            do throws(CentralError) {
                try await link.subscribe(to: found, within: answerTimeout)
                return wasOn = true
            } catch {
                // The end of the connection is reported as such.
                guard link.end == nil, !Task.isCancelled else { return }
                guard let pause = failed(error) else { return }
                try? await Task.sleep(for: .seconds(pause))
                if Task.isCancelled { return }
                asked = found
            }
        }
    }

    /// - Returns: after how many seconds it is tried again; nil if it is not.
    private func failed(_ error: CentralError) -> Double? {
        let failure = CommandError(error, attempt: "cannot listen", device: link.peripheral.displayName)
        switch error {
        case .noAnswer where !characteristic.isEssential:
            report(.failed(failure, .keepWaiting))
            return nil
        // Another connection would not change the device's own answer, unless pairing has failed on this one.
        case .att where !failure.isAboutPairing: break
        case _ where characteristic.isEssential:
            report(.failed(failure, .connectAgain))
            return nil
        default: break
        }
        asked = nil
        let pause = Pauses.pause(afterFailures: failures)
        failures += 1
        report(.failed(failure, .tryAgain(pause)))
        return pause
    }
}

/// A characteristic that the monitor listens to.
struct MonitoredCharacteristic {
    /// What its values are.
    enum Use {
        case measurement
        /// The answers of a control point.
        case response
        case chirp
    }

    let service: CBUUID
    let uuid: CBUUID
    /// What it is called where it cannot be listened to.
    let name: String
    let use: Use
    /// Whether a connection without it is of no use.
    let isEssential: Bool

    init(_ uuid: String, of service: String, name: String? = nil, use: Use, isEssential: Bool = false) {
        self.service = CBUUID(string: service)
        self.uuid = CBUUID(string: uuid)
        self.name = name ?? self.uuid.label
        self.use = use
        self.isEssential = isEssential
    }

    func find(in services: [CBService]) -> CBCharacteristic? {
        services.lazy.filter { $0.uuid == service }.flatMap { $0.characteristics ?? [] }.first { $0.uuid == uuid }
    }
}

/// Pauses that grow with the number of failures.
enum Pauses {
    /// 0.5 s, 1 s, 2 s, … 30 s.
    static func pause(afterFailures count: Int) -> Double { min(0.5 * Double(1 << min(count, 6)), 30) }
}
