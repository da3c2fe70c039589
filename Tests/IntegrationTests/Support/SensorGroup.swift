import BluetoothLab
import Foundation

/// A dittojay with several peripherals.
struct SensorGroup {
    struct Peripheral {
        let id: String
        let name: String
    }

    let process: ChildProcess
    private let peripherals: [Peripheral]
    private let socket = NSTemporaryDirectory() + "/group-\(UUID().uuidString.prefix(8)).sock"

    /// Starts it and waits until all advertise.
    init(_ count: Int, central: String) async throws {
        process = try ChildProcess(
            "dittojay",
            ["run", "--json", "--count", "\(count)", "--name", "Sensor {n}", "--seed", "7", "--socket", socket],
            environment: ["BLUETOOTH_ADAPTER": central])
        try await process.events("advertising", count)
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

extension ChildProcess {
    /// Waits until this many lines have this event.
    func events(_ name: String, _ count: Int) async throws {
        var position = 0
        for _ in 0..<count {
            let line = try await line(containing: "\"event\":\"\(name)\"", from: position, within: .seconds(120))
            position = (lines.dropFirst(position).firstIndex(of: line) ?? position) + 1
        }
    }

    /// Waits for an event of a peripheral.
    func event(_ name: String, of peripheral: String, from position: Int = 0) async throws {
        let wanted = "\"event\":\"\(name)\",\"peripheral\":\"\(peripheral)\""
        try await line(containing: wanted, from: position, within: .seconds(60))
    }
}
