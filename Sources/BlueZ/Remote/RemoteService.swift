import DBus
import Foundation
import MainLoop

/// A GATT service of a remote device (BlueZ: `org.bluez.GattService`, `doc/gatt-api.txt`).
@LoopActor
package final class RemoteService: RemoteObject {
    static let interface = "org.bluez.GattService1"

    package private(set) weak var device: Device?

    init(path: ObjectPath, properties: [String: BusValue], device: Device, session: BlueZSession) {
        self.device = device
        super.init(path: path, interface: Self.interface, properties: properties, session: session)
    }

    /// The 128-bit UUID in lower case.
    package var uuid: String { property("UUID") ?? "" }
    /// Whether it is a primary service.
    ///
    /// bluetoothd (5.66, `discovery_parse_services`) takes a primary service for a secondary one if its handles overlap
    /// those of a service that the device had before. But a secondary service is there to be included, so one that no
    /// other includes is primary, whatever bluetoothd says.
    package var isPrimary: Bool {
        if property("Primary") ?? true { return true }
        return device?.services.contains { $0.includes.contains(path) } == false
    }
    /// The paths of the included services.
    package var includes: [ObjectPath] { property("Includes") ?? [] }

    /// In the order of their handles.
    package var characteristics: [RemoteCharacteristic] {
        characteristicsByPath.values.sorted { $0.path.string < $1.path.string }
    }
    var characteristicsByPath: [ObjectPath: RemoteCharacteristic] = [:]
}

/// A descriptor of a remote characteristic (BlueZ: `org.bluez.GattDescriptor`).
@LoopActor
package final class RemoteDescriptor: RemoteObject {
    static let interface = "org.bluez.GattDescriptor1"

    package private(set) weak var characteristic: RemoteCharacteristic?

    init(
        path: ObjectPath, properties: [String: BusValue], characteristic: RemoteCharacteristic, session: BlueZSession
    ) {
        self.characteristic = characteristic
        super.init(path: path, interface: Self.interface, properties: properties, session: session)
    }

    /// The 128-bit UUID in lower case.
    package var uuid: String { property("UUID") ?? "" }

    /// Reads the value, up to 512 bytes.
    package func read(completion: @escaping @LoopActor (Result<Data, any Error>) -> Void) {
        call("ReadValue", [[String: BusValue]().busValue], timeout: .seconds(60)) { result in
            completion(result.flatMap { reply in Result { try reply.first(as: Data.self) } })
        }
    }

    /// Writes the value.
    package func write(_ value: Data, completion: @escaping @LoopActor (Result<Void, any Error>) -> Void) {
        call("WriteValue", [.bytes(value), [String: BusValue]().busValue], timeout: .seconds(60)) { result in
            completion(result.map { _ in })
        }
    }
}
