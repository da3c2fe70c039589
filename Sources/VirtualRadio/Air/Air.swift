import Glibc

/// What the air is like.
public enum AirModel: String, Sendable {
    /// A packet takes no time and is not lost, and an advertiser is heard soon after a scan begins.
    case ideal
    /// Everything takes its time: packets are sent at intervals, take their time in the air, and get lost.
    case real
}

/// Who hears whom, and how well.
final class Air {
    var model: AirModel
    var loss = PathLoss()
    var walls: [Wall] = []
    /// By their name, and in the order of it, so that random numbers are drawn in the same order.
    private var jammers: [(name: String, jammer: Jammer)] = []
    private let clock: VirtualClock
    /// By the index of the controller.
    private var motions: [Motion] = []
    /// What weakens everything that a controller sends and receives, such as a body, in dB.
    private var attenuations: [Double] = []
    /// Set by hand, by ``pair(_:_:)``.
    private var signals: [Int: Int] = [:]
    private var losses: [Int: Double] = [:]
    private var blocked: Set<Int> = []
    /// Gets what becomes of each packet.
    var observer: ((PacketReport) -> Void)?

    init(_ model: AirModel, clock: VirtualClock = VirtualClock()) {
        self.model = model
        self.clock = clock
    }

    /// Everything as in the beginning, except for the model.
    func clear() {
        let count = motions.count
        loss = PathLoss()
        (walls, jammers, motions, attenuations) = ([], [], [], [])
        (signals, losses, blocked) = ([:], [:], [])
        place(count - 1)
    }

    /// Controllers begin in a row, a metre apart.
    func place(_ index: Int) {
        while motions.count <= index {
            motions.append(Motion(at: Position(x: Double(motions.count), y: 0)))
            attenuations.append(0)
        }
    }

    /// Forgets what is known of a controller.
    func remove(_ index: Int) {
        setAttenuation(index, 0)
        signals = signals.filter { !Self.isOf($0.key, index) }
        losses = losses.filter { !Self.isOf($0.key, index) }
        blocked = blocked.filter { !Self.isOf($0, index) }
    }

    func move(_ index: Int, to position: Position, over span: Int = 0) {
        place(index)
        motions[index] = Motion(from: self.position(index), to: position, began: clock.now, span: max(0, span))
    }

    func position(_ index: Int) -> Position {
        motions.indices.contains(index) ? motions[index].position(clock.now) : Position(x: Double(index), y: 0)
    }

    /// Where a controller is going, and how long it is on the way yet, if it is.
    func destination(_ index: Int) -> (position: Position, left: Int)? {
        guard motions.indices.contains(index), motions[index].end > clock.now else { return nil }
        return (motions[index].to, motions[index].end - clock.now)
    }

    /// When all have arrived, if somebody is on the way.
    var lastArrival: Instant? {
        let now = clock.now
        return motions.lazy.map(\.end).filter { $0 > now }.max()
    }

    func setAttenuation(_ index: Int, _ loss: Double) {
        place(index)
        attenuations[index] = loss
    }

    func attenuation(_ index: Int) -> Double {
        attenuations.indices.contains(index) ? attenuations[index] : 0
    }

    /// Sets the signal strength of each for the other, or returns it to what their distance gives.
    func setSignal(_ first: Int, _ second: Int, _ strength: Int?) {
        signals[Self.pair(first, second)] = strength
    }

    /// Sets which part of their packets gets lost, from 0 to 1, beside those that are too weak.
    func setLoss(_ first: Int, _ second: Int, _ part: Double) {
        losses[Self.pair(first, second)] = part > 0 ? part : nil
    }

    func setBlocked(_ first: Int, _ second: Int, _ isBlocked: Bool) {
        if isBlocked { blocked.insert(Self.pair(first, second)) } else { blocked.remove(Self.pair(first, second)) }
    }

    func isBlocked(_ first: Int, _ second: Int) -> Bool {
        !blocked.isEmpty && blocked.contains(Self.pair(first, second))
    }

    func setJammer(_ name: String, _ jammer: Jammer?) {
        jammers.removeAll { $0.name == name }
        guard let jammer else { return }
        let place = jammers.firstIndex { $0.name > name } ?? jammers.count
        jammers.insert((name, jammer), at: place)
    }

    var jammerNames: [String] { jammers.map(\.name) }

    func jammer(_ name: String) -> Jammer? { jammers.first { $0.name == name }?.jammer }

    /// A number for two controllers in any order.
    private static func pair(_ first: Int, _ second: Int) -> Int {
        first < second ? first << 32 | second : second << 32 | first
    }

    private static func isOf(_ pair: Int, _ index: Int) -> Bool {
        pair >> 32 == index || pair & 0xFFFF_FFFF == index
    }
}

/// Strengths and losses.
extension Air {
    /// The strength with which one hears the other on average, in dBm.
    func mean(_ first: Int, _ second: Int) -> Double {
        if !signals.isEmpty, let strength = signals[Self.pair(first, second)] { return Double(strength) }
        guard motions.indices.contains(first), motions.indices.contains(second) else { return -127 }
        let (from, to) = (position(first), position(second))
        return loss.mean(from: from, to: to) - wallLoss(from, to) - attenuations[first] - attenuations[second]
    }

    private func wallLoss(_ first: Position, _ second: Position) -> Double {
        var loss = 0.0
        for wall in walls where wall.isCrossed(first, second) { loss += wall.loss }
        return loss
    }

    /// The strength with which one hears a packet of the other, in dBm. It differs from packet to packet in real air,
    /// unless it is set by hand.
    func signal(_ first: Int, _ second: Int, _ random: inout RandomSource) -> Double {
        let mean = mean(first, second)
        guard model == .real, signals.isEmpty || signals[Self.pair(first, second)] == nil else { return mean }
        return mean + loss.deviation * random.normal()
    }

    /// The strength with which the second receives a packet of the first, in dBm, or `nil` if it is lost.
    func receive(
        _ first: Int, _ second: Int, _ phy: PHY, _ kind: PacketReport.Kind = .data, payload: Int,
        _ random: inout RandomSource
    ) -> Int8? {
        let fate = fate(first, second, phy, payload: payload, &random)
        observer?(PacketReport(from: first, to: second, kind: kind, bytes: payload, fate: fate))
        guard case .received(let strength) = fate else { return nil }
        return strength
    }

    private func fate(
        _ first: Int, _ second: Int, _ phy: PHY, payload: Int, _ random: inout RandomSource
    ) -> PacketReport.Fate {
        guard !isBlocked(first, second) else { return .blocked }
        let strength = signal(first, second, &random)
        if !losses.isEmpty, let part = losses[Self.pair(first, second)], random.unit() < part { return .lost }
        var noise = 0.0
        if !jammers.isEmpty {
            guard let disturbance = disturbance(second, &random) else { return .jammed }
            noise = disturbance
        }
        guard model == .real else { return .received(Self.reported(strength)) }
        let chance = random.unit()
        let rate = { PacketErrors.rate(strength: strength, phy, payload: payload, noise: $0) }
        if chance < rate(noise) { return noise > 0 && chance >= rate(0) ? .jammed : .lost }
        return .received(Self.reported(strength))
    }

    /// What jammers add to the noise of a receiver, in milliwatts, or `nil` if they make it miss the packet.
    private func disturbance(_ receiver: Int, _ random: inout RandomSource) -> Double? {
        let place = position(receiver)
        var noise = 0.0
        for (_, jammer) in jammers {
            switch jammer {
            case .noise(let position, let power, let duty):
                guard model == .real, random.unit() < duty else { continue }
                let attenuation = wallLoss(position, place) + attenuations[receiver]
                let strength = loss.mean(from: position, to: place) - loss.atOneMetre + power - attenuation
                noise += pow(10, strength / 10)
            case .loss(let position, let radius, let part):
                if position.distance(to: place) <= radius, random.unit() < part { return nil }
            }
        }
        return noise
    }

    /// Whether more than half of the shortest packets between two would arrive, jammers aside.
    func areInRange(_ first: Int, _ second: Int, _ phy: PHY) -> Bool {
        guard !isBlocked(first, second) else { return false }
        return model == .ideal || PacketErrors.rate(strength: mean(first, second), phy, payload: 0) <= 0.5
    }

    /// As HCI has it: whole dBm from -127 to 20.
    static func reported(_ strength: Double) -> Int8 {
        Int8(max(-127, min(20, strength.rounded())))
    }
}
