import Testing

@testable import VirtualRadio

/// Positions, walls, bodies, moves and jammers.
@Suite(.onThreadOfTheirOwn) struct PlaceTests {
    /// Two controllers, 10 m from each other.
    private func pair(_ air: AirModel = .real, seed: UInt64 = 1) -> Pair {
        let pair = Pair(.v4_2, seed: seed, air: air)
        pair.radio.move(0, to: Position(x: 0, y: 0))
        pair.radio.move(1, to: Position(x: 10, y: 0))
        return pair
    }

    @Test func `a wall weakens what goes through it`() {
        let radio = pair().radio
        #expect(radio.strength(0, 1) == -79)
        radio.walls = [
            Wall(from: Position(x: 5, y: -1), to: Position(x: 5, y: 1), loss: 4),
            Wall(from: Position(x: 7, y: 1), to: Position(x: 7, y: -1), loss: 12),
            Wall(from: Position(x: 5, y: 1), to: Position(x: 5, y: 9), loss: 50),
            Wall(from: Position(x: 11, y: -1), to: Position(x: 11, y: 1), loss: 50),
        ]
        #expect(radio.strength(0, 1) == -95 && radio.strength(1, 0) == -95)
        radio.move(1, to: Position(x: 4, y: 0))
        #expect(abs(radio.strength(0, 1) - -71.04) < 0.01)
    }

    @Test func `a body weakens everything that its device sends and receives`() {
        let radio = pair().radio
        radio.setAttenuation(0, 6)
        #expect(radio.strength(0, 1) == -85 && radio.strength(1, 0) == -85)
        radio.setAttenuation(1, 3)
        #expect(radio.strength(0, 1) == -88)
        radio.setSignal(0, 1, -50)
        #expect(radio.strength(0, 1) == -50)
    }

    @Test func `the path loss can be another`() {
        let radio = pair().radio
        radio.pathLoss.exponent = 3
        radio.pathLoss.atOneMetre = -40
        #expect(radio.strength(0, 1) == -70)
    }

    @Test func `a move takes its time`() throws {
        let radio = pair().radio
        radio.move(1, to: Position(x: 20, y: 20), over: 10 * Span.second)
        radio.advance(to: 4 * Span.second)
        #expect(radio.position(of: 1) == Position(x: 14, y: 8))
        radio.move(1, to: Position(x: 14, y: 0), over: 2 * Span.second)
        radio.advance(to: 5 * Span.second)
        #expect(radio.position(of: 1) == Position(x: 14, y: 4))
        radio.advance(to: 60 * Span.second)
        #expect(radio.position(of: 1) == Position(x: 14, y: 0))
        #expect(radio.position(of: 2) == nil)
    }

    @Test func `who walks away leaves the range, loses the link, and is told so`() throws {
        let pair = pair()
        pair.radio.move(1, to: Position(x: 1, y: 0))
        let journal = Journal()
        pair.radio.observe { journal.events.append($0) }
        _ = pair.connect(timeout: 200)
        pair.advance(200)
        _ = (pair.central.take(), pair.peripheral.take())
        // 98.5 dBm is at 94 m.
        pair.radio.move(1, to: Position(x: 201, y: 0), over: 100 * Span.second)
        pair.advance(30_000)
        #expect(journal.events == [.linkBegan(central: 1, peripheral: 0)])
        pair.advance(70_000)
        let events = journal.events
        #expect(events.count == 4 && events[1] == .outOfRange(central: 1, peripheral: 0))
        #expect(events.contains(.linkEnded(device: 1, peer: 0, reason: 8)))
        #expect(events.contains(.linkEnded(device: 0, peer: 1, reason: 8)))
    }

    @Test func `who comes back in time keeps the link`() {
        let pair = pair()
        let journal = Journal()
        _ = pair.connect(timeout: 200)
        pair.radio.observe { journal.events.append($0) }
        pair.advance(1_000)
        pair.radio.setBlocked(0, 1, true)
        pair.advance(1_500)
        pair.radio.setBlocked(0, 1, false)
        pair.advance(10_000)
        #expect(journal.events == [.outOfRange(central: 1, peripheral: 0), .inRange(central: 1, peripheral: 0)])
    }

    @Test func `noise makes packets get lost while it is there`() {
        let radio = pair()
        func received() -> Int {
            var random = RandomSource(seed: 3)
            return (0..<1_000).count { _ in radio.radio.air.receive(0, 1, .le1M, payload: 37, &random) != nil }
        }
        #expect(received() == 1_000)
        radio.radio.setJammer("oven", .noise(at: Position(x: 10, y: 1), power: -60, duty: 0.5))
        #expect(450...550 ~= received())
        // As strong as the signal it disturbs, 20 dB weaker it does not.
        radio.radio.setJammer("oven", .noise(at: Position(x: 10, y: 1), power: -100, duty: 0.5))
        #expect(received() == 1_000)
        radio.radio.setJammer("oven", nil)
        #expect(received() == 1_000 && radio.radio.jammers.isEmpty)
    }

    @Test func `a jammer takes a part of the packets around it`() {
        let radio = pair(.ideal).radio
        radio.setJammer("crowd", .loss(at: Position(x: 10, y: 2), radius: 3, part: 0.3))
        var random = RandomSource(seed: 3)
        let there = (0..<1_000).count { _ in radio.air.receive(0, 1, .le1M, payload: 37, &random) != nil }
        let back = (0..<1_000).count { _ in radio.air.receive(1, 0, .le1M, payload: 37, &random) != nil }
        #expect(650...750 ~= there && back == 1_000)
    }

    @Test func `what becomes of each packet is reported, and changes nothing`() {
        func course(_ isObserved: Bool) -> ([PacketReport.Fate], received: Int) {
            let radio = pair().radio
            let journal = Journal()
            if isObserved { radio.observePackets { journal.fates.append($0.fate) } }
            var random = RandomSource(seed: 3)
            var received = 0
            func send(_ count: Int) {
                for _ in 0..<count where radio.air.receive(0, 1, .le1M, payload: 37, &random) != nil { received += 1 }
            }
            send(100)
            radio.setLoss(0, 1, 0.5)
            send(100)
            radio.setLoss(0, 1, 0)
            radio.setJammer("oven", .noise(at: Position(x: 10, y: 1), power: -60, duty: 0.5))
            send(100)
            radio.setBlocked(0, 1, true)
            send(10)
            return (journal.fates, received)
        }
        let (fates, received) = course(true)
        #expect(fates.count == 310 && received == course(false).received)
        #expect(fates.count { if case .received = $0 { true } else { false } } == received)
        #expect(fates[100..<200].contains(.lost) && !fates[..<200].contains(.jammed))
        #expect(fates[200..<300].contains(.jammed) && fates[300...].allSatisfy { $0 == .blocked })
    }

    @Test func `an hour's walk is soon over`() {
        let pair = pair()
        pair.radio.walls = (0..<20).map { number in
            let place = Double(number * 10)
            return Wall(from: Position(x: place, y: -5), to: Position(x: place, y: 5), loss: 1)
        }
        for number in 0..<50 {
            let address = DeviceAddress((0xC0, 0, 0, 0, 0, UInt8(number)), isRandom: true)
            let place = Position(x: Double(number), y: 1)
            _ = pair.radio.add(Phantom(address: address, data: [2, 1, 6], interval: Span.second, position: place))
        }
        pair.radio.move(1, to: Position(x: 3_000, y: 0), over: 3_600 * Span.second)
        pair.central.result(0x200B, [0, 0x60, 0, 0x30, 0, 0, 0])
        pair.central.result(0x200C, [1, 1])
        let began = ContinuousClock.now
        pair.advance(3_600_000)
        #expect(pair.central.take().count == 50)
        #expect(ContinuousClock.now - began < .seconds(60))
    }

    @Test func `everything is as in the beginning without a scene`() {
        let radio = pair().radio
        radio.walls = [Wall(from: Position(x: 5, y: -1), to: Position(x: 5, y: 1), loss: 4)]
        radio.setAttenuation(0, 7)
        radio.setSignal(0, 1, -20)
        radio.setBlocked(0, 1, true)
        radio.setJammer("oven", .loss(at: Position(x: 0, y: 0), radius: 1, part: 1))
        _ = radio.add(Phantom(address: DeviceAddress((1, 2, 3, 4, 5, 6)), data: [], position: Position(x: 0, y: 0)))
        #expect(radio.indexes == [0, 1, 2])
        radio.clearScene()
        #expect(radio.indexes == [0, 1])
        #expect(radio.strength(0, 1) == -59 && radio.air.areInRange(0, 1, .le1M))
        #expect(radio.jammers.isEmpty && radio.walls.isEmpty)
    }
}

final class Journal {
    var events: [RadioEvent] = []
    var fates: [PacketReport.Fate] = []
}
