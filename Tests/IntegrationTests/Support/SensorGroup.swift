import BluetoothLab
import Foundation

/// A dittojay with several peripherals.
struct SensorGroup {
    struct Peripheral {
        let id: String
        let name: String
    }

    let process: ChildProcess
    private let log: EventLog
    private let peripherals: [Peripheral]
    private let socket = NSTemporaryDirectory() + "/group-\(UUID().uuidString.prefix(8)).sock"

    /// Starts it and waits until all advertise.
    init(_ count: Int, central: String) async throws {
        process = try ChildProcess(
            "dittojay",
            ["run", "--json", "--count", "\(count)", "--name", "Sensor {n}", "--seed", "7", "--socket", socket],
            environment: ["BLUETOOTH_ADAPTER": central])
        log = EventLog(of: process)
        try await log.event(.advertising, count: count, within: .seconds(120))
        struct Reply: Decodable {
            struct Peripheral: Decodable {
                let id: String
                let name: String
            }
            let peripherals: [Peripheral]
        }
        let client = try ChildProcess("dittojay", ["peripherals", "--json"], environment: ["DITTOJAY_SOCKET": socket])
        guard try await client.exitStatus(within: .seconds(60)) == 0 else { throw LabError(client.transcript) }
        peripherals = try JSONDecoder().decode(Reply.self, from: Data(client.lines.joined().utf8)).peripherals.map {
            Peripheral(id: $0.id, name: $0.name)
        }
        guard peripherals.count == count else { throw LabError("not \(count): \(client.transcript)") }
    }

    /// How many events there have been: where to look for later ones.
    var position: Int { log.events.count }

    /// Waits for events of any peripheral.
    func event(_ kind: SensorEvent.Kind, count: Int) async throws {
        try await log.event(kind, count: count, within: .seconds(120))
    }

    /// Waits for an event of one peripheral.
    func event(_ kind: SensorEvent.Kind, of peripheral: Peripheral, from start: Int = 0) async throws {
        let id = peripheral.id
        try await log.event(kind, from: start, within: .seconds(60)) { $0.peripheral == id }
    }

    subscript(index: Int) -> Peripheral { peripherals[index] }
    func map<T>(_ transform: (Peripheral) throws -> T) rethrows -> [T] { try peripherals.map(transform) }

    func client(_ words: String...) throws -> ChildProcess { try client(words) }

    private func client(_ words: [String]) throws -> ChildProcess {
        try ChildProcess("dittojay", words, environment: ["DITTOJAY_SOCKET": socket])
    }

    func command(_ words: String...) async throws {
        let client = try client(words)
        guard try await client.exitStatus(within: .seconds(60)) == 0 else { throw LabError(client.transcript) }
    }
}
