/// A connection, seen from outside: both its ends, and what passes between them.
final class Link {
    unowned let radio: Radio
    let isReal: Bool
    var parameters: ConnectionParameters
    private(set) var central: Connection!
    private(set) var peripheral: Connection!

    /// While encryption begins or is renewed, no data is sent.
    var isPaused = false
    /// Whether the ends do not hear each other, in ideal air.
    private var isSilent = false
    var encryption = Encryption.off
    /// Whether the parameters are about to change.
    var isUpdating = false
    /// The largest payload of a packet, the same in both directions.
    var payload = 27
    /// Of both directions.
    var phy = PHY.le1M
    /// Whether its channels follow the algorithm #2, which both ends know, and not #1. (Vol 6 Part B, 4.5.8)
    let hasSecondAlgorithm: Bool

    private lazy var answerLimit = Timer(radio.clock) { [unowned self] in
        for end in ends { end.close(.linkLayerResponseTimeout) }
    }
    /// How long a procedure may take. (Core Specification, Vol 6 Part B, 5.2)
    private static let maximumTimeout = 40 * Span.second

    /// What a sniffer knows of it.
    var trace = LinkTrace()

    // What follows is for real air.
    /// Of everything random in this connection.
    private let seed: UInt64
    /// For the current connection event.
    var random: RandomSource
    /// What happens after this many events in which the ends heard each other.
    private var procedures: [Procedure] = []
    /// When the current connection event began.
    var anchor: Instant = 0
    var skippedEvents = 0
    lazy var eventTimer = Timer(radio.clock) { [unowned self] in beginEvent() }
    lazy var exchangeTimer = Timer(radio.clock) { [unowned self] in endExchange() }
    var exchange = Exchange()

    private struct Procedure {
        var events: Int
        let action: () -> Void
    }

    /// Makes a connection from the first controller to the other, each with the address that it uses, as the other
    /// knows it.
    init(
        _ radio: Radio, _ parameters: ConnectionParameters, from first: Controller,
        known firstAddress: ResolvedAddress,
        to second: Controller, known secondAddress: ResolvedAddress
    ) {
        self.radio = radio
        self.parameters = parameters
        isReal = radio.air.model == .real
        seed = radio.randomStreams.begin(.link(from: first.index, to: second.index))
        random = RandomSource(seed: seed)
        hasSecondAlgorithm = first.kind.knowsSecondAlgorithm && second.kind.knowsSecondAlgorithm
        central = Connection(self, first, isCentral: true, own: firstAddress.sent, peer: secondAddress)
        peripheral = Connection(self, second, isCentral: false, own: secondAddress.sent, peer: firstAddress)
    }

    var ends: [Connection] { [central, peripheral] }
    var isOpen: Bool { central.isOpen || peripheral.isOpen }

    /// Whether what an end sends is at the other at once.
    var carriesAtOnce: Bool { !isReal && !isPaused && !isSilent && central.isOpen && peripheral.isOpen }

    /// Whether the peripheral hears the request to connect.
    func isRequestHeard(payload: Int) -> Bool {
        let (sender, receiver) = (central.controller.index, peripheral.controller.index)
        return radio.air.receive(sender, receiver, .le1M, .connect, payload: payload, &random) != nil
    }

    /// Each connection event has its own part of this connection's random stream, however many packets are
    /// exchanged in those before.
    func beginChance() {
        random = RandomSource(seed: RandomStreams.mix(seed, UInt64(truncatingIfNeeded: trace.events) + 1))
    }

    /// Begins to live, after the hosts have been informed of it.
    func begin() {
        central.controller.beginDataLength(central)
        guard isReal else { return checkSilence() }
        for end in ends { end.supervise(in: 6 * parameters.intervalSpan) }
        anchor = radio.now + Span.intervalUnit
        eventTimer.set(anchor)
    }

    /// Runs `action` when the ends have met that often, if the connection lasts.
    func inEvents(_ count: Int, _ action: @escaping () -> Void) {
        guard !isReal else { return procedures.append(Procedure(events: count, action: action)) }
        radio.clock.once(in: count * parameters.intervalSpan) { [weak self] in
            guard let self, isOpen else { return }
            // They go on when the ends hear each other again.
            if isSilent { inEvents(1, action) } else { action() }
        }
    }

    var hasProcedures: Bool { !procedures.isEmpty }

    /// A host is asked for something without which the procedure cannot go on.
    func awaitHost() {
        answerLimit.set(in: Self.maximumTimeout)
    }

    /// The host has answered.
    func hostAnswered() {
        answerLimit.cancel()
    }

    /// The ends have heard each other once more, in real air.
    func advanceProcedures() {
        guard !procedures.isEmpty else { return }
        var due: [Procedure] = []
        for index in procedures.indices { procedures[index].events -= 1 }
        procedures.removeAll { procedure in
            guard procedure.events <= 0 else { return false }
            due.append(procedure)
            return true
        }
        for procedure in due where isOpen { procedure.action() }
    }

    /// Data flows again.
    func resume() {
        isPaused = false
        for end in ends { end.sendWaiting() }
    }

    /// One of the ends is closed.
    func endClosed() {
        guard !isOpen else { return checkSilence() }
        eventTimer.cancel()
        exchangeTimer.cancel()
        answerLimit.cancel()
        procedures = []
        radio.remove(self)
    }

    /// In ideal air the supervision timeout runs while the ends do not hear each other.
    func checkSilence() {
        guard !isReal else { return }
        let areBothThere = central.isOpen && peripheral.isOpen
        let isNow = !areBothThere || radio.air.isBlocked(central.controller.index, peripheral.controller.index)
        guard isNow != isSilent else { return }
        isSilent = isNow
        for end in ends where end.isOpen {
            if isSilent { end.supervise(in: parameters.timeoutSpan) } else { end.stopSupervision() }
        }
        for end in ends { end.sendWaiting() }
    }
}
