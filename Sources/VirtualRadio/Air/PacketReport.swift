/// What became of a packet at one of those that could hear it. Controllers and phantoms are named by their index.
public struct PacketReport: Equatable, Sendable {
    public enum Kind: String, Sendable {
        /// Of a connection; without bytes it only keeps the connection alive.
        case data
        case advertising
        /// A scanner's request, or the response to it.
        case scan
        /// A request to connect.
        case connect
    }

    public enum Fate: Equatable, Sendable {
        /// With its strength in dBm.
        case received(Int8)
        /// It was too weak, or got lost by ``Radio/setLoss(_:_:_:)``.
        case lost
        /// It would have been received without a jammer.
        case jammed
        /// Nothing passes between the two.
        case blocked
    }

    public let from: Int
    public let to: Int
    public let kind: Kind
    /// Of its payload.
    public let bytes: Int
    public let fate: Fate
}

/// Those who follow what is in the air.
extension Radio {
    /// Starts reporting what becomes of each packet; `nil` stops that. `output` must not call the radio, except to ask
    /// for the time and for places.
    ///
    /// It changes nothing: it does not use the random streams.
    public func observePackets(_ output: ((PacketReport) -> Void)?) {
        air.observer = output
    }

    /// Calls `output` whenever strengths have changed, and again and again while somebody is on the way; `nil`: no
    /// more.
    public func observePlaces(_ output: (() -> Void)?) {
        placeObserver = output
    }
}
