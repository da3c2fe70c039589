import Testing

@testable import VirtualRadio

@Suite(.onThreadOfTheirOwn) struct RealAirTests {
    @Test(arguments: [(-96, 0.0), (-97, 13), (-98, 39), (-99, 75)])
    func `advertisements get lost by their strength`(strength: Int, percent: Double) {
        let pair = Pair(.v4_2, air: .real)
        pair.radio.setSignal(0, 1, strength)
        pair.peripheral.advertise([UInt8](repeating: 1, count: 31))
        pair.central.result(0x200B, [0, 0x60, 0, 0x60, 0, 0, 0])
        pair.central.result(0x200C, [1, 0])
        // An event comes every 105 ms on average.
        pair.advance(10_000 * 105)
        let events = 10_000.0
        let lost = 100 * (1 - Double(pair.central.take().count) / events)
        #expect(abs(lost - percent) < (percent == 0 ? 4 : 2), "\(lost) %")
    }

    @Test(arguments: [
        (PHY.le1M, 251, -96, 15.0), (.le1M, 251, -97, 54), (.le2M, 37, -94, 25), (.le2M, 37, -95, 59),
        (.coded, 37, -107, 39),
    ])
    func `packets get lost by their strength, length and PHY`(
        phy: PHY, length: Int, strength: Int, percent: Double
    ) {
        let air = Air(.real)
        var random = RandomSource(seed: 2)
        air.setSignal(0, 1, strength)
        let received = (0..<10_000).count { _ in air.receive(0, 1, phy, payload: length, &random) != nil }
        let lost = 100 - Double(received) / 100
        #expect(abs(lost - percent) < 2, "\(lost) %")
    }

    @Test func `the strength of reports is that of the distance, with its deviation`() {
        for (distance, mean) in [(1.0, -59.0), (10, -79), (20, -85)] {
            let pair = Pair(air: .real)
            pair.radio.move(1, to: Position(x: distance, y: 0))
            pair.peripheral.advertise()
            pair.central.result(0x2041, [0, 0, 1, 0, 0x60, 0, 0x60, 0])
            pair.central.result(0x2042, [1, 0, 0, 0, 0, 0])
            pair.advance(106 * 1_000)
            let strengths = pair.central.take().map { Double(Int8(bitPattern: $0[17])) }
            #expect(strengths.count > 950)
            let average = strengths.reduce(0, +) / Double(strengths.count)
            let variance = strengths.reduce(0) { $0 + ($1 - average) * ($1 - average) } / Double(strengths.count)
            #expect(abs(average - mean) < 0.5, "\(average) dBm")
            #expect(abs(variance.squareRoot() - 2) < 0.5, "\(variance.squareRoot()) dB")
        }
    }

    @Test func `a scanner hears what is sent while its window is open`() {
        let pair = Pair(.v4_2, air: .real)
        pair.peripheral.advertise()
        // 60 ms, 15 ms.
        pair.central.result(0x200B, [0, 0x60, 0, 0x18, 0, 0, 0])
        pair.central.result(0x200C, [1, 0])
        pair.advance(105 * 4_000)
        let part = Double(pair.central.take().count) / 4_000
        #expect(abs(part - 0.25) < 0.03, "\(part)")
    }

    @Test(arguments: [
        (PHY.le1M, 6, 780.8), (.le1M, 24, 780.8), (.le1M, 40, 780.8), (.le1M, 255, 790.9), (.le2M, 6, 1_301),
        (.le2M, 24, 1_366), (.le2M, 255, 1_402), (.coded, 24, 65),
    ])
    func `data flows as fast as the formula has it`(phy: PHY, interval: UInt8, rate: Double) {
        let measured = throughput(phy, interval: interval, length: 251)
        #expect(abs(measured - rate) < rate * 0.02, "\(measured) kbit/s")
    }

    @Test(arguments: [6, 24, 255] as [UInt8])
    func `so does data in short packets`(interval: UInt8) {
        let measured = throughput(.le1M, interval: interval, length: 27)
        #expect(abs(measured - 236.7) < 236.7 * 0.02, "\(measured) kbit/s")
    }

    /// Of ATT's payload, in kbit/s, with packets of this many bytes.
    private func throughput(_ phy: PHY, interval: UInt8, length: Int) -> Double {
        let pair = Pair(air: .real)
        if length > 27 { pair.central.result(0x2024, [UInt8(length), 0, 0x48, 8]) }
        let handles = connected(pair, interval: interval, timeout: 100)
        pair.advance(1_000)
        if phy != .le1M {
            let bit: UInt8 = phy == .le2M ? 2 : 4
            pair.peripheral.result(0x2031, [0, 7, 7])
            pair.central.status(0x2032, [UInt8(handles.central), 0, 0, bit, bit, 0, 0])
            pair.advance(3_000)
        }
        _ = (pair.central.take(), pair.peripheral.take())
        let packet = [UInt8](repeating: 7, count: length)
        for _ in 0..<8 { pair.central.send(packet, handles.central) }
        // Ten seconds, in whole intervals, after the first packet.
        let each = Int(interval) * Span.intervalUnit
        let span = 10 * Span.second / each * each
        var end = Instant.max
        var received = 0
        while let next = pair.radio.nextDeadline, next < end {
            pair.radio.advance(to: next)
            for event in pair.central.take() where event[0] == 0x13 { pair.central.send(packet, handles.central) }
            let count = pair.peripheral.take().count
            if count > 0, end == .max { end = next + span }
            received += count
        }
        // Headers of L2CAP and ATT have seven bytes.
        return Double(received * (length - 7) * 8) / (Double(span) / Double(Span.millisecond))
    }

    @Test func `data arrives whole and in order however much gets lost`() {
        let pair = Pair(air: .real)
        let handles = connected(pair, interval: 6, timeout: 200)
        pair.radio.setLoss(0, 1, 0.4)
        var sent: [UInt8] = []
        var received: [UInt8] = []
        var back: [UInt8] = []
        for round in 0..<400 {
            let packet = (0..<100).map { UInt8(truncatingIfNeeded: round + $0) }
            sent += packet
            pair.central.send(packet, handles.central)
            pair.peripheral.send([UInt8(truncatingIfNeeded: round)], handles.peripheral)
            pair.advance(300)
            for event in pair.peripheral.take() where event[0] != 0x13 { received += event[4...] }
            for event in pair.central.take() where event[0] != 0x13 { back += event[4...] }
        }
        #expect(received == sent)
        #expect(back == (0..<400).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test func `a link that is out of range ends by its supervision timeout`() {
        let pair = Pair(air: .real)
        _ = connected(pair, interval: 24, timeout: 42)
        pair.advance(10_000)
        #expect(pair.central.take().isEmpty)
        pair.radio.move(1, to: Position(x: 100_000, y: 0))
        pair.advance(420 - 31)
        #expect(pair.central.take().isEmpty && pair.peripheral.take().isEmpty)
        pair.advance(62)
        for host in [pair.central, pair.peripheral] { #expect(host.take() == [[0x05, 4, 0, 1, 0, 0x08]]) }
    }

    @Test func `a connection whose request got lost was never established`() {
        let pair = Pair(air: .real)
        var lost = 0
        for _ in 0..<100 {
            pair.radio.setSignal(0, 1, -98)
            pair.peripheral.advertise()
            pair.central.connect(to: pair.peripheral.address)
            var events: [[UInt8]] = []
            while events.isEmpty {
                pair.advance(1)
                events = pair.central.take()
            }
            pair.radio.setSignal(0, 1, -50)
            pair.advance(181)
            let end = pair.central.take()
            if end.isEmpty {
                #expect(pair.central.disconnect(number(events[0], 4)) == 0)
                pair.advance(61)
                #expect(pair.central.take().count == 1)
            } else {
                #expect(end.map { $0[5] } == [0x3E])
                lost += 1
            }
            _ = pair.peripheral.take()
            pair.peripheral.stopAdvertising()
        }
        // 38 of 100 are.
        #expect(20...56 ~= lost)
    }

    @Test func `the same seed has the same course, another has another`() {
        func course(_ seed: UInt64) -> [[UInt8]] {
            let pair = Pair(.v4_2, seed: seed, air: .real)
            pair.radio.move(1, to: Position(x: 60, y: 0))
            pair.peripheral.advertise(response: [2, 9, 0x41])
            pair.central.scan(filtersDuplicates: false)
            pair.advance(20_000)
            return pair.central.take()
        }
        #expect(course(1) == course(1))
        #expect(course(1) != course(2))
        #expect(course(1).count > 50)
    }

    /// Programs do not do the same at the same microsecond in each run.
    @Test func `what others do, and some milliseconds, change nothing of what chance has for a link`() {
        func fates(isDisturbed: Bool) -> [PacketReport.Fate] {
            let pair = Pair(.v4_2, seed: 4, air: .real)
            let journal = Journal()
            pair.radio.move(1, to: Position(x: 66, y: 0))
            pair.radio.observePackets { if $0.kind == .data { journal.fates.append($0.fate) } }
            if isDisturbed {
                let third = TestHost(pair.radio, number: 2)
                third.advertise()
                pair.advance(3)
                for _ in 0..<5 { pair.central.result(0x2018) }
            }
            pair.peripheral.advertise()
            pair.central.connect(to: pair.peripheral.address, interval: 24, timeout: 200)
            pair.advance(8_000)
            return Array(journal.fates.prefix(300))
        }
        let course = fates(isDisturbed: false)
        #expect(course.count == 300 && course.contains(.lost))
        #expect(fates(isDisturbed: true) == course)
    }

    private final class Journal {
        var fates: [PacketReport.Fate] = []
    }

    private func connected(_ pair: Pair, interval: UInt8, timeout: UInt8) -> (central: Int, peripheral: Int) {
        pair.peripheral.advertise()
        pair.central.connect(to: pair.peripheral.address, interval: interval, timeout: timeout)
        pair.advance(200)
        let events = (pair.central.take(), pair.peripheral.take())
        guard let first = events.0.first, let second = events.1.first, first.count > 5, second.count > 5 else {
            Issue.record("not connected")
            return (0xFFF, 0xFFF)
        }
        return (number(first, 4), number(second, 4))
    }
}
