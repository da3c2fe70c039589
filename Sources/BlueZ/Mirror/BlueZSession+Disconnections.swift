import DBus

/// Why links have ended.
extension BlueZSession {
    /// Newer releases (5.87, not 5.82) say why, before they say that the device is no longer connected.
    func deviceDisconnected(_ signal: BusSignal) {
        guard let name = signal.arguments.first.flatMap(String.init(busValue:)) else { return }
        device(at: signal.path)?.reportedReason = DisconnectionReason(bluezName: name) ?? .unknown
    }

    /// Notes with the devices what the kernel has reported until now.
    func noteEndedLinks() {
        for end in endedLinks() {
            let adapter = adapters.first { $0.index == end.controller }
            let device = adapter?.devices.first { $0.address == end.address || $0.firstAddress == end.address }
            device?.kernelReason = end.reason
        }
    }
}
