import DBus
package import Foundation
package import MainLoop

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
            completion(result.withoutValue)
        }
    }
}
