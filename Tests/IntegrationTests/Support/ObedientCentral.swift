import Bluejay
import BluetoothLab
import Foundation
import GATTProfiles

/// The peripheral of `every-step.yaml`.
enum Trial {
    static let service = ServiceIdentifier(uuid: "F4000000-0000-4000-8000-000000000000")
    static let orders = characteristic(1)
    static let characteristics = [
        "value": characteristic(2), "data": characteristic(3), "tally": characteristic(4), "tallied": characteristic(5),
        "heart": CharacteristicIdentifier(uuid: "2A37", service: service),
        "note": CharacteristicIdentifier(
            uuid: "F4000101-0000-4000-8000-000000000000",
            service: ServiceIdentifier(uuid: "F4000100-0000-4000-8000-000000000000")),
    ]

    private static func characteristic(_ number: Int) -> CharacteristicIdentifier {
        CharacteristicIdentifier(uuid: "F400000\(number)-0000-4000-8000-000000000000", service: service)
    }
}

/// A central that does what the peripheral of `every-step.yaml` asks for, and notes the results.
///
/// It listens to the orders whenever it is connected.
final class ObedientCentral: ConnectionObserver, @unchecked Swift.Sendable {
    /// The result of each order, such as `read value: 6669727374`, and the values, such as `data 0202`.
    let notes = Collector<String>()
    // Touched on the main queue only.
    private let bluejay: Bluejay
    private var written: UInt8 = 0

    init(_ central: Central) async throws {
        bluejay = central.bluejay
        try await onMain { [self] in bluejay.register(connectionObserver: self) }
    }

    func connected(to peripheral: PeripheralIdentifier) {
        listen(to: Trial.orders) { [weak self] in self?.obey($0) }
    }

    private func listen(to characteristic: CharacteristicIdentifier, _ handler: @escaping (Data) -> Void) {
        bluejay.listen(to: characteristic, multipleListenOption: .replaceable) { (result: ReadResult<Data>) in
            if case .success(let value) = result { handler(value) }
        }
    }

    private func obey(_ value: Data) {
        let order = ValueText.printable(value) ?? ValueText.hex(value)
        if order == "leave" { return bluejay.disconnect { [notes] in notes.add("leave: \($0.outcome)") } }
        let words = order.split(separator: " ").map(String.init)
        guard words.count == 2, let characteristic = Trial.characteristics[words[1]] else {
            return notes.add("not understood: \(order)")
        }
        switch words[0] {
        case "read":
            bluejay.read(from: characteristic) { [notes] (result: ReadResult<Data>) in
                switch result {
                case .success(let value): notes.add("\(order): \(ValueText.hex(value))")
                case .failure(let error): notes.add("\(order): \(error.short)")
                }
            }
        case "write":
            // The first byte is zero, as the file says, and no two values are the same.
            written += 1
            bluejay.write(to: characteristic, value: Data([0, written, written])) { [notes] result in
                notes.add("\(order): \(result.outcome)")
            }
        case "listen":
            listen(to: characteristic) { [notes] in notes.add("\(words[1]) \(ValueText.hex($0))") }
        case "unlisten":
            bluejay.endListen(to: characteristic) { [notes] result in notes.add("\(order): \(result.outcome)") }
        default: notes.add("not understood: \(order)")
        }
    }
}
