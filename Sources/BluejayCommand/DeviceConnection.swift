import CoreBluetooth
import LineOutput

/// A connection to the device that a command is about, and what the device has. The failures of requests name what was
/// attempted on what.
@MainActor
struct DeviceConnection {
    let link: AsyncPeripheral
    let table: AttributeTable
    /// The device as the user has named it.
    let device: String
    /// How long the device may take to answer a request, in seconds.
    let answerTimeout: Double
    /// Whether notifications come from sockets.
    let usesSockets: Bool

    private static var hasWarned = false

    var peripheral: CBPeripheral { link.peripheral }

    /// Reads a value.
    func read(_ target: ValueAttribute) async throws -> Data {
        try await attempt("read", target) {
            try await link.read(target, within: answerTimeout)
        }
    }

    /// Writes a value and waits for the answer.
    func write(_ value: Data, to target: ValueAttribute) async throws {
        try await attempt("write", target) {
            try await link.write(value, to: target, within: answerTimeout)
        }
    }

    /// Writes a value without response as soon as there is room for it.
    func writeWithoutResponse(_ value: Data, to characteristic: CBCharacteristic) async throws {
        try await attempt("write", .characteristic(characteristic)) {
            try await link.writeWithoutResponse(value, to: characteristic, within: answerTimeout)
        }
    }

    /// Waits until there is room for a write without response.
    func waitForRoom(_ characteristic: CBCharacteristic) async throws {
        try await attempt("write", .characteristic(characteristic)) {
            try await link.waitForRoom(within: answerTimeout)
        }
    }

    /// Turns notifications or indications on. What notification sockets lose then is said on standard error, once.
    func subscribe(to characteristic: CBCharacteristic) async throws {
        try await attempt("listen to", .characteristic(characteristic)) {
            try await link.subscribe(to: characteristic, within: answerTimeout)
        }
        guard usesSockets, !Self.hasWarned else { return }
        Self.hasWarned = true
        StandardError.write(
            "bluejay: values sent before the device confirms the subscription are lost: bluetoothd passes them to no "
                + "socket (--sockets)")
    }

    /// Turns notifications or indications off.
    func unsubscribe(from characteristic: CBCharacteristic) async throws {
        try await attempt("stop listening to", .characteristic(characteristic)) {
            try await link.unsubscribe(from: characteristic, within: answerTimeout)
        }
    }

    /// Opens an L2CAP channel.
    func openChannel(_ psm: CBL2CAPPSM) async throws -> CBL2CAPChannel {
        do {
            return try await link.openL2CAPChannel(psm, within: answerTimeout)
        } catch {
            throw CommandError(
                error, attempt: "cannot open the L2CAP channel at PSM \(psm) of \(device)", device: device)
        }
    }

    /// Waits for the end of a connection that is being ended; whether it has come.
    func hasEnded() async -> Bool { await link.waitForEnd(within: AsyncPeripheral.endTimeout) }

    private func attempt<Answer>(
        _ verb: String, _ target: ValueAttribute, _ request: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await request()
        } catch {
            throw CommandError(error, attempt: "cannot \(verb) \(name(of: target))", device: device)
        }
    }

    /// The attribute in words, with the device: `body-sensor-location of Dittojay`, with the path where it is one of
    /// several.
    func name(of target: ValueAttribute) -> String {
        let path = table.path(of: target)
        switch target {
        case .characteristic(let characteristic):
            return "\(path.contains("#") ? path : characteristic.label) of \(device)"
        case .descriptor: return "\(path) of \(device)"
        }
    }
}
