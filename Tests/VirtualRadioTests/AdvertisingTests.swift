import Testing

@testable import VirtualRadio

@Suite struct AdvertisingTests {
    @Test func `a legacy scanner hears an advertisement and its response within 30 ms`() {
        let pair = Pair(.v4_2)
        pair.peripheral.advertise([2, 1, 6], response: [3, 9, 0x41, 0x42])
        pair.advance(500)
        pair.central.scan()
        pair.advance(30)
        let address = pair.peripheral.bytes(pair.peripheral.address)
        let strength = UInt8(bitPattern: -59)
        #expect(
            pair.central.take() == [
                [0x3E, 15, 0x02, 1, 0, 0] + address + [3, 2, 1, 6, strength],
                [0x3E, 16, 0x02, 1, 4, 0] + address + [4, 3, 9, 0x41, 0x42, strength],
            ])
    }

    @Test func `an extended scanner hears legacy advertisements as such`() {
        let pair = Pair()
        pair.peripheral.advertise([2, 1, 6], response: [3, 9, 0x41, 0x42])
        pair.central.scan()
        pair.advance(30)
        let address = pair.peripheral.bytes(pair.peripheral.address)
        let middle: [UInt8] = [1, 0, 0xFF, 0x7F, UInt8(bitPattern: -59), 0, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(
            pair.central.take() == [
                [0x3E, 29, 0x0D, 1, 0x13, 0, 0] + address + middle + [3, 2, 1, 6],
                [0x3E, 30, 0x0D, 1, 0x1B, 0, 0] + address + middle + [4, 3, 9, 0x41, 0x42],
            ])
    }

    @Test func `duplicates are reported as often as they are sent, unless they are filtered`() {
        for kind in [ControllerKind.v4_2, .v5_3] {
            let pair = Pair(kind)
            pair.peripheral.advertise()
            pair.central.scan(isActive: false)
            pair.advance(1_000)
            #expect(pair.central.take().count == 1)
            pair.central.stopScan()
            pair.central.scan(isActive: false, filtersDuplicates: false)
            pair.advance(1_100)
            // One soon, and then one every 100 to 110 ms.
            #expect(10...12 ~= pair.central.take().count)
            pair.central.stopScan()
            pair.advance(1_000)
            #expect(pair.central.take().isEmpty)
        }
    }

    @Test func `a passive scan has no responses`() {
        let pair = Pair(.v4_2)
        pair.peripheral.advertise(response: [2, 9, 0x41])
        pair.central.scan(isActive: false, filtersDuplicates: false)
        pair.advance(1_000)
        #expect(pair.central.take().allSatisfy { $0[4] == 0 })
    }

    @Test func `the accept list limits what is reported`() {
        let pair = Pair(.v4_2)
        pair.peripheral.advertise()
        pair.central.scan(policy: 1)
        pair.advance(200)
        #expect(pair.central.take().isEmpty)
        let entry = [0] + pair.central.bytes(pair.peripheral.address)
        #expect(pair.central.result(0x2011, entry) == [0x0C], "while it is used")
        pair.central.stopScan()
        #expect(pair.central.result(0x2011, entry) == [0])
        pair.central.scan(policy: 1)
        pair.advance(200)
        #expect(pair.central.take().count == 2)
        pair.central.stopScan()
        #expect(pair.central.result(0x2012, entry) == [0])
        pair.central.scan(policy: 1)
        pair.advance(200)
        #expect(pair.central.take().isEmpty)
    }

    @Test func `a directed advertisement is for its target alone`() {
        for kind in [ControllerKind.v4_2, .v5_3] {
            let pair = Pair(kind)
            let other = TestHost(pair.radio, kind, number: 2)
            other.wantAllEvents()
            pair.peripheral.advertise(type: 4, target: pair.central.address)
            for host in [pair.central, other] { host.scan() }
            pair.advance(200)
            #expect(pair.central.take().count == 1)
            #expect(other.take().isEmpty)
        }
    }

    @Test func `directed advertising of high duty ends after 1.28 s`() {
        let old = Pair(.v4_2)
        old.peripheral.advertise(type: 1, target: old.central.address)
        old.advance(1_270)
        #expect(old.peripheral.take().isEmpty)
        old.advance(20)
        let event = old.peripheral.take()
        #expect(event.count == 1 && event[0][..<7] == [0x3E, 31, 0x0A, 0x3C, 0, 0, 1])
        let new = Pair()
        new.peripheral.advertise(type: 1, target: new.central.address)
        new.advance(1_020)
        #expect(new.peripheral.take().first?[..<5] == [0x3E, 6, 0x12, 0x3C, 1])
    }

    @Test func `data of 1,650 bytes is reported in parts`() {
        let pair = Pair()
        let data = (0..<1_650).map { UInt8(truncatingIfNeeded: $0) }
        // Neither connectable nor scannable, with extended packets.
        let parameters: [UInt8] = [3, 0, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 2, 5, 0]
        pair.peripheral.result(0x2036, parameters)
        var rest = data[...]
        while !rest.isEmpty {
            let part = rest.prefix(251)
            let operation: UInt8 = rest.count == data.count ? 1 : part.count == rest.count ? 2 : 0
            #expect(pair.peripheral.result(0x2037, [3, operation, 1, UInt8(part.count)] + part) == [0])
            rest = rest.dropFirst(251)
        }
        #expect(pair.peripheral.result(0x2037, [3, 0, 1, 1, 1]) == [0x12], "it was complete")
        pair.peripheral.result(0x2039, [1, 1, 3, 0, 0, 0])
        pair.central.scan()
        pair.advance(35)
        let events = pair.central.take()
        #expect(events.flatMap { $0[28...] } == data)
        #expect(events.map { $0[4] } == [0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x00])
        #expect(events.allSatisfy { $0[13] == 1 && $0[14] == 2 && $0[15] == 5 })
        let old = TestHost(pair.radio, .v4_2, number: 2)
        old.wantAllEvents()
        old.scan()
        pair.advance(500)
        #expect(old.take().isEmpty, "a 4.2 controller does not hear extended packets")
    }

    @Test func `new data of extended packets is reported although duplicates are filtered`() {
        let pair = Pair()
        let parameters: [UInt8] = [3, 0, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 2, 5, 0]
        pair.peripheral.result(0x2036, parameters)
        pair.peripheral.result(0x2039, [1, 1, 3, 0, 0, 0])
        pair.central.scan()
        pair.advance(300)
        #expect(pair.central.take().count == 1)
        pair.peripheral.result(0x2037, [3, 3, 1, 1, 7])
        pair.advance(35)
        #expect(pair.central.take().map(\.last) == [7])
    }

    @Test func `what is advertised on Coded is heard there, and the connection has the set's PHY`() {
        let pair = Pair()
        let start: [UInt8] = [3, 1, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F]
        pair.peripheral.result(0x2036, start + [3, 0, 2, 5, 0])
        pair.peripheral.result(0x2039, [1, 1, 3, 0, 0, 0])
        pair.central.scan()
        pair.advance(500)
        #expect(pair.central.take().isEmpty)
        pair.central.stopScan()
        pair.central.result(0x2041, [0, 0, 4, 1, 0x30, 0, 0x30, 0])
        pair.central.result(0x2042, [1, 1, 0, 0, 0, 0])
        pair.advance(35)
        #expect(pair.central.take().map { [$0[4], $0[13], $0[14]] } == [[1, 3, 2]])
        pair.central.connect(to: pair.peripheral.address)
        pair.advance(500)
        #expect(pair.central.take().isEmpty)
        _ = pair.central.cancelConnecting()
        pair.central.connect(to: pair.peripheral.address, phys: 4)
        pair.advance(35)
        #expect(pair.central.take().map { $0[2] } == [0x0A, 0x14])
        #expect(pair.central.result(0x2030, [1, 0]) == [0, 1, 0, 2, 2])
    }

    @Test func `sets end after their duration or their number of events`() {
        let pair = Pair()
        pair.peripheral.advertise()
        #expect(pair.peripheral.result(0x2039, [1, 1, 1, 50, 0, 0]) == [0])
        pair.advance(490)
        #expect(pair.peripheral.take().isEmpty)
        pair.advance(120)
        #expect(pair.peripheral.take().first?[..<5] == [0x3E, 6, 0x12, 0x3C, 1])
        #expect(pair.peripheral.result(0x2039, [1, 1, 1, 0, 0, 3]) == [0])
        pair.advance(400)
        #expect(pair.peripheral.take() == [[0x3E, 6, 0x12, 0x43, 1, 0, 0, 3]])
    }

    @Test func `legacy and extended commands do not mix until a reset`() {
        let host = TestHost(Radio(seed: 1))
        host.advertise()
        #expect(host.result(0x200A, [1]) == [0x0C])
        #expect(host.result(0x0C03) == [0])
        #expect(host.result(0x200A, [1]) == [0])
        #expect(host.result(0x2039, [0, 0]) == [0x0C])
    }

    @Test func `parameters that make no sense are refused`() {
        let old = TestHost(Radio(seed: 1), .v4_2)
        let peer = [UInt8](repeating: 0, count: 7)
        #expect(old.result(0x2006, [0x1F, 0, 0xA0, 0, 0, 0] + peer + [7, 0]) == [0x11], "interval")
        #expect(old.result(0x2006, [0xA0, 0, 0x01, 0x40, 0, 0] + peer + [7, 0]) == [0x11], "interval")
        #expect(old.result(0x2006, [0xA0, 0, 0x20, 0, 0, 0] + peer + [7, 0]) == [0x12], "shorter than the shortest")
        #expect(old.result(0x2006, [0xA0, 0, 0xA0, 0, 5, 0] + peer + [7, 0]) == [0x12], "type")
        #expect(old.result(0x2006, [0xA0, 0, 0xA0, 0, 0, 0] + peer + [0, 0]) == [0x12], "no channel")
        #expect(old.result(0x2008, [32] + [UInt8](repeating: 0, count: 31)) == [0x12])
        #expect(old.result(0x200A, [2]) == [0x12])
        #expect(old.result(0x200B, [0, 0x10, 0, 0x11, 0, 0, 0]) == [0x12], "window beyond the interval")
        let new = TestHost(Radio(seed: 1))
        let short = [1, 0x13, 0, 0x1F, 0, 0, 0xA0, 0, 0, 7, 0] + peer + [0, 0x7F, 1, 0, 1, 0, 0] as [UInt8]
        #expect(new.result(0x2036, short).first == 0x11, "interval")
        #expect(new.result(0x2037, [9, 3, 1, 0]) == [0x42], "no such set")
        #expect(new.result(0x2039, [1, 0]) == [0x12], "enable none")
        #expect(new.result(0x2039, [1, 2, 1, 0, 0, 0]) == [0x12], "fewer sets than it says")
        #expect(new.result(0x2041, [0, 0, 2, 0, 0x10, 0, 0x10, 0]) == [0x12], "no scan on 2M")
    }
}
