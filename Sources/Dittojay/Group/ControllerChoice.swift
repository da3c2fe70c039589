import BlueZ
import MainLoop

/// Which controllers several peripherals run on, one on each.
package struct ControllerChoice: Hashable, Swift.Sendable {
    /// Controllers by name or address, one for each peripheral; empty to choose those that are free.
    package var given: [String]
    /// The one that comes before the others if none are given and it is free.
    package var first: String?
    /// One that is not to be chosen.
    package var reserved: String?

    package init(given: [String] = [], first: String? = nil, reserved: String? = nil) {
        self.given = given
        self.first = first
        self.reserved = reserved
    }

    /// The controllers as peripherals are to be given them: as they were given, or by name.
    ///
    /// - Throws: ``BlueZError`` when bluetoothd cannot be reached; ``DittojayError``: there are fewer than `count`, one
    ///   does not exist, or two are the same.
    @LoopActor
    func controllers(_ count: Int, of session: BlueZSession) async throws -> [String] {
        try await session.choose {
            try given.isEmpty ? choose(count, from: await free(in: session)) : check(session)
        }
    }

    /// Whether all that were given are there, and different.
    @LoopActor
    private func check(_ session: BlueZSession) throws(DittojayError) -> [String] {
        var seen: [String: String] = [:]
        for name in given {
            guard let adapter = session.adapter(named: name) else {
                throw .noAdapter("no Bluetooth adapter \(name); \(Self.known(session))")
            }
            if let other = seen.updateValue(name, forKey: adapter.address) {
                throw .adapterUnusable("\(other) and \(name) are the same Bluetooth adapter")
            }
        }
        return given
    }

    /// The controllers that nothing is known to use: they can be a peripheral, and do not advertise, scan, or have a
    /// link.
    @LoopActor
    private func free(in session: BlueZSession) async -> [String] {
        let first = first.flatMap { session.adapter(named: $0) }
        let reserved = reserved.flatMap { session.adapter(named: $0) }
        let others = session.adapters.filter { $0 !== first && $0 !== reserved }
        var free: [String] = []
        for adapter in (first.map { [$0] } ?? []) + others {
            guard adapter.offersGattManager, adapter.offersAdvertising, !adapter.isDiscovering,
                !adapter.devices.contains(where: \.isConnected), (try? await adapter.advertisementCount()) == 0
            else { continue }
            free.append(adapter.name)
        }
        return free
    }

    private func choose(_ count: Int, from free: [String]) throws(DittojayError) -> [String] {
        guard free.count >= count else {
            let list = free.isEmpty ? "" : ": " + free.joined(separator: ", ")
            let are = free.count == 1 ? "is" : "are"
            throw .noAdapter("\(count) peripherals need a Bluetooth adapter each, but \(free.count) \(are) free\(list)")
        }
        return Array(free.prefix(count))
    }

    @LoopActor
    private static func known(_ session: BlueZSession) -> String {
        let known = session.adapters.map { "\($0.name) \($0.address)" }.joined(separator: ", ")
        return known.isEmpty ? "none is available" : "available: \(known)"
    }
}
