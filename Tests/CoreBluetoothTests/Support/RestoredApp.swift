import DBus
import Dispatch
import Foundation
import Synchronization
import TestSupport

@testable import BlueZ
@testable import CoreBluetooth

/// A program with a peripheral manager that has a restore identifier: it notes every call of its delegate as a line.
// @unchecked: its state is touched on its queue only.
final class RestoredApp: NSObject, CBPeripheralManagerDelegate, @unchecked Swift.Sendable {
    let queue = DispatchQueue(label: "app")
    private let manager: CBPeripheralManager
    private let journal = Journal()
    private var heart: CBMutableCharacteristic?
    private var answer: CBATTError.Code? = .success
    private var keeps = false
    private var kept: [CBATTRequest] = []

    /// - Parameter bus: where bluetoothd is; nobody's by default.
    init(_ agent: AgentAccess, on bus: PrivateBus? = nil) {
        // The first state is for the delegate.
        queue.suspend()
        let session = BlueZSession(timing: .short(), handleFolder: "/dev/null") { () throws(BusError) in
            guard let bus else { throw BusError.disconnected(call: "no bus") }
            return try bus.connect()
        }
        manager = CBPeripheralManager(
            delegate: nil, queue: queue, options: [CBPeripheralManagerOptionRestoreIdentifierKey: "test"], agent: agent,
            session: session)
        super.init()
        manager.delegate = self
        queue.resume()
    }

    var lines: [String] { journal.lines }

    func act<T: Swift.Sendable>(_ body: @Sendable (CBPeripheralManager) throws -> T) rethrows -> T {
        try queue.sync { try body(manager) }
    }

    func saw(_ line: String, count: Int = 1) async throws { try await journal.saw(line, count: count) }

    /// Answers requests with this, or not at all.
    func answers(with code: CBATTError.Code?, keeping: Bool = false) {
        queue.sync { (answer, keeps) = (code, keeping) }
    }

    /// Notifies a text on the characteristic 2A37.
    func notify(_ text: String) -> Bool {
        queue.sync { heart.map { manager.updateValue(Data(text.utf8), for: $0, onSubscribedCentrals: nil) } ?? true }
    }

    // MARK: The delegate

    private func find(_ services: [CBService]) {
        let all = services.flatMap { $0.characteristics ?? [] }
        heart = all.first { $0.uuid == CBUUID(string: "2A37") } as? CBMutableCharacteristic
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        find(services)
        let texts = services.map { service in
            let characteristics = (service.characteristics ?? []).map { characteristic in
                let subscribers = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? 0
                let details =
                    (characteristic.value == nil ? [] : ["static"])
                    + (subscribers == 0 ? [] : ["subscribed: \(subscribers)"])
                    + (characteristic.descriptors.map { ["\($0.count) descriptors"] } ?? [])
                return " " + characteristic.uuid.uuidString
                    + (details.isEmpty ? "" : " (" + details.joined(separator: ", ") + ")")
            }
            return "\(service.uuid.uuidString):" + characteristics.joined()
        }
        let advertisement = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
        let name = advertisement?[CBAdvertisementDataLocalNameKey] as? String
        journal.note("restored " + texts.joined(separator: ", ") + "; advertising \(name ?? "nothing")")
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        journal.note("state " + words(peripheral.state))
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        if error == nil { find([service]) }
        journal.note("added \(service.uuid.uuidString)" + code(error))
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        journal.note("advertising" + code(error))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        journal.note("subscribed \(characteristic.uuid.uuidString)")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        journal.note("unsubscribed \(characteristic.uuid.uuidString)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        journal.note("read \(request.characteristic.uuid.uuidString) at \(request.offset) by \(request.central.attMTU)")
        request.value = Data([42])
        respond(to: request, with: answer)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            let text = "\(request.characteristic.uuid.uuidString) = \(hex(request.value)) by \(request.central.attMTU)"
            journal.note("write " + text)
            respond(to: request, with: answer == .success ? CBATTError.Code(number: 0x80) : answer)
        }
    }

    private func respond(to request: CBATTRequest, with code: CBATTError.Code?) {
        if let code { return manager.respond(to: request, withResult: code) }
        if keeps { kept.append(request) }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { journal.note("ready") }

    private func code(_ error: (any Error)?) -> String { error.map { " failed \(($0 as NSError).code)" } ?? "" }
}
