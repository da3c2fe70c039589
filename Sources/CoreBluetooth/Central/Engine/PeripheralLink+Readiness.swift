import BlueZ
import MainLoop

/// Whether a link that is up can be used.
extension PeripheralLink {
    /// How long the services of a link that somebody else has made may take: bluetoothd gives each of its requests 30
    /// s, and whoever has made the link waits for them, too.
    private static let foreignResolutionTimeout: Duration = .seconds(31)

    /// Whether a link that is up already can be used. One that a bluetoothd which died has left behind cannot: the
    /// kernel keeps it for a while, but nobody speaks ATT over it, and `Connect` takes it for a connection all the
    /// same.
    ///
    /// Nor can one that another program, which may have ended since, has asked bluetoothd to end.
    func isUsable(_ device: Device) async -> Bool {
        if device.areServicesResolved {
            // It may have ended by the time that this is answered.
            guard await device.isBeingDisconnected() else { return device.isConnected && device.areServicesResolved }
            await waitForEnd(of: device, atMost: Self.disconnectionTimeout)
            return false
        }
        // Somebody else may be connecting at this moment.
        await waitForServices(of: device, atMost: Self.foreignResolutionTimeout)
        if device.isConnected, !device.areServicesResolved, phase == .connecting { try? await device.disconnect() }
        return device.isConnected && device.areServicesResolved
    }

    /// Whether the link to a paired device lasts. bluetoothd may call `Connect` a success and then find that the link
    /// has ended because it could not be encrypted (5.66). As a rule it knows the services of such a device at once.
    func isEncrypted(_ device: Device) async -> Bool {
        guard device.isPaired, !device.areServicesResolved else { return true }
        await waitForServices(of: device, atMost: session.timing.encryption)
        return device.isConnected
    }

    /// Waits for the services, or the end of the link.
    private func waitForServices(of device: Device, atMost limit: Duration) async {
        await wait(atMost: limit) { !device.isConnected || device.areServicesResolved }
    }

    private func waitForEnd(of device: Device, atMost limit: Duration) async {
        await wait(atMost: limit) { !device.isConnected }
    }

    /// Waits until what bluetoothd reports of the device meets a condition, or the attempt is given up.
    private func wait(atMost limit: Duration, until condition: @escaping @LoopActor () -> Bool) async {
        guard !condition() else { return }
        let end = FirstOutcome<Void>()
        onExistingLinkChange = { if condition() { end.report() } }
        onCancel = { end.report() }
        await end.wait(within: limit)
        onExistingLinkChange = nil
        onCancel = nil
    }
}
