import Bluejay
import BluetoothLab
import Foundation

/// The peripheral of `uart.yaml`.
enum Uart {
    static let service = ServiceIdentifier(uuid: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    static let rx = characteristic(2), tx = characteristic(3), messages = characteristic(4), loop = characteristic(5)

    private static func characteristic(_ number: Int) -> CharacteristicIdentifier {
        CharacteristicIdentifier(uuid: "6E40000\(number)-B5A3-F393-E0A9-E50E24DCCA9E", service: service)
    }
}

/// The peripheral of `faulty.yaml`.
enum Faulty {
    static let service = ServiceIdentifier(uuid: uuid("000"))
    static let silent = characteristic("001"), refusing = characteristic("002")
    static let leavingOnRead = characteristic("003"), leavingOnWrite = characteristic("004")
    static let leavingOnNotify = characteristic("005"), slow = characteristic("006")
    static let stale = characteristic("007"), lossy = characteristic("008"), trigger = characteristic("009")
    static let optionalService = ServiceIdentifier(uuid: uuid("100"))
    static let optional = CharacteristicIdentifier(uuid: uuid("101"), service: optionalService)
    static let missing = CharacteristicIdentifier(uuid: uuid("201"), service: ServiceIdentifier(uuid: uuid("200")))

    private static func uuid(_ number: String) -> String { "F0000\(number)-0000-4000-8000-000000000000" }

    private static func characteristic(_ number: String) -> CharacteristicIdentifier {
        CharacteristicIdentifier(uuid: uuid(number), service: service)
    }
}

/// The peripheral of `twins.yaml`.
enum Twins {
    static let left = service("1"), right = service("2")
    static let leftValue = characteristic("A", left), rightValue = characteristic("A", right)
    static let mute = characteristic("B", right)

    private static func uuid(_ digit: String) -> String { "F100000\(digit)-0000-4000-8000-000000000000" }

    private static func service(_ digit: String) -> ServiceIdentifier { ServiceIdentifier(uuid: uuid(digit)) }

    private static func characteristic(_ digit: String, _ service: ServiceIdentifier) -> CharacteristicIdentifier {
        CharacteristicIdentifier(uuid: uuid(digit), service: service)
    }
}

extension Lab {
    /// The path of an example file.
    static func profile(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Fixtures/profiles/\(name).yaml").standardized.path
    }

    /// bluetoothd keeps what it knows of a device's services, and here each peripheral has the same address.
    func forgetEachOther() async throws {
        try await forget(Lab.sensorAddress, on: Lab.centralAdapter)
        try await forget(Lab.centralAddress, on: Lab.sensorAdapter)
    }
}

/// Runs a test with a sensor, and ends it also when the test has failed: the next one needs the controllers.
func withSensor(_ options: String..., body: (Sensor) async throws -> Void) async throws {
    let sensor = try await Sensor(options)
    do {
        try await body(sensor)
    } catch {
        _ = try? await sensor.process.interrupt()
        throw error
    }
    try await sensor.stop()
}

/// Runs a test with a peripheral from an example file and a central that is connected to it.
///
/// - Parameters:
///   - name: of the file, or its path.
///   - service: the UUID of a service that it advertises.
func withProfile(
    _ name: String, advertising service: String, body: (Sensor, Central) async throws -> Void
) async throws {
    try await withFound(name, advertising: service) { sensor, central, found in
        try await central.connect(found)
        try await body(sensor, central)
        try await central.disconnect()
    }
}

/// Runs a test with a peripheral from an example file and a central that has found it. The test may leave them
/// connected.
func withFound(
    _ name: String, advertising service: String, body: (Sensor, Central, PeripheralIdentifier) async throws -> Void
) async throws {
    try await Lab.here.forgetEachOther()
    let sensor = try await Sensor("--profile", name.hasPrefix("/") ? name : Lab.profile(name))
    let central = try await Central()
    do {
        try await body(sensor, central, try await central.find(service).peripheralIdentifier)
        if try await onMain({ [bluejay = central.bluejay] in bluejay.isConnected }) { try await central.disconnect() }
    } catch {
        // The next test needs the controllers.
        central.bluejay.cancelEverything()
        _ = try? await sensor.process.interrupt()
        throw error
    }
    try await sensor.stop()
}
