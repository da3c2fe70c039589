import BlueZ
import MainLoop

/// Devices whose services were still being found when the link ended.
///
/// When a link ends early, bluetoothd 5.66 keeps the services found so far. Next time it takes them for the complete
/// list, with wrong handles: it then reads the wrong attributes, and can crash. If it forgets the device, it discovers
/// the services again.
extension PeripheralLink {
    /// How long bluetoothd may take to forget a device. It takes some milliseconds.
    private static let forgettingTimeout: Duration = .seconds(2)

    /// The device, if bluetoothd knows half of its services and no pairing would be lost with it.
    var halfKnownDevice: Device? {
        guard !isResolved, phase != .connecting, let device, !device.isPaired else { return nil }
        return device
    }

    /// Makes bluetoothd forget the device. The app is to learn of the link's end after that: a program that ends then
    /// takes along what it has not sent yet.
    func forget(_ device: Device) async {
        guard let adapter = device.adapter else { return }
        let forgotten = FirstOutcome<Void>()
        Task {
            // An error means that it has forgotten the device already.
            try? await adapter.remove(device)
            forgotten.report()
        }
        await forgotten.wait(within: Self.forgettingTimeout)
    }
}
