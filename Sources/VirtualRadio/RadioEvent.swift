/// Something that has happened in a radio. Controllers and phantoms are named by their index.
public enum RadioEvent: Equatable, Sendable {
    case linkBegan(central: Int, peripheral: Int)
    /// A link has ended for one of its ends, with a reason as HCI has it. (Core Specification, Vol 1 Part F)
    case linkEnded(device: Int, peer: Int, reason: UInt8)
    /// The ends of a link are too far from each other, or too much is between them.
    case outOfRange(central: Int, peripheral: Int)
    case inRange(central: Int, peripheral: Int)
}

/// Which links are out of range. It looks at times, because nothing happens by itself when somebody walks.
struct RangeWatch {
    static let interval = 100 * Span.millisecond

    private var lost: Set<ObjectIdentifier> = []

    mutating func check(_ radio: Radio) {
        for link in radio.links where link.isOpen {
            let (central, peripheral) = (link.central.controller.index, link.peripheral.controller.index)
            let isLost = !radio.air.areInRange(central, peripheral, link.phy)
            guard isLost != lost.contains(ObjectIdentifier(link)) else { continue }
            if isLost {
                lost.insert(ObjectIdentifier(link))
                radio.report(.outOfRange(central: central, peripheral: peripheral))
            } else {
                lost.remove(ObjectIdentifier(link))
                radio.report(.inRange(central: central, peripheral: peripheral))
            }
        }
    }

    mutating func forget(_ link: Link) {
        lost.remove(ObjectIdentifier(link))
    }
}
