import DBus
import Foundation
package import MainLoop

/// The scanning of one adapter, shared by all clients in this process.
///
/// bluetoothd has one scan for each program, so the clients' filters are merged into one, and each device is compared
/// with each client's filter here. The scan is restarted from time to time: controllers that filter duplicates, and
/// kernels (6.1) that drop a report while discovery is still starting, otherwise keep an advertiser from being seen for
/// many seconds.
///
/// That has no effect while another program scans, too: a bluetoothd that scans already goes on as it is, unless the
/// programs' filters ask the kernel for something else than before (`update_discovery_filter` in src/adapter.c). The
/// controller has reported what is in range by then, and reports it again with the kernel's next scan, up to 10 s
/// later. So new clients get what bluetoothd has of the scan under way.
@LoopActor
package final class Discovery {
    private struct Client {
        let filter: DiscoveryFilter
        let onSighting: @LoopActor (Device) -> Void
        /// The devices that were reported before what the scan under way had found; nil once that was reported.
        var early: Set<ObjectPath>? = []
    }

    /// The time until the next restart, in milliseconds. The first ones come soon, when users wait.
    private static let restartIntervals = [150, 250, 400, 600, 900, 1400, 2000, 3000, 5000]
    /// How long bluetoothd keeps the filter after the last scan. A connection often follows at once, and would wait.
    private static let filterTime = Duration.seconds(1)

    private weak var adapter: Adapter?
    private var clients: [Int: Client] = [:]
    private var nextKey = 0
    private var running: Task<Void, Never>?
    private var wakeUp: FirstOutcome<Void>?
    private var observation: Registration?
    private var restarts = 0
    /// What bluetoothd lets through; nil if it has no filter of this program.
    private var filterInForce: DiscoveryFilter?
    private var filterEnd: LoopSource?
    private var hidden = HiddenAdvertisers()
    private let now: () -> ContinuousClock.Instant

    init(_ adapter: Adapter, now: @escaping () -> ContinuousClock.Instant = { .now }) {
        self.adapter = adapter
        self.now = now
    }

    /// Scans until the registration is cancelled or released. `onSighting` is called each time that an advertisement is
    /// reported of a device that `filter` lets through, and first, later than this returns, once for each device that a
    /// scan under way has seen.
    package func start(
        _ filter: DiscoveryFilter, onSighting: @escaping @LoopActor (Device) -> Void
    ) -> Registration {
        nextKey += 1
        let key = nextKey
        clients[key] = Client(filter: filter, onSighting: onSighting)
        restarts = 0
        changed()
        return Registration { [weak self] in
            self?.clients[key] = nil
            self?.changed()
        }
    }

    /// Waits until bluetoothd has ended the scan after the last registration was cancelled. A connection that is made
    /// while the scan is on takes longer.
    package func waitUntilStopped() async {
        guard clients.isEmpty, let running else { return }
        await running.value
    }

    /// Takes back the filter of a scan that has stopped. It is taken back by itself after a second.
    package func takeFilterBack() async {
        filterEnd = nil
        guard running == nil, filterInForce != nil else { return }
        filterInForce = nil
        try? await adapter?.clearDiscoveryFilter()
    }

    private func changed() {
        wakeUp?.report()
        guard running == nil, !clients.isEmpty else { return }
        running = Task { [weak self] in await self?.run() }
    }

    private func run() async {
        observation = adapter?.session?.observe { [weak self] in self?.handle($0) }
        hidden = HiddenAdvertisers()
        filterEnd = nil
        var attempts = RetryLog(logger, "start a scan")
        while !clients.isEmpty, let adapter, adapter.isValid {
            let wanted = mergedFilter
            do {
                try await adapter.setDiscoveryFilter(wanted)
                filterInForce = wanted
                try await adapter.startDiscovery()
                attempts.ended("started")
                reportKnown(of: adapter)
            } catch {
                attempts.failed("\(error)")
                // Not powered, or another scan is just ending: it is tried again as long as there are clients. A scan
                // that bluetoothd believes to have begun, without having said so, is in the way of the next.
                try? await adapter.stopDiscovery()
                await sleep(milliseconds: 250)
                continue
            }
            if wanted == mergedFilter {
                let interval = Self.restartIntervals[min(restarts, Self.restartIntervals.count - 1)]
                restarts += 1
                await sleep(milliseconds: interval)
            }
            // It may have ended by itself, with the adapter's power.
            try? await adapter.stopDiscovery()
        }
        attempts.ended("given up")
        observation?.cancel()
        observation = nil
        running = nil
        // A client may have come while the last scan was being stopped.
        if !clients.isEmpty, adapter?.isValid == true { return changed() }
        filterEnd = .timer(after: Self.filterTime) { [weak self] in Task { await self?.takeFilterBack() } }
    }

    /// Returns early when the clients change.
    private func sleep(milliseconds: Int) async {
        let wakeUp = FirstOutcome<Void>()
        self.wakeUp = wakeUp
        await wakeUp.wait(within: .milliseconds(milliseconds))
        self.wakeUp = nil
    }

    /// What bluetoothd is asked for: all services, unless it is known to survive that some are asked for. If its
    /// release is not known, it counts as one that does not.
    private var mergedFilter: DiscoveryFilter {
        let filters = clients.values.map(\.filter)
        let takesAny =
            filters.contains { $0.serviceUUIDs.isEmpty } || adapter?.bluezVersion?.survivesServiceFilters != true
        return DiscoveryFilter(
            serviceUUIDs: takesAny ? [] : Set(filters.flatMap(\.serviceUUIDs)).sorted(),
            reportsDuplicates: filters.contains { $0.reportsDuplicates })
    }

    private func handle(_ event: BlueZEvent) {
        switch event {
        case .deviceAdded(let device) where device.rssi != nil: sighted(device)
        // With a filter set, each report changes the RSSI, or repeats it (src/adapter.c).
        case .deviceChanged(let device, let changes) where changes[Device1.rssi] != nil: sighted(device)
        default: break
        }
    }

    /// Reports to new clients what bluetoothd has of the scan under way: it has an RSSI for each device that was seen,
    /// and takes it back when the last program ends its scan (`discovery_cleanup` in src/adapter.c).
    private func reportKnown(of adapter: Adapter) {
        for (key, client) in clients {
            guard let early = client.early else { continue }
            clients[key]?.early = nil
            for device in adapter.devices where device.rssi != nil && !device.isConnected && clients[key] != nil {
                if !early.contains(device.path), client.filter.lets(device) { client.onSighting(device) }
            }
        }
    }

    private func sighted(_ device: Device) {
        guard device.adapter === adapter else { return }
        // bluetoothd's own filter applies to the advertisement, whatever services it reports.
        let isFiltered = filterInForce?.serviceUUIDs.isEmpty == false
        var isInDoubt = false
        for (key, client) in clients {
            if client.filter.lets(device) || (device.hidesAdvertisedServices && isFiltered) {
                clients[key]?.early?.insert(device.path)
                client.onSighting(device)
            } else if device.hidesAdvertisedServices {
                isInDoubt = true
            }
        }
        if isInDoubt { uncover(device) }
    }

    /// Makes bluetoothd forget a device whose advertised services it does not report, which is then found again with
    /// what it advertises. Nothing of worth is lost, and the device is back with its next advertisement.
    private func uncover(_ device: Device) {
        guard let adapter, !device.isWorthKeeping, hidden.isDue(device.path, at: now()) else { return }
        Task { try? await adapter.remove(device) }
    }
}

/// The devices that a scan sees and that may advertise the services in question, though bluetoothd reports others.
struct HiddenAdvertisers {
    /// A program that is connecting to a device that advertises succeeds within this time. The device is not removed
    /// before.
    static let timeout = Duration.seconds(2)

    private var firstSeen: [ObjectPath: ContinuousClock.Instant] = [:]
    private var uncovered: Set<ObjectPath> = []

    /// Notes that the device was seen. True once, when it has been seen for long enough: a device that is hidden again
    /// after it was forgotten advertises just that.
    mutating func isDue(_ device: ObjectPath, at now: ContinuousClock.Instant) -> Bool {
        guard !uncovered.contains(device) else { return false }
        let since = firstSeen[device] ?? now
        firstSeen[device] = since
        guard now - since >= Self.timeout else { return false }
        firstSeen[device] = nil
        uncovered.insert(device)
        return true
    }
}

extension DiscoveryFilter {
    @LoopActor
    fileprivate func lets(_ device: Device) -> Bool {
        serviceUUIDs.isEmpty || device.serviceUUIDs.contains { serviceUUIDs.contains($0) }
    }
}
