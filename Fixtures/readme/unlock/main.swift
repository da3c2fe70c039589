// Opens a lock in two steps: the lock gives a challenge, and takes the right response to it. Both take place in one
// background task, in which each call waits for its answer. usage: unlock [KEY], the key in hexadecimal
import Bluejay

/// A message of the lock: a kind, and its data.
enum Answer: Receivable {
    case challenge(UInt32)
    case verdict(isRight: Bool)

    init(bluetoothData: Data) throws {
        let kind: UInt8 = try bluetoothData.extract(start: 0, length: 1)
        switch kind {
        case 1:
            self = .challenge(UInt32(littleEndian: try bluetoothData.extract(start: 1, length: 4)))
        case 2:
            let verdict: UInt8 = try bluetoothData.extract(start: 1, length: 1)
            self = .verdict(isRight: verdict == 1)
        default:
            throw LockError.unknownAnswer(kind)
        }
    }
}

/// A message to the lock.
enum Question: Sendable {
    case hello
    case response(UInt32)

    func toBluetoothData() -> Data {
        switch self {
        case .hello: return Bluejay.combine(sendables: [UInt8(1), DataPadding(4)])
        case .response(let number): return Bluejay.combine(sendables: [UInt8(2), number])
        }
    }
}

enum LockError: LocalizedError {
    case unknownAnswer(UInt8)
    case noChallenge
    case wrongKey

    var errorDescription: String? {
        switch self {
        case .unknownAnswer(let kind): return "the lock's answer \(kind) is unknown"
        case .noChallenge: return "the lock did not begin with a challenge"
        case .wrongKey: return "the lock does not take this key"
        }
    }
}

let lock = ServiceIdentifier(uuid: "10CC0000-0000-4000-8000-000000000000")
let question = CharacteristicIdentifier(uuid: "10CC0001-0000-4000-8000-000000000000", service: lock)
let answer = CharacteristicIdentifier(uuid: "10CC0002-0000-4000-8000-000000000000", service: lock)
let secret = CharacteristicIdentifier(uuid: "10CC0003-0000-4000-8000-000000000000", service: lock)

/// Uses only what the task is given: it runs beside the main queue.
func open(_ peripheral: SynchronizedPeripheral, with key: UInt32) throws -> String {
    // Answers to an earlier program.
    try peripheral.flushListen(to: answer, nonZeroTimeout: .seconds(1)) { print("flushed") }

    var challenge: UInt32?
    try peripheral.writeAndListen(
        writeTo: question, value: Question.hello, listenTo: answer, timeoutInSeconds: 15
    ) { (answer: Answer) in
        guard case .challenge(let number) = answer else { return .keepListening }
        challenge = number
        return .done
    }
    guard let number = challenge else { throw LockError.noChallenge }
    print("challenge: \(String(number, radix: 16))")

    var isOpen = false
    try peripheral.writeAndListen(
        writeTo: question, value: Question.response(number ^ key), listenTo: answer, timeoutInSeconds: 15
    ) { (answer: Answer) in
        if case .verdict(let isRight) = answer { isOpen = isRight }
        return .done
    }
    guard isOpen else { throw LockError.wrongKey }
    return try peripheral.read(from: secret)
}

final class Visitor: ConnectionObserver {
    let bluejay = Bluejay()
    let key: UInt32

    init(key: UInt32) {
        self.key = key
    }

    func visit() {
        bluejay.register(connectionObserver: self)
        bluejay.start()
        bluejay.scan(
            duration: 30,
            serviceIdentifiers: [lock],
            discovery: { discovery, _ in
                .connect(discovery, .seconds(15), .default) { result in
                    if case .failure(let error) = result { print("not connected: \(error.localizedDescription)") }
                }
            },
            stopped: { discoveries, error in
                if let error { print("the scan failed: \(error.localizedDescription)") }
                if discoveries.isEmpty { exit(1) }
            })
    }

    func connected(to peripheral: PeripheralIdentifier) {
        bluejay.run(
            userData: key,
            backgroundTask: { peripheral, key in try open(peripheral, with: key) },
            completionOnMainThread: { [weak self] (result: RunResult<String>) in
                switch result {
                case .success(let secret): print("open: \(secret)")
                case .failure(let error): print("shut: \(error.localizedDescription)")
                }
                self?.leave(with: result)
            })
        // While the task runs, no other operation uses the lock.
        bluejay.read(from: secret) { (result: ReadResult<String>) in
            guard case .failure(BluejayError.backgroundTaskRunning) = result else { return }
            print("busy")
        }
    }

    private func leave(with result: RunResult<String>) {
        bluejay.disconnect { _ in
            if case .success = result { exit(0) }
            exit(2)
        }
    }
}

let visitor = Visitor(key: UInt32(CommandLine.arguments.dropFirst().first ?? "C0DE2026", radix: 16) ?? 0)
visitor.visit()
dispatchMain()
