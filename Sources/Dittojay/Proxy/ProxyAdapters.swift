import BlueZ
import MainLoop

/// The two controllers of a proxy: one for the device, and one for the centrals.
struct ProxyAdapters: Hashable, Swift.Sendable {
    let peripheral: AdapterLease.Description
    let central: AdapterLease.Description

    /// Chooses the controllers.
    ///
    /// - Parameters:
    ///   - peripheral: the name or address of the one for the centrals. Nil: one that is left.
    ///   - central: the same for the device.
    /// - Throws: ``DittojayError``; ``BlueZError`` when bluetoothd cannot be reached.
    @LoopActor
    init(peripheral: String?, central: String?, session: BlueZSession) async throws {
        self = try await session.choose { try Self.choose(peripheral, central, among: session) }
    }

    @LoopActor
    private init(_ peripheral: Adapter, _ central: Adapter) {
        self.peripheral = .init(name: peripheral.name, address: peripheral.address)
        self.central = .init(name: central.name, address: central.address)
    }

    @LoopActor
    private static func choose(
        _ peripheral: String?, _ central: String?, among session: BlueZSession
    ) throws(DittojayError) -> ProxyAdapters {
        let named = (try adapter(peripheral, session), try adapter(central, session))
        let spare = session.adapters.filter { adapter in
            adapter.address != named.0?.address && adapter.address != named.1?.address
        }.sorted { $0.isPowered && !$1.isPowered }
        guard let first = named.0 ?? spare.first(where: { $0.address != named.1?.address }),
            let second = named.1 ?? spare.first(where: { $0.address != first.address })
        else {
            throw .noAdapter(
                "a proxy requires two Bluetooth adapters, one for the device and one for the centrals, but "
                    + (session.adapters.count == 1 ? "only one was found" : "none was found"))
        }
        guard first.address != second.address else {
            throw .noAdapter("\(first.name) cannot be on both sides: --adapter and --device-adapter must differ")
        }
        return ProxyAdapters(first, second)
    }

    @LoopActor
    private static func adapter(_ name: String?, _ session: BlueZSession) throws(DittojayError) -> Adapter? {
        guard let name else { return nil }
        if let adapter = session.adapter(named: name) { return adapter }
        let known = session.adapters.map { "\($0.name) \($0.address)" }.joined(separator: ", ")
        throw .noAdapter("no Bluetooth adapter \(name); available: \(known)")
    }
}
