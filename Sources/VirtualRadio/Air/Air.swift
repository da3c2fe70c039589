/// What the air is like.
public enum AirModel: String, Sendable {
    /// A packet takes no time and is not lost, and an advertiser is heard soon after a scan begins.
    case ideal
    /// Everything takes its time: packets are sent at intervals, take their time in the air, and get lost.
    case real
}

/// Where a controller is, in metres.
public struct Position: Sendable, Equatable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// Who hears whom, and how well.
final class Air {
    let model: AirModel
    private let loss = PathLoss()
    /// By the index of the controller.
    private var positions: [Position] = []
    /// Set by hand, by ``pair(_:_:)``.
    private var signals: [Int: Int] = [:]
    private var losses: [Int: Double] = [:]
    private var blocked: Set<Int> = []

    init(_ model: AirModel) {
        self.model = model
    }

    /// Controllers begin in a row, a metre apart.
    func place(_ index: Int) {
        while positions.count <= index { positions.append(Position(x: Double(positions.count), y: 0)) }
    }

    func move(_ index: Int, to position: Position) {
        place(index)
        positions[index] = position
    }

    /// Sets the signal strength of each for the other, or returns it to what their distance gives.
    func setSignal(_ first: Int, _ second: Int, _ strength: Int?) {
        signals[pair(first, second)] = strength
    }

    /// Sets which part of their packets gets lost, from 0 to 1, beside those that are too weak.
    func setLoss(_ first: Int, _ second: Int, _ part: Double) {
        losses[pair(first, second)] = part > 0 ? part : nil
    }

    func setBlocked(_ first: Int, _ second: Int, _ isBlocked: Bool) {
        if isBlocked { blocked.insert(pair(first, second)) } else { blocked.remove(pair(first, second)) }
    }

    func isBlocked(_ first: Int, _ second: Int) -> Bool {
        !blocked.isEmpty && blocked.contains(pair(first, second))
    }

    /// A number for two controllers in any order.
    private func pair(_ first: Int, _ second: Int) -> Int {
        first < second ? first << 32 | second : second << 32 | first
    }

    /// The strength with which one hears a packet of the other, in dBm. It differs from packet to packet in real air.
    func signal(_ first: Int, _ second: Int, _ random: inout RandomSource) -> Double {
        if !signals.isEmpty, let strength = signals[pair(first, second)] { return Double(strength) }
        guard positions.indices.contains(first), positions.indices.contains(second) else { return -127 }
        let mean = loss.mean(from: positions[first], to: positions[second])
        return model == .ideal ? mean : mean + loss.deviation * random.normal()
    }

    /// The strength with which a packet is received, in dBm, or `nil` if it is lost.
    func receive(_ first: Int, _ second: Int, _ phy: PHY, payload: Int, _ random: inout RandomSource) -> Int8? {
        guard !isBlocked(first, second) else { return nil }
        let strength = signal(first, second, &random)
        if !losses.isEmpty, let part = losses[pair(first, second)], random.unit() < part { return nil }
        if model == .real, random.unit() < PacketErrors.rate(strength: strength, phy, payload: payload) { return nil }
        return Self.reported(strength)
    }

    /// As HCI has it: whole dBm from -127 to 20.
    static func reported(_ strength: Double) -> Int8 {
        Int8(max(-127, min(20, strength.rounded())))
    }
}
