import Glibc

/// How much weaker a signal becomes on its way: the log-distance model with log-normal shadowing. (Rappaport, Wireless
/// Communications, 4.9)
public struct PathLoss: Sendable, Equatable {
    /// In dBm, from a device that sends with 0 dBm.
    public var atOneMetre = -59.0
    /// 2 in the open; 2.2 to 2.4 indoors.
    public var exponent = 2.0
    /// From packet to packet, in dB.
    public var deviation = 2.0

    public init() {}

    /// In dBm. Nearer than 10 cm it does not become stronger.
    func mean(from first: Position, to second: Position) -> Double {
        let distance = max(0.1, first.distance(to: second))
        return atOneMetre - 10 * exponent * log10(distance)
    }
}
