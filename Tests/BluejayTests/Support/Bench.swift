import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

let heartRate = ServiceIdentifier(uuid: "180D")
let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)
let location = CharacteristicIdentifier(uuid: "2A38", service: heartRate)
let controlPoint = CharacteristicIdentifier(uuid: "2A39", service: heartRate)

/// A Bluejay on a fake system, and a journal of what it reported.
final class Bench {
    let time = ManualClock()
    let central: FakeCentral
    let peripheral: FakePeripheral
    let journal = Journal()
    let messages = LogRecorder()
    private(set) var bluejay: Bluejay!

    /// - Parameters:
    ///   - state: of Bluetooth.
    ///   - started: whether to start right away.
    ///   - peripheral: the peripheral that can be connected.
    init(_ state: CBManagerState = .poweredOn, started: Bool = true, peripheral: FakePeripheral = FakePeripheral()) {
        self.peripheral = peripheral
        central = FakeCentral(state)
        central.known = [peripheral]
        bluejay = Bluejay(
            logObserver: nil, log: Log(messages.logger), clock: time)
        if started { bluejay.start(mode: .use(manager: central, peripheral: nil)) }
    }

    /// A bench whose peripheral is connected and discovered, and which has observers.
    static func connected() -> Bench {
        let bench = Bench()
        bench.connect()
        bench.journal.clear()
        bench.central.calls = []
        return bench
    }

    var identifier: PeripheralIdentifier { PeripheralIdentifier(peripheral) }

    func observe() {
        bluejay.register(connectionObserver: journal)
        bluejay.registerDisconnectHandler(handler: journal)
    }

    /// Connects and discovers.
    func connect(timeout: Timeout = .none) {
        bluejay.connect(identifier, timeout: timeout, completion: journal.connection("connect"))
        central.accept(peripheral)
        bluejay.endListen(to: measurement)
        bluejay.endListen(to: location)
        bluejay.endListen(to: controlPoint)
        peripheral.settle()
        peripheral.calls = []
    }

    func scan(_ name: String = "scan", duration: TimeInterval = 0, action: @escaping () -> ScanAction = { .continue }) {
        bluejay.scan(
            duration: duration, serviceIdentifiers: [heartRate],
            discovery: { [journal] found, all in
                journal.add("\(name) found \(found.peripheralIdentifier.name) of \(all.count)")
                return action()
            },
            stopped: journal.scan(name))
    }

    func read(_ name: String = "read", _ characteristic: CharacteristicIdentifier = location) {
        bluejay.read(from: characteristic, completion: journal.read(name) as (ReadResult<Data>) -> Void)
    }

    func write(_ name: String = "write", type: CBCharacteristicWriteType = .withResponse) {
        bluejay.write(to: controlPoint, value: UInt8(1), type: type, completion: journal.write(name))
    }

    func listen(_ name: String = "listen", _ option: MultipleListenOption = .trap) {
        bluejay.listen(
            to: measurement, multipleListenOption: option,
            completion: journal.read(name) as (ReadResult<Data>) -> Void)
    }

    func endListen(_ name: String = "endListen") {
        bluejay.endListen(to: measurement, completion: journal.write(name))
    }

    func disconnect(_ name: String = "disconnect", immediate: Bool = false) {
        bluejay.disconnect(immediate: immediate, completion: journal.disconnection(name))
    }

    /// Drops the last reference to Bluejay.
    func release() {
        bluejay = nil
    }
}

/// The events in their order, as short lines.
final class Journal: ConnectionObserver, DisconnectHandler {
    private(set) var lines: [String] = []
    /// The disconnect handler's answer.
    var answer = AutoReconnectMode.noChange

    func add(_ line: String) { lines.append(line) }
    func clear() { lines = [] }

    func connection(_ name: String) -> (ConnectionResult) -> Void {
        { [self] result in
            switch result {
            case .success(let identifier): add("\(name): \(identifier.name)")
            case .failure(let error): add("\(name): \(error.short)")
            }
        }
    }

    func disconnection(_ name: String) -> (DisconnectionResult) -> Void {
        { [self] result in
            switch result {
            case .disconnected(let identifier): add("\(name): \(identifier.name)")
            case .failure(let error): add("\(name): \(error.short)")
            }
        }
    }

    func write(_ name: String) -> (WriteResult) -> Void {
        { [self] result in
            switch result {
            case .success: add("\(name): success")
            case .failure(let error): add("\(name): \(error.short)")
            }
        }
    }

    func read<R>(_ name: String) -> (ReadResult<R>) -> Void {
        { [self] result in
            switch result {
            case .success(let data as Data): add("\(name): \(data.map { String($0) }.joined(separator: " "))")
            case .success(let value): add("\(name): \(value)")
            case .failure(let error): add("\(name): \(error.short)")
            }
        }
    }

    func run<R>(_ name: String) -> (RunResult<R>) -> Void {
        { [self] result in
            switch result {
            case .success(let value): add("\(name): \(value)")
            case .failure(let error): add("\(name): \(error.short)")
            }
        }
    }

    func scan(_ name: String) -> ([ScanDiscovery], (any Error)?) -> Void {
        { [self] found, error in add("\(name) stopped with \(found.count): \(error?.short ?? "intended")") }
    }

    func bluetoothAvailable(_ available: Bool) { add("available: \(available)") }
    func connected(to peripheral: PeripheralIdentifier) { add("connected to \(peripheral.name)") }
    func disconnected(from peripheral: PeripheralIdentifier) { add("disconnected from \(peripheral.name)") }
    func didDisconnect(
        from peripheral: PeripheralIdentifier, with error: (any Error)?, willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        add("handler: \(error?.short ?? "no error"), willReconnect \(autoReconnect)")
        return answer
    }
}

extension Error {
    /// The name of a Bluejay error's case, or the type and code of another.
    var short: String {
        switch self {
        case let error as BluejayError: String("\(error)".prefix { $0 != "(" })
        case is BluejayNotStartedError: "BluejayNotStartedError"
        case let error as CBATTError: "CBATTError \(error.errorCode)"
        case let error as CBError: "CBError \(error.errorCode)"
        default: "\(self)"
        }
    }
}
