import MainLoop

extension BlueZSession {
    /// Makes bluetoothd forget devices that are paired with this machine: their keys, their link and their cached
    /// services.
    ///
    /// A device that has lost its keys cannot connect to this machine, or be connected to, until this is done:
    /// bluetoothd refuses to pair again by itself (`JustWorksRepairing` in its settings).
    ///
    /// - Parameters:
    ///   - adapter: by name or address; all adapters if nil.
    ///   - isMeant: whether a device is to be forgotten. It is asked of paired devices only.
    /// - Returns: the addresses of those that were forgotten, in order.
    /// - Throws: ``BlueZError``; what was forgotten before stays forgotten.
    package func unpair(
        on adapter: String? = nil, where isMeant: @LoopActor (Device) -> Bool
    ) async throws -> [String] {
        try await waitUntilAvailable()
        var addresses: [String] = []
        for candidate in try adapters(named: adapter) {
            for device in candidate.devices where device.isPaired && isMeant(device) {
                try await candidate.remove(device)
                addresses.append(device.address)
            }
        }
        return addresses
    }

    /// Makes bluetoothd forget devices that it has only seen, so that what it has of them is what they advertise now.
    /// What must not be lost, such as a connection or a pairing, is kept.
    ///
    /// - Throws: ``BlueZError``.
    package func forgetSeenDevices(
        on adapter: String? = nil, where isMeant: @LoopActor (Device) -> Bool
    ) async throws {
        try await waitUntilAvailable()
        for candidate in try adapters(named: adapter) {
            for device in candidate.devices where !device.isWorthKeeping && isMeant(device) {
                try await candidate.remove(device)
            }
        }
    }

    /// A device by its address.
    package func device(_ address: String, on adapter: String? = nil) throws(BlueZError) -> Device? {
        try adapters(named: adapter).lazy.flatMap(\.devices).first { $0.address == address }
    }

    /// The addresses of the devices whose advertised services bluetoothd does not report; see
    /// ``Device/hidesAdvertisedServices``.
    package func devicesHidingAdvertisedServices(on adapter: String? = nil) throws(BlueZError) -> Set<String> {
        Set(try adapters(named: adapter).flatMap(\.devices).filter(\.hidesAdvertisedServices).map(\.address))
    }

    private func adapters(named name: String?) throws(BlueZError) -> [Adapter] {
        guard let name else { return adapters }
        guard let adapter = adapter(named: name) else { throw .objectRemoved("the Bluetooth adapter \(name)") }
        return [adapter]
    }
}
