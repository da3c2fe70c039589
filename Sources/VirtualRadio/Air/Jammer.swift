/// Something that disturbs the receivers around it.
public enum Jammer: Sendable, Equatable {
    /// It sends with a power that is so strong at one metre, in dBm within the receiver's channel, in that part of the
    /// time, from 0 to 1. Only real air knows noise.
    case noise(at: Position, power: Double, duty: Double)
    /// Who is not further away, in metres, receives less: that part of the packets is lost, from 0 to 1.
    case loss(at: Position, radius: Double, part: Double)
}
