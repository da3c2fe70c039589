import MainLoop

/// What a peripheral needs of its controller besides Apple's API.
@LoopActor
protocol LinkControl: AnyObject, Swift.Sendable {
    /// A central has sent something, its first request over this link, or while it is not known as connected: its
    /// connection is to be confirmed.
    func confirmConnection(of address: String, mtu: Int)

    /// Ends the connections of all centrals, or of one.
    ///
    /// - Returns: the addresses of those that were connected.
    func disconnectCentrals(address: String?) async -> [String]

    /// How strong the connected centrals are received, in dBm by their addresses. Those whose signal the kernel does
    /// not report, to this user or at all, are missing.
    func signals() async -> [String: Int]

    /// Switches the controller off or on.
    ///
    /// - Throws: what bluetoothd refuses, or ``DittojayError``.
    func setPower(_ isOn: Bool) async throws
}
