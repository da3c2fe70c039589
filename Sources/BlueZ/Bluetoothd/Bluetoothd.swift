package import DBus

/// BlueZ's daemon, as it is reached over the bus.
package enum Bluetoothd {
    /// Its name on the bus.
    package static let busName = "org.bluez"
}

extension BusConnection {
    /// Asks bluetoothd for a property.
    ///
    /// - Throws: ``BlueZError``, or `CancellationError`.
    package func fetch<Interface, Value>(
        _ property: InterfaceProperty<Interface, Value>, at path: ObjectPath
    ) async throws -> Value {
        let reply = try await bluezCall(.get(property, of: Bluetoothd.busName, at: path))
        do {
            return try reply.value(of: property)
        } catch {
            throw BlueZError(error)
        }
    }

    /// Calls bluetoothd.
    ///
    /// - Throws: ``BlueZError``, or `CancellationError`.
    func bluezCall(_ call: MethodCall, timeout: Duration? = defaultTimeout) async throws -> MethodReply {
        do {
            return try await self.call(call, timeout: timeout)
        } catch let error as BusError {
            throw BlueZError(error)
        }
    }
}
