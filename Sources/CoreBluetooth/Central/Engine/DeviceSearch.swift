import BlueZ
import MainLoop

/// Scans until bluetoothd has an object for a device.
@LoopActor
final class DeviceSearch {
    private let discovery: Discovery
    private let find: @LoopActor () -> Device?
    private var continuation: CheckedContinuation<Device?, Never>?
    private var scanning: Registration?
    private var isCancelled = false

    init(_ discovery: Discovery, find: @escaping @LoopActor () -> Device?) {
        self.discovery = discovery
        self.find = find
    }

    func run() async -> Device? {
        guard !isCancelled else { return nil }
        return await withCheckedContinuation { continuation in
            self.continuation = continuation
            scanning = discovery.start(DiscoveryFilter()) { [weak self] _ in self?.look() }
        }
    }

    /// To be called when bluetoothd has a new device.
    func look() {
        if let device = find() { finish(device) }
    }

    func cancel() {
        isCancelled = true
        finish(nil)
    }

    private func finish(_ device: Device?) {
        scanning?.cancel()
        scanning = nil
        continuation?.resume(returning: device)
        continuation = nil
    }
}
