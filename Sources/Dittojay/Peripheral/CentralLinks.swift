import BlueZ
import CoreBluetooth
import MainLoop

/// Which centrals are connected, and how their links are ended. Used on the peripheral's queue only.
final class CentralLinks {
    /// Called when a central has connected or disconnected.
    var onOccurrence: ((Occurrence) -> Void)?
    /// Called with a central's address when it has paired, has failed to, or has disconnected.
    var onPairingEnd: ((String) -> Void)?

    private let queue: DispatchQueue
    private let events: EventOutput
    private let unanswered: UnansweredRequests
    private var control: (any LinkControl)?
    /// By address, as the controller reports them.
    private var centrals: [String: PeripheralEvent.Central] = [:]
    /// By the address of the central, whose link ``drop(_:)`` is ending.
    private var drops: [String: Drop] = [:]

    /// The end of a link that has not been answered.
    private struct Drop {
        var linkHasEnded = false
        /// The central was back before the answer, and its new link is to end, too.
        var isRepeated = false
    }

    /// - Parameter unanswered: what is answered when a link ends.
    init(queue: DispatchQueue, events: EventOutput, unanswered: UnansweredRequests) {
        self.queue = queue
        self.events = events
        self.unanswered = unanswered
    }

    /// Selects the links of this controller.
    func use(_ control: any LinkControl) {
        self.control = control
    }

    /// Whether there is a controller whose links can be ended.
    var canEnd: Bool { control != nil }

    /// The centrals that are connected, in the order of their addresses.
    var connected: [PeripheralEvent.Central] { centrals.values.sorted { $0.address < $1.address } }

    func handle(_ event: AdapterLease.Event) {
        switch event {
        case .connected(let address):
            let central = centrals[address] ?? PeripheralEvent.Central(address: address)
            centrals[address] = central
            events.report(.connected) { $0.central = central }
            onOccurrence?(Occurrence(.connected))
        case .disconnected(let address, let reason):
            let central = centrals.removeValue(forKey: address) ?? PeripheralEvent.Central(address: address)
            unanswered.release(from: address)
            if drops[address] != nil { drops[address] = Drop(linkHasEnded: true) }
            onPairingEnd?(address)
            events.report(.disconnected) { ($0.central, $0.reason) = (central, reason.map { "\($0)" }) }
            onOccurrence?(Occurrence(.disconnected))
        case .activity(let address, let mtu): centrals[address] = PeripheralEvent.Central(address: address, mtu: mtu)
        case .staleLink(let address): unanswered.release(from: address)
        case .paired(let address):
            onPairingEnd?(address)
            events.report(.paired) { $0.central = .init(address: address) }
        case .pairingFailed(let address, let reason):
            onPairingEnd?(address)
            events.report(.pairingFailed) { ($0.central, $0.message) = (.init(address: address), reason) }
        case .failed(let message): events.report(failure: message)
        }
    }

    /// The central that has sent a request. How much fits into a notification to it is noted.
    ///
    /// Only the controller knows whether a central is connected: the request may come from one that no longer is.
    func note(_ central: CBCentral) -> PeripheralEvent.Central {
        let known = PeripheralEvent.Central(central)
        let former = centrals[known.address]
        if former != nil { centrals[known.address] = known }
        // The controller hears of the first request of a link.
        if former?.mtu == nil, let control {
            let mtu = central.attMTU
            MainLoop.shared.async { control.confirmConnection(of: known.address, mtu: mtu) }
        }
        return known
    }

    /// Reports how strong the centrals are received, as far as the kernel says.
    func measureSignals(_ reply: @escaping (ControlReply) -> Void) {
        // As in `end`: it is called on this queue only.
        nonisolated(unsafe) let reply = reply
        Task { [control, queue] in
            let signals = await control?.signals() ?? [:]
            queue.async {
                var answer = ControlReply()
                answer.signals = signals.sorted { $0.key < $1.key }.map { .init(central: $0.key, rssi: $0.value) }
                reply(answer)
            }
        }
    }

    /// Switches the controller off, which ends all links, or on.
    func setPower(_ isOn: Bool, _ reply: @escaping (ControlReply) -> Void) {
        guard let control else { return reply(ControlReply(error: "Bluetooth is not ready yet")) }
        let release = releaseOpen(from: nil)
        // As in `end`.
        nonisolated(unsafe) let done = { [unanswered] (answer: ControlReply) in
            if !isOn { unanswered.endIsOver(of: nil) }
            reply(answer)
        }
        Task { [queue] in
            if !isOn { await release() }
            var answer = ControlReply()
            do {
                try await control.setPower(isOn)
            } catch {
                answer = ControlReply(error: "cannot switch Bluetooth \(isOn ? "on" : "off"): \(error)")
            }
            queue.async { [answer] in done(answer) }
        }
    }

    /// Ends the link of one central, unless that is under way already.
    func drop(_ address: String) {
        if let drop = drops[address] {
            drops[address]?.isRepeated = drop.linkHasEnded
            return
        }
        drops[address] = Drop()
        end(address) { [self] _ in
            if drops.removeValue(forKey: address)?.isRepeated == true { drop(address) }
        }
    }

    /// Ends the links of all centrals, or of one, and reports the addresses of those that were connected.
    ///
    /// When a link ends while bluetoothd 5.66 waits for the answer to a request of it, it uses memory that it has
    /// freed, and may crash (seen: 5 s after the request, when it stops waiting). So requests that were to get no
    /// answer get one after all, right before the link ends, and those that come until then at once.
    func end(_ address: String? = nil, _ done: @escaping ([String]) -> Void) {
        guard let control else { return done([]) }
        let release = releaseOpen(from: address)
        // It goes to the bus's actor and back, and is called on this queue only.
        nonisolated(unsafe) let end = { [unanswered] (addresses: [String]) in
            unanswered.endIsOver(of: address)
            done(addresses)
        }
        Task { [queue] in
            await release()
            let addresses = await control.disconnectCentrals(address: address)
            queue.async { end(addresses) }
        }
    }

    /// What releases the open requests of a central whose link is to end, or of all. It does so in a turn of the queue:
    /// who handled a request in an earlier one has let go of it.
    private func releaseOpen(from address: String?) -> @Sendable () async -> Void {
        // Used on the queue only.
        nonisolated(unsafe) let unanswered = unanswered
        return { [queue] in
            await withCheckedContinuation { turn in
                queue.async {
                    unanswered.beginEnd(of: address)
                    turn.resume()
                }
            }
        }
    }
}

extension PeripheralEvent.Central {
    /// A central as CoreBluetooth knows it.
    init(_ central: CBCentral) {
        self.init(address: central.bluetoothAddress ?? central.identifier.uuidString, mtu: central.attMTU)
    }
}
