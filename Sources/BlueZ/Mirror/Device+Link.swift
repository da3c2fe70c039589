import MainLoop

/// What can be found out about the link to a device. What cannot, in this kernel or with these privileges, is nil.
package struct LinkDetails: Hashable, Swift.Sendable {
    /// In dBm.
    package var rssi: Int?
    package var parameters: LinkParameters?
    package var phys: LinkPHYs?
    package var isEncrypted: Bool?
}

extension Device {
    /// Asks the kernel and the controller about the link.
    ///
    /// - Parameter monitor: one that was there before the link.
    /// - Returns: nil without a link.
    package func linkDetails(_ monitor: LinkMonitor?) async -> LinkDetails? {
        guard isConnected, let controller = adapter?.index,
            let entry = KernelLinks.entry(controller: controller, address: address)
        else { return nil }
        let rssi = try? await readRSSI()
        return LinkDetails(
            rssi: rssi == 127 ? nil : rssi, parameters: monitor?.parameters(controller: controller, address: address),
            phys: await LinkPHYs.read(controller: controller, handle: entry.handle), isEncrypted: entry.isEncrypted)
    }
}
