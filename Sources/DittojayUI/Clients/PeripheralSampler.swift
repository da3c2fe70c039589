import Dittojay
import Foundation

/// What one peripheral is like at a moment.
struct PeripheralSample {
    var status: PeripheralStatus
    var characteristics: [CharacteristicStatus]
    /// How strong the centrals are received, in dBm by their addresses.
    var signals: [String: Int]
}

/// Looks at one peripheral again and again. Used on one queue only.
final class PeripheralSampler {
    private let source: DittojaySource
    private let peripheral: String
    private let onSample: (PeripheralSample) -> Void
    private var timer: (any DispatchSourceTimer)?
    /// Whether the answers to the last questions are still to come.
    private var isAsking = false
    private var round = 0
    private var signals: [String: Int] = [:]

    /// Seconds between samples. A dittojay that is slower is asked less often.
    static let interval = 0.25
    /// How many samples there are for each question for the signals, which the kernel has to answer.
    private static let roundsPerSignal = 4

    /// - Parameter peripheral: its identifier in the process.
    init(
        _ source: DittojaySource, peripheral: String, queue: DispatchQueue,
        onSample: @escaping (PeripheralSample) -> Void
    ) {
        self.source = source
        self.peripheral = peripheral
        self.onSample = onSample
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: Self.interval)
        timer.setEventHandler { [weak self] in self?.ask() }
        timer.activate()
        self.timer = timer
    }

    deinit {
        timer?.cancel()
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    private func ask() {
        guard !isAsking else { return }
        isAsking = true
        if round % Self.roundsPerSignal == 0 {
            source.ask(DittojaySource.request("signal", about: peripheral)) { [weak self] answer in
                guard case .done(let line) = answer, let found = DittojaySource.reply(line)?.signals else { return }
                self?.signals = Dictionary(found.map { ($0.central, $0.rssi) }) { $1 }
            }
        }
        round += 1
        var status: PeripheralStatus?
        source.ask(DittojaySource.request("status", about: peripheral)) { answer in
            if case .done(let line) = answer { status = DittojaySource.reply(line)?.status }
        }
        source.ask(DittojaySource.request("characteristics", about: peripheral)) { [weak self] answer in
            guard let self else { return }
            isAsking = false
            guard timer != nil, let status else { return }
            var characteristics: [CharacteristicStatus] = []
            if case .done(let line) = answer { characteristics = DittojaySource.reply(line)?.characteristics ?? [] }
            onSample(PeripheralSample(status: status, characteristics: characteristics, signals: signals))
        }
    }
}
