package import VirtualRadio

/// Device positions, walls, and a timeline of events.
package struct Scene: Equatable, Sendable {
    package var air = AirModel.real
    package var seed: UInt64 = 1
    package var pathLoss = PathLoss()
    package var walls: [Wall] = []
    package var devices: [Device] = []
    package var phantoms: [PhantomGroup] = []
    package var jammers: [(name: String, jammer: Jammer)] = []
    package var timeline: [Step] = []

    /// A controller with a host.
    package struct Device: Equatable, Sendable {
        package let name: String
        /// `hci0`, with two hosts `a/hci0`.
        package let controller: String
        package var position: Position?
        /// In dB.
        package var body = 0.0
    }

    package struct Step: Equatable, Sendable {
        /// In nanoseconds since the scene began.
        package let time: Int
        package let command: RadioCommand
    }

    package static func == (left: Scene, right: Scene) -> Bool {
        left.air == right.air && left.seed == right.seed && left.pathLoss == right.pathLoss
            && left.walls == right.walls && left.devices == right.devices && left.phantoms == right.phantoms
            && left.timeline == right.timeline && left.jammers.map(\.name) == right.jammers.map(\.name)
            && left.jammers.map(\.jammer) == right.jammers.map(\.jammer)
    }

    /// So much there may be at a time.
    package enum Limit {
        package static let walls = 500
        package static let devices = 250
        package static let phantoms = 2_000
        package static let jammers = 50
        package static let steps = 10_000
        static let services = 20
        static let characteristics = 50
        static let faults = 50
    }
}

/// One phantom or many of a kind.
package struct PhantomGroup: Equatable, Sendable {
    package let name: String
    package var count = 1
    /// Of a single one; others have addresses from the seed.
    package var address: DeviceAddress?
    /// The corners of the place that they are in.
    package var place = (Position(x: 0, y: 0), Position(x: 0, y: 0))
    /// In nanoseconds.
    package var interval = 100 * Span.millisecond
    package var data: [UInt8] = []
    package var response: [UInt8] = []
    package var body = 0.0
    package var peripheral: PhantomPeripheral?

    package static func == (left: PhantomGroup, right: PhantomGroup) -> Bool {
        left.name == right.name && left.count == right.count && left.address == right.address
            && left.place == right.place && left.interval == right.interval && left.data == right.data
            && left.response == right.response && left.body == right.body && left.peripheral == right.peripheral
    }

    /// The phantoms, each with its name. The same seed and the same name have the same ones.
    package func phantoms(seed: UInt64) -> [(name: String, phantom: Phantom)] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var random = RandomSource(seed: seed ^ hash)
        return (1...max(1, count)).map { number in
            // A static random address: the two highest bits are set. (Core Specification, Vol 6 Part B, 1.3.2.1)
            let generated = DeviceAddress(bits: random.next() | 0xC000_0000_0000, isRandom: true)
            let (x, y) = (random.unit(), random.unit())
            let position = Position(
                x: place.0.x + (place.1.x - place.0.x) * x, y: place.0.y + (place.1.y - place.0.y) * y)
            let phantom = Phantom(
                address: address ?? generated, data: data, scanResponse: response, interval: interval,
                position: position, attenuation: body)
            return (count == 1 ? name : "\(name)-\(number)", phantom)
        }
    }
}
