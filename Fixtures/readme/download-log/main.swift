// Fetches a log that is longer than one notification: its pieces are put together in a background task.
import Bluejay

/// One hour, in four bytes.
struct Entry {
    let hour: UInt8
    /// In tenths of a degree Celsius.
    let temperature: Int16
    let isAlarm: Bool
}

/// A day, as the device sends it.
struct DayLog: Receivable {
    static let length = 24 * 4
    let entries: [Entry]

    init(bluetoothData: Data) throws {
        entries = try stride(from: 0, to: DayLog.length, by: 4).map { start in
            let alarm: UInt8 = try bluetoothData.extract(start: start + 3, length: 1)
            return Entry(
                hour: try bluetoothData.extract(start: start, length: 1),
                temperature: Int16(littleEndian: try bluetoothData.extract(start: start + 1, length: 2)),
                isAlarm: alarm != 0)
        }
    }
}

let logger = ServiceIdentifier(uuid: "10660000-0000-4000-8000-000000000000")
let command = CharacteristicIdentifier(uuid: "10660001-0000-4000-8000-000000000000", service: logger)
let pieces = CharacteristicIdentifier(uuid: "10660002-0000-4000-8000-000000000000", service: logger)

final class Download: ConnectionObserver {
    let bluejay = Bluejay()

    func begin() {
        bluejay.register(connectionObserver: self)
        bluejay.start()
        bluejay.scan(
            duration: 30,
            serviceIdentifiers: [logger],
            discovery: { discovery, _ in
                .connect(discovery, .seconds(15), .default) { print("connected: \($0.isGood)") }
            },
            stopped: { discoveries, error in
                if let error { print("the scan failed: \(error.localizedDescription)") }
                if discoveries.isEmpty { exit(1) }
            })
    }

    func connected(to peripheral: PeripheralIdentifier) {
        bluejay.run { (peripheral: SynchronizedPeripheral) -> DayLog? in
            print("one write holds \(peripheral.maximumWriteValueLength(for: .withResponse)) bytes")
            var day: DayLog?
            try peripheral.writeAndAssemble(
                writeTo: command, value: "DAY", listenTo: pieces, expectedLength: DayLog.length, timeoutInSeconds: 20
            ) { (log: DayLog) in
                day = log
                return .done
            }
            return day
        } completionOnMainThread: { [weak self] result in
            switch result {
            case .success(let day):
                for entry in day?.entries ?? [] where entry.isAlarm {
                    print("\(entry.hour):00 \(entry.temperature)")
                }
                print("\(day?.entries.count ?? 0) entries")
                self?.fetchTooMuch()
            case .failure(let error):
                print("failed: \(error.localizedDescription)")
                exit(1)
            }
        }
    }

    /// A mistake in the length is reported, with the bytes that have come.
    private func fetchTooMuch() {
        bluejay.run(
            backgroundTask: { peripheral in
                try peripheral.writeAndAssemble(
                    writeTo: command, value: "DAY", listenTo: pieces, expectedLength: 5, timeoutInSeconds: 20
                ) { (_: Data) in .done }
            },
            completionOnMainThread: { [weak self] (result: RunResult<Void>) in
                guard case .failure(BluejayError.tooMuchData(let expected, let received)) = result else {
                    print("failed: \(result)")
                    exit(1)
                }
                print("too much: \(received.count > expected)")
                self?.bluejay.disconnect { _ in exit(0) }
            })
    }
}

extension ConnectionResult {
    var isGood: Bool {
        if case .success = self { return true }
        return false
    }
}

let download = Download()
download.begin()
dispatchMain()
