import DBus
import Foundation

/// Where local services are registered (BlueZ: `org.bluez.GattManager`, `doc/gatt-api.txt`).
enum GattManager {
    static let interface = "org.bluez.GattManager1"
}

/// Where advertisements are registered (BlueZ: `org.bluez.LEAdvertisingManager`, `doc/advertising-api.txt`).
enum AdvertisingManager {
    static let interface = "org.bluez.LEAdvertisingManager1"
}

extension Adapter {
    /// Calls a method of another interface of the adapter's object.
    func call(
        _ interface: String, _ method: String, _ arguments: [BusValue],
        timeout: Duration? = BusConnection.defaultTimeout
    ) async throws {
        var call = methodCall(method, arguments)
        call.interface = interface
        do {
            _ = try await connection.call(call, timeout: timeout)
        } catch let error as BusError {
            throw BlueZError(error)
        }
    }
}
