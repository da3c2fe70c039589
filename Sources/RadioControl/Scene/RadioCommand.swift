package import VirtualRadio

/// Something that changes the radio's scene: a step of a scene's timeline, or a request over the control socket.
package enum RadioCommand: Equatable, Sendable {
    /// `nil`: as the distance has it.
    case strength(Pair, Int?)
    /// From 0 to 1.
    case loss(Pair, Double)
    case block(Pair, Bool)
    /// In nanoseconds.
    case move(String, Position, over: Int)
    /// In dB.
    case body(String, Double)
    /// In nanoseconds; `nil`: until it is removed.
    case jam(String, Jammer, span: Int?)
    case unjam(String)
    case phantom(PhantomGroup)
    case remove(String)

    /// Two devices, by the names or addresses that the user gave.
    package struct Pair: Equatable, Sendable {
        package let first: String
        package let second: String
    }

    /// The devices that it is about.
    var devices: [String] {
        switch self {
        case .strength(let pair, _), .loss(let pair, _), .block(let pair, _): [pair.first, pair.second]
        case .move(let name, _, _), .body(let name, _): [name]
        case .jam, .unjam, .phantom, .remove: []
        }
    }
}
