import DBus
import Dispatch
import Foundation
import Synchronization
import TestSupport

@testable import BlueZ
@testable import CoreBluetooth

/// A program with a peripheral manager on a fake bluetoothd: it notes every call of its delegate as a line.
final class PeripheralApp: NSObject, Sendable {
    /// What a program does with a request: nil keeps it for later.
    typealias Answer = @Sendable (CBATTRequest) -> CBATTError.Code?

    let queue = DispatchQueue(label: "app")
    let manager: CBPeripheralManager
    let session: BlueZSession
    private let journal = Journal()
    private let answer = Mutex<Answer>({ _ in .success })
    private let kept = Mutex<[CBATTRequest]>([])

    /// - Parameters:
    ///   - adapter: the controller's name or address.
    ///   - timing: the timeouts for calls of bluetoothd, which are short.
    init(on bus: PrivateBus, adapter: String? = nil, timing: BlueZSession.Timing = .short()) {
        // The first state is for the delegate.
        queue.suspend()
        session = BlueZSession(timing: timing, handleFolder: "/dev/null") { () throws(BusError) in try bus.connect() }
        manager = CBPeripheralManager(
            delegate: nil, queue: queue, options: adapter.map { [CBPeripheralManagerOptionAdapterKey: $0] },
            session: session)
        super.init()
        manager.delegate = self
        queue.resume()
    }

    /// All that the delegate was called for, in order.
    var lines: [String] { journal.lines }

    /// Does something on the manager's queue, as an app does.
    func act<T: Sendable>(_ body: @Sendable (CBPeripheralManager) throws -> T) rethrows -> T {
        try queue.sync { try body(manager) }
    }

    /// Waits until the delegate has been called for `line`, this many times.
    func saw(_ line: String, count: Int = 1) async throws { try await journal.saw(line, count: count) }

    /// Returns when the program has done what it had to do by now, after all that the daemon has sent.
    func settle(with daemon: FakeBluetoothd) async throws {
        for _ in 0..<3 {
            try await daemon.connection.fence()
            try await session.connection?.fence()
        }
        act { _ in }
    }

    /// Answers requests like this.
    func answers(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    /// The requests that were not answered yet; the caller takes them over. The delegate has done with what
    /// ``saw(_:count:)`` told of.
    func takeKept() -> [CBATTRequest] {
        queue.sync {
            kept.withLock { kept in
                defer { kept = [] }
                return kept
            }
        }
    }

    /// Publishes a service once the manager is on.
    @discardableResult
    func publish(_ uuid: String, _ characteristics: [CBMutableCharacteristic] = []) async throws -> CBMutableService {
        try await saw("state on")
        let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
        service.characteristics = characteristics
        act { $0.add(service) }
        try await saw("added \(uuid)")
        return service
    }

    /// Notifies a value, to all that are subscribed unless some are named.
    ///
    /// - Returns: whether it was taken.
    func send(_ value: Data, _ characteristic: CBMutableCharacteristic, to centrals: [CBCentral]? = nil) -> Bool {
        act { $0.updateValue(value, for: characteristic, onSubscribedCentrals: centrals) }
    }

    fileprivate func note(_ line: String) { journal.note(line) }

    fileprivate func handle(_ request: CBATTRequest) {
        if let code = answer.withLock({ $0 })(request) {
            manager.respond(to: request, withResult: code)
        } else {
            kept.withLock { $0.append(request) }
        }
    }
}

extension BlueZSession.Timing {
    /// For tests of what happens after a timeout.
    static func short(
        advertisement: Duration = .seconds(10), advertisingTurn: Duration = .milliseconds(20),
        linkReport: Duration = .zero
    ) -> Self {
        var timing = Self()
        timing.retry = .milliseconds(20)
        timing.settling = .milliseconds(150)
        timing.advertisement = advertisement
        timing.advertisingTurn = advertisingTurn
        timing.linkReport = linkReport
        return timing
    }
}

extension CBMutableCharacteristic {
    /// One that can be read and written with a response, if nothing else is said.
    convenience init(_ uuid: String, _ properties: CBCharacteristicProperties = [.read, .write], value: Data? = nil) {
        self.init(
            type: CBUUID(string: uuid), properties: properties, value: value,
            permissions: properties.contains(.write) ? [.readable, .writeable] : .readable)
    }
}

extension PeripheralApp: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { note("state " + words(peripheral.state)) }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        note("advertising" + words(error))
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        note("added \(service.uuid.uuidString)" + words(error))
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        note("read \(request.characteristic.uuid.uuidString) at \(request.offset)")
        handle(request)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            note("write \(request.characteristic.uuid.uuidString) = \(hex(request.value)) at \(request.offset)")
        }
        requests.first.map(handle)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        note("subscribed \(central.bluetoothAddress?.suffix(2) ?? "?") \(characteristic.uuid.uuidString)")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        note("unsubscribed \(central.bluetoothAddress?.suffix(2) ?? "?") \(characteristic.uuid.uuidString)")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        note("published \(PSM)" + words(error))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        note("unpublished \(PSM)" + words(error))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {
        note("channel " + (channel.map { "\($0.psm) of \($0.peer.bluetoothAddress?.suffix(2) ?? "?")" } ?? "none"))
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { note("ready") }
}
