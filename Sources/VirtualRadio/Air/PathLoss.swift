import Glibc

/// How much weaker a signal becomes on its way: the log-distance model with log-normal shadowing. (Rappaport, Wireless
/// Communications, 4.9)
struct PathLoss {
    /// In dBm, from a device that sends with 0 dBm.
    var atOneMetre = -59.0
    /// 2 in the open; 2.2 to 2.4 indoors.
    var exponent = 2.0
    /// From packet to packet, in dB.
    var deviation = 2.0

    /// In dBm. Nearer than 10 cm it does not become stronger.
    func mean(from first: Position, to second: Position) -> Double {
        let distance = max(0.1, hypot(first.x - second.x, first.y - second.y))
        return atOneMetre - 10 * exponent * log10(distance)
    }
}
