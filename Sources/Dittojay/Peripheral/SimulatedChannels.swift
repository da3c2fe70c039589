import CoreBluetooth

/// The L2CAP channels of a peripheral: offers them, and serves the centrals that open them. Used on the peripheral's
/// queue only.
final class SimulatedChannels {
    private let profiles: [ChannelProfile]
    private let queue: DispatchQueue
    private let events: EventOutput
    private weak var server: (any GATTServer)?
    /// Those whose offer is not answered yet, in the order of the calls.
    private var pending: [ChannelProfile] = []
    private var offered: [CBL2CAPPSM: ChannelProfile] = [:]
    private var sessions: [ObjectIdentifier: ChannelSession] = [:]

    init(_ profiles: [ChannelProfile], queue: DispatchQueue, events: EventOutput) {
        self.profiles = profiles
        self.queue = queue
        self.events = events
    }

    /// Bluetooth is on: offers the channels.
    func start(_ server: any GATTServer) {
        self.server = server
        offered = [:]
        pending = profiles
        for profile in profiles { server.publishL2CAPChannel(at: profile.psm, withEncryption: profile.isEncrypted) }
    }

    /// Bluetooth is off: nothing is offered any longer. What is open ends with its link.
    func interrupt() {
        offered = [:]
        pending = []
    }

    /// Closes and withdraws everything.
    func stop() {
        for session in sessions.values { session.end(nil) }
        if let server, server.state == .poweredOn {
            for psm in offered.keys { server.unpublishL2CAPChannel(psm) }
        }
        interrupt()
    }

    /// The number of a channel; nil while it is not offered.
    func psm(of name: String) -> CBL2CAPPSM? { offered.first { $0.value.name == name }?.key }

    // MARK: Reports of the manager

    func published(_ psm: CBL2CAPPSM, error: (any Error)?) {
        guard !pending.isEmpty else { return }
        let profile = pending.removeFirst()
        if let error {
            let reason = error.localizedDescription
            return events.report(failure: "cannot publish the L2CAP channel \(profile.name): \(reason)")
        }
        offered[psm] = profile
        events.report(.channelOffered) { ($0.channel, $0.psm) = (profile.name, Int(psm)) }
    }

    func opened(_ channel: CBL2CAPChannel) {
        guard let profile = offered[channel.psm] else { return }
        let central = (channel.peer as? CBCentral).map { PeripheralEvent.Central(address: $0.bluetoothAddress ?? "?") }
        let session: ChannelSession
        do {
            session = try ChannelSession(channel, profile, queue: queue)
        } catch {
            return events.report(failure: "the L2CAP channel \(profile.name): \(error.localizedDescription)")
        }
        sessions[ObjectIdentifier(session)] = session
        events.report(.channelOpened) { event in
            (event.channel, event.psm, event.central) = (profile.name, Int(channel.psm), central)
        }
        session.onEnd = { [weak self, unowned session] error in
            guard let self else { return }
            sessions[ObjectIdentifier(session)] = nil
            events.report(.channelClosed) { event in
                (event.channel, event.psm, event.central) = (profile.name, Int(channel.psm), central)
                (event.received, event.sent) = (session.received, session.sent)
                event.message = error?.localizedDescription
            }
        }
        session.start()
    }
}
