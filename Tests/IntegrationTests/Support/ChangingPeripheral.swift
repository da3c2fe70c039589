import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import Testing

/// The peripheral of `changing.yaml`.
enum Changing {
    static let anchor = uuid("000"), beat = uuid("001"), trigger = uuid("002"), secret = uuid("003")
    static let guest = uuid("100"), text = uuid("101"), slow = uuid("102"), ticker = uuid("103")
    static let command = uuid("104")
    static let twin = uuid("200"), name = uuid("201")
    static let late = uuid("300"), lateText = uuid("301")

    private static func uuid(_ number: String) -> CBUUID {
        CBUUID(string: "C0000\(number)-0000-4000-8000-000000000000")
    }

    static func identifier(_ characteristic: CBUUID, of service: CBUUID) -> CharacteristicIdentifier {
        CharacteristicIdentifier(
            uuid: characteristic.uuidString, service: ServiceIdentifier(uuid: service.uuidString))
    }
}

/// Runs a test with the changing peripheral and a central that is connected to it and has discovered everything. The
/// link must not have dropped in between.
func withChanging(
    sockets: Bool = false, _ options: String..., body: (Sensor, PlainCentral) async throws -> Void
) async throws {
    try await Lab.here.forgetEachOther()
    let sensor = try await Sensor(["--profile", Lab.profile("changing")] + options)
    let central = PlainCentral(sockets: sockets)
    do {
        try await central.connect(advertising: Changing.anchor.uuidString)
        try await central.discoverEverything()
        try await body(sensor, central)
        try await central.disconnect()
    } catch {
        // The next test needs the controllers.
        central.giveUp()
        _ = try? await sensor.process.interrupt()
        throw error
    }
    #expect(central.disconnections.values.allSatisfy { $0 == "asked for" })
    try await sensor.stop()
}

extension PlainCentral {
    /// The changes that were reported to the app so far, in short: the last digits of the UUIDs of the removed
    /// services.
    var changeSummary: [String] {
        changes.values.map { services in
            services.map { String($0.uuid.uuidString.prefix(8).suffix(3)) }.sorted().joined(separator: "+")
        }
    }

    /// The numbers that a counter has sent.
    func numbers(_ characteristic: CBUUID) -> [UInt32] {
        values.values.filter { $0.characteristic.uuid == characteristic }.map { value in
            value.value.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// Waits until a counter has sent something new, and checks that no number is missing.
    func expectUnbroken(_ characteristic: CBUUID, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let known = numbers(characteristic).count
        try await until("a number of \(characteristic)") { self.numbers(characteristic).count > known }
        let numbers = self.numbers(characteristic)
        #expect(
            zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(numbers)", sourceLocation: sourceLocation)
    }

    /// Waits until bluetoothd is through with what it does by itself after a change: it answers requests in their
    /// order.
    ///
    /// A service that goes while bluetoothd (5.66) still asks for the Database Hash after an earlier change stays in
    /// its table: it has the hash of the table without the service then, and does not look.
    func settle() async throws {
        let twin = try await services.first { $0.uuid == Changing.twin }
        guard let name = try twin?.found(Changing.name) else { throw LabError("no service to read from") }
        _ = try await read(name)
    }

    /// Waits until values that come make a condition true.
    private func until(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition() {
            guard ContinuousClock.now < deadline else { throw LabError("no sign of \(what)") }
            _ = try await values.values(values.values.count + 1, within: .seconds(20))
        }
    }
}
