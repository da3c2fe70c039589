package import DBus
import Foundation
package import MainLoop

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
