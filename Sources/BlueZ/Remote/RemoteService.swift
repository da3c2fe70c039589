import DBus
import Foundation
import MainLoop

/// A GATT service of a remote device.
@LoopActor
package final class RemoteService: RemoteObject<GattService1> {
    package private(set) weak var device: Device?

    init(path: ObjectPath, properties: PropertyValues<GattService1>, device: Device, session: BlueZSession) {
        self.device = device
        super.init(path: path, properties: properties, session: session)
    }

    /// The 128-bit UUID in lower case.
    package var uuid: String { properties[GattService1.uuid] ?? "" }
    /// Whether it is a primary service.
    ///
    /// bluetoothd (5.66, `discovery_parse_services`) takes a primary service for a secondary one if its handles overlap
    /// those of a service that the device had before. But a secondary service is there to be included, so one that no
    /// other includes is primary, whatever bluetoothd says.
    package var isPrimary: Bool {
        if properties[GattService1.primary] ?? true { return true }
        return device?.services.contains { $0.includes.contains(path) } == false
    }
    /// The paths of the included services.
    package var includes: [ObjectPath] { properties[GattService1.includes] ?? [] }

    /// In the order of their handles.
    package var characteristics: [RemoteCharacteristic] {
        characteristicsByPath.values.sorted { $0.path.string < $1.path.string }
    }
    var characteristicsByPath: [ObjectPath: RemoteCharacteristic] = [:]
}

/// A descriptor of a remote characteristic.
@LoopActor
package final class RemoteDescriptor: RemoteObject<GattDescriptor1> {
    package private(set) weak var characteristic: RemoteCharacteristic?

    init(
        path: ObjectPath, properties: PropertyValues<GattDescriptor1>, characteristic: RemoteCharacteristic,
        session: BlueZSession
    ) {
        self.characteristic = characteristic
        super.init(path: path, properties: properties, session: session)
    }

    /// The 128-bit UUID in lower case.
    package var uuid: String { properties[GattDescriptor1.uuid] ?? "" }

    /// Reads the value, up to 512 bytes.
    package func read(completion: @escaping @LoopActor (Result<Data, any Error>) -> Void) {
        call(GattDescriptor1.readValue, [[String: BusValue]().busValue], timeout: .seconds(60)) { result in
            completion(result.flatMap { reply in Result { try reply.first(as: Data.self) } })
        }
    }

    /// Writes the value.
    package func write(_ value: Data, completion: @escaping @LoopActor (Result<Void, any Error>) -> Void) {
        call(GattDescriptor1.writeValue, [.bytes(value), [String: BusValue]().busValue], timeout: .seconds(60)) {
            result in
            completion(result.map { _ in })
        }
    }
}
