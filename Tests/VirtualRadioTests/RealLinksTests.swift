import Testing

@testable import VirtualRadio

/// Connections in real air, and several at once.
@Suite struct RealLinksTests {
    /// Connects hosts, by sets whose number is that of the central, and returns the handles.
    private func connect(
        _ central: TestHost, to peripheral: TestHost, interval: UInt8 = 24, timeout: UInt8 = 100
    ) -> (central: Int, peripheral: Int) {
        let radio = central.radio
        peripheral.advertise()
        central.connect(to: peripheral.address, interval: interval, timeout: timeout)
        let end = radio.now + 2 * Span.second
        var handles: (Int?, Int?) = (nil, nil)
        while radio.now < end, handles.0 == nil || handles.1 == nil {
            radio.advance(to: radio.now + Span.millisecond)
            for event in central.take() where event[..<3] == [0x3E, 31, 0x0A] { handles.0 = number(event, 4) }
            for event in peripheral.take() where event[..<3] == [0x3E, 31, 0x0A] { handles.1 = number(event, 4) }
        }
        return (handles.0 ?? 0xFFF, handles.1 ?? 0xFFF)
    }

    private func hosts(_ count: Int) -> [TestHost] {
        let radio = Radio(seed: 3, air: .real)
        let hosts = (0..<count).map { TestHost(radio, number: UInt8($0)) }
        for host in hosts { host.wantAllEvents() }
        return hosts
    }

    @Test func `a write with response takes two intervals`() {
        let hosts = hosts(2)
        let handles = connect(hosts[0], to: hosts[1])
        let radio = hosts[0].radio
        radio.advance(to: radio.now + 200 * Span.millisecond)
        _ = (hosts[0].take(), hosts[1].take())
        let begin = radio.now
        var writes = 0
        hosts[0].send([3, 0, 4, 0, 0x12, 3, 0], handles.central)
        while writes < 100, let next = radio.nextDeadline, next < begin + 60 * Span.second {
            radio.advance(to: next)
            for event in hosts[1].take() where event[0] != 0x13 {
                hosts[1].send([1, 0, 4, 0, 0x13], handles.peripheral)
            }
            for event in hosts[0].take() where event[0] != 0x13 {
                writes += 1
                hosts[0].send([3, 0, 4, 0, 0x12, 3, 0], handles.central)
            }
        }
        let intervals = Double(radio.now - begin) / Double(30 * Span.millisecond)
        #expect(abs(intervals - 200) <= 2, "\(intervals)")
    }

    @Test(arguments: [(6, 10), (24, 42), (80, 25), (200, 100)] as [(UInt8, UInt8)])
    func `a silent link ends after its supervision timeout, within an interval`(interval: UInt8, timeout: UInt8) {
        let hosts = hosts(2)
        _ = connect(hosts[0], to: hosts[1], interval: interval, timeout: timeout)
        let radio = hosts[0].radio
        radio.advance(to: radio.now + 3 * Span.second)
        _ = (hosts[0].take(), hosts[1].take())
        radio.setBlocked(0, 1, true)
        let begin = radio.now
        for host in hosts {
            var events: [[UInt8]] = []
            while events.isEmpty, radio.now < begin + 3 * Span.second {
                radio.advance(to: radio.now + Span.millisecond)
                events = host.take()
            }
            #expect(events == [[0x05, 4, 0, 1, 0, 0x08]])
            let difference = radio.now - begin - Int(timeout) * Span.timeoutUnit
            #expect(abs(difference) <= Int(interval) * Span.intervalUnit, "\(difference) ns")
        }
    }

    @Test(arguments: [6, 24, 80] as [UInt8])
    func `a connection that is never heard of is given up after six intervals`(interval: UInt8) {
        let hosts = hosts(2)
        let radio = hosts[0].radio
        hosts[1].advertise()
        hosts[0].connect(to: hosts[1].address, interval: interval, timeout: 250)
        var isConnected = false
        while !isConnected, let next = radio.nextDeadline {
            radio.advance(to: next)
            isConnected = !hosts[0].take().isEmpty
        }
        radio.setBlocked(0, 1, true)
        let begin = radio.now
        let six = 6 * Int(interval) * Span.intervalUnit
        radio.advance(to: begin + six - 1)
        #expect(hosts[0].take().isEmpty)
        radio.advance(to: begin + six)
        #expect(hosts[0].take() == [[0x05, 4, 0, 1, 0, 0x3E]])
    }

    @Test(arguments: [true, false])
    func `each of several links has its own values in order`(isCentralInTheMiddle: Bool) {
        let count = isCentralInTheMiddle ? 8 : 4
        let hosts = hosts(count + 1)
        let middle = hosts[0]
        let radio = middle.radio
        var own: [Int] = []  // handles of the one in the middle
        var others: [Int] = []
        for host in hosts[1...] {
            let handles = isCentralInTheMiddle ? connect(middle, to: host) : connect(host, to: middle)
            own.append(isCentralInTheMiddle ? handles.central : handles.peripheral)
            others.append(isCentralInTheMiddle ? handles.peripheral : handles.central)
        }
        #expect(Set(own).count == count && !own.contains(0xFFF))
        let begin = radio.now
        for value in 0..<100 {
            for place in 0..<count {
                middle.send([UInt8(place), UInt8(value)], own[place])
                hosts[place + 1].send([UInt8(place), UInt8(value), 1], others[place])
            }
            radio.advance(to: begin + (value + 1) * 60 * Span.millisecond)
        }
        radio.advance(to: radio.now + Span.second)
        let expected = (0..<100).map { UInt8($0) }
        let atMiddle = middle.take().filter { $0[0] != 0x13 }
        for place in 0..<count {
            let values = hosts[place + 1].take().filter { $0[0] != 0x13 }
            #expect(values.map { $0[5] } == expected && values.allSatisfy { $0[4] == UInt8(place) })
            let back = atMiddle.filter { number($0, 0) & 0xFFF == own[place] }
            #expect(back.map { $0[5] } == expected && back.allSatisfy { $0[4] == UInt8(place) })
        }
    }

    enum Departure: CaseIterable {
        case removal, reset
    }

    /// By `leaves`: 0 is the central, 1 the peripheral.
    @Test(arguments: [0, 1], Departure.allCases)
    func `an end that leaves while packets are on their way gets none of them`(leaves: Int, departure: Departure) throws
    {
        let hosts = hosts(2)
        let handles = connect(hosts[0], to: hosts[1])
        let radio = hosts[0].radio
        radio.advance(to: radio.now + 200 * Span.millisecond)
        _ = (hosts[0].take(), hosts[1].take())
        hosts[0].send([1, 2, 3], handles.central)
        hosts[1].send([4, 5, 6], handles.peripheral)
        let link = try #require(radio.links.first)
        while !link.exchangeTimer.isSet, let next = radio.nextDeadline { radio.advance(to: next) }
        switch departure {
        case .removal: radio.remove(hosts[leaves].index)
        case .reset: hosts[leaves].result(0x0C03)
        }
        radio.advance(to: radio.now + 3 * Span.second)
        #expect(hosts[leaves].take().isEmpty)
        #expect(hosts[1 - leaves].take() == [[0x05, 4, 0, 1, 0, 0x08]], "the connection's timeout")
        #expect(radio.links.isEmpty)
    }

    @Test func `a phantom may be removed while a packet is on its way to it`() throws {
        let host = hosts(1)[0]
        let address = DeviceAddress((0xC0, 0, 0, 0, 0, 9), isRandom: true)
        let phantom = Phantom(address: address, data: [2, 1, 6], position: Position(x: 0, y: 1))
        let index = host.radio.add(phantom, with: PhantomPeripheral())
        host.connect(to: address)
        let radio = host.radio
        radio.advance(to: radio.now + Span.second)
        let event = try #require(host.take().first { $0[0] == 0x3E })
        host.send([3, 0, 4, 0, 0x02, 0xF7, 0], number(event, 4))
        let link = try #require(radio.links.first)
        while !link.exchangeTimer.isSet, let next = radio.nextDeadline { radio.advance(to: next) }
        radio.remove(index)
        radio.advance(to: radio.now + 3 * Span.second)
        #expect(host.take().map { $0[0] } == [0x05])
    }

    @Test func `a hundred controllers find and connect to each other in real air`() {
        let hosts = hosts(100)
        let radio = hosts[0].radio
        for host in hosts[..<50] { host.advertise() }
        // The farther of two are 50 m away from each other.
        for (place, host) in hosts[50...].enumerated() { host.connect(to: hosts[place].address, timeout: 100) }
        radio.advance(to: 3 * Span.second)
        for (place, host) in hosts[50...].enumerated() {
            #expect(host.take().filter { $0[0] == 0x3E && $0[2] == 0x0A }.count == 1)
            _ = hosts[place].take()
            host.send([UInt8(place)], 1)
        }
        radio.advance(to: 4 * Span.second)
        for place in 0..<50 { #expect(hosts[place].take() == [[1, 0x20, 1, 0, UInt8(place)]]) }
    }
}
