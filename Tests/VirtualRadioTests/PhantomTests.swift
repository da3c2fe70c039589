import Testing

@testable import VirtualRadio

@Suite(.onThreadOfTheirOwn) struct PhantomTests {
    private func phantom(_ number: UInt8, interval: Int = 100 * Span.millisecond, response: [UInt8] = []) -> Phantom {
        Phantom(
            address: DeviceAddress((0xC0, 0, 0, 0, 0, number), isRandom: true), data: [2, 1, number],
            scanResponse: response, interval: interval, position: Position(x: 0, y: 1))
    }

    @Test(arguments: [AirModel.ideal, .real]) func `a phantom is heard at its interval`(air: AirModel) {
        let radio = Radio(seed: 1, air: air)
        let host = TestHost(radio, .v4_2)
        host.wantAllEvents()
        _ = radio.add(phantom(7))
        host.result(0x200B, [0, 0x60, 0, 0x60, 0, 0, 0])
        host.result(0x200C, [1, 0])
        radio.advance(to: 105 * Span.second)
        let reports = host.take()
        #expect(998...1_002 ~= reports.count)
        #expect(reports.allSatisfy { $0[4] == 3 && $0[5] == 1 && $0[6...11] == [7, 0, 0, 0, 0, 0xC0] })
        #expect(reports.allSatisfy { $0[12...15] == [3, 2, 1, 7] })
    }

    @Test func `a phantom with a response answers those who ask`() {
        let radio = Radio(seed: 1)
        let host = TestHost(radio, .v4_2)
        host.wantAllEvents()
        _ = radio.add(phantom(7, response: [2, 9, 0x41]))
        host.scan()
        radio.advance(to: 200 * Span.millisecond)
        #expect(host.take().map { $0[4] } == [2, 4])
    }

    @Test func `nothing happens while nobody listens`() {
        let radio = Radio(seed: 1)
        for number in 0..<200 { _ = radio.add(phantom(UInt8(number))) }
        #expect(radio.nextDeadline == nil)
        let host = TestHost(radio, .v4_2)
        host.wantAllEvents()
        host.scan()
        radio.advance(to: 200 * Span.millisecond)
        #expect(host.take().count == 200)
        host.stopScan()
        radio.advance(to: Span.second)
        #expect(radio.nextDeadline == nil)
    }

    @Test func `who listens changes nothing about when phantoms are heard`() {
        func times(_ breaks: Bool) -> [Instant] {
            let radio = Radio(seed: 1)
            let times = Times()
            _ = radio.add(phantom(3))
            radio.sniff { time, _ in times.all.append(time) }
            radio.advance(to: 10 * Span.second)
            let host = TestHost(radio, .v4_2)
            if breaks {
                host.result(0x200B, [0, 0x60, 0, 0x60, 0, 0, 0])
                host.result(0x200C, [1, 0])
                host.stopScan()
            }
            radio.advance(to: 20 * Span.second)
            return times.all
        }
        #expect(times(true) == times(false))
    }

    @Test func `removed phantoms leave their places to others`() {
        let radio = Radio(seed: 1)
        let host = TestHost(radio, .v4_2)
        host.wantAllEvents()
        host.scan(filtersDuplicates: false)
        for round in 0..<100 {
            let index = radio.add(phantom(UInt8(round)))
            radio.setAttenuation(index, 3)
            radio.advance(to: radio.now + 50 * Span.millisecond)
            radio.remove(index)
        }
        #expect(radio.controllers.count == 2)
        _ = host.take()
        radio.advance(to: radio.now + Span.second)
        #expect(host.take().isEmpty)
    }

    @Test func `the same seed has the same capture, byte for byte`() {
        func capture(_ seed: UInt64) -> [UInt8] {
            let pair = Pair(.v5_3, seed: seed, air: .real)
            let bytes = Bytes()
            pair.radio.sniff { time, packet in bytes.all += [UInt8](bits: UInt64(time), count: 8) + packet }
            for number in 0..<50 { _ = pair.radio.add(phantom(UInt8(number), response: [2, 9, 0x41])) }
            var peripheral = PhantomPeripheral()
            peripheral.services = [.init(uuid: AttributeType(0x180D), characteristics: [])]
            _ = pair.radio.add(phantom(90), with: peripheral)
            pair.radio.setJammer("oven", .noise(at: Position(x: 1, y: 1), power: -70, duty: 0.3))
            _ = pair.connect()
            pair.central.scan()
            pair.radio.move(1, to: Position(x: 40, y: 0), over: 20 * Span.second)
            for _ in 0..<20 {
                pair.central.send([1, 2, 3], 1)
                pair.advance(1_000)
            }
            return bytes.all
        }
        let first = capture(1)
        #expect(first.count > 100_000)
        #expect(capture(1) == first)
        #expect(capture(2) != first)
    }

    private final class Times {
        var all: [Instant] = []
    }

    private final class Bytes {
        var all: [UInt8] = []
    }
}
