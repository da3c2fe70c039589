import Testing

@testable import VirtualRadio

@Suite struct ConnectionTests {
    @Test func `both hosts are informed of a connection, each with its own handle`() {
        for kind in [ControllerKind.v4_2, .v5_3] {
            let pair = Pair(kind)
            let third = TestHost(pair.radio, kind, number: 2)
            third.wantAllEvents()
            third.advertise()
            pair.central.connect(to: third.address)
            pair.advance(40)
            #expect(pair.central.take().count == (kind == .v5_3 ? 2 : 1))
            pair.peripheral.advertise()
            pair.central.connect(to: pair.peripheral.address)
            pair.advance(40)
            let start: [UInt8] = [0x3E, 31, 0x0A, 0]
            let end: [UInt8] = [UInt8](repeating: 0, count: 12) + [24, 0, 0, 0, 42, 0, 0]
            let peripheral = [0] + pair.central.bytes(pair.peripheral.address)
            let central = [0] + pair.central.bytes(pair.central.address)
            // The algorithm of the channels, by handles.
            func algorithm(_ handle: UInt8) -> [[UInt8]] { kind == .v5_3 ? [[0x3E, 4, 0x14, handle, 0, 1]] : [] }
            #expect(pair.central.take() == [start + [2, 0, 0] + peripheral + end] + algorithm(2))
            let terminated: [[UInt8]] = kind == .v5_3 ? [[0x3E, 6, 0x12, 0, 1, 1, 0, 1]] : []
            #expect(pair.peripheral.take() == [start + [1, 0, 1] + central + end] + algorithm(1) + terminated)
        }
    }

    @Test func `data arrives at once with the receiver's handle, and is acknowledged`() {
        let pair = Pair()
        _ = pair.connect()
        let third = TestHost(pair.radio, number: 2)
        third.wantAllEvents()
        third.connect(to: pair.peripheral.address)
        pair.peripheral.result(0x2039, [1, 1, 1, 0, 0, 0])
        pair.advance(40)
        #expect(third.take().count == 2)
        _ = pair.peripheral.take()
        third.send([1, 2, 3], 1)
        third.send([4], 1, isStart: false)
        #expect(pair.peripheral.take() == [[2, 0x20, 3, 0, 1, 2, 3], [2, 0x10, 1, 0, 4]])
        #expect(third.take() == [[0x13, 5, 1, 1, 0, 1, 0], [0x13, 5, 1, 1, 0, 1, 0]])
        pair.peripheral.send([9], 1)
        #expect(pair.central.take() == [[1, 0x20, 1, 0, 9]])
        #expect(third.take().isEmpty)
    }

    @Test func `data that belongs to nothing is dropped`() {
        let pair = Pair()
        let handles = pair.connect()
        pair.central.send([1], 77)
        pair.central.send([], handles.central)
        pair.central.send([UInt8](repeating: 1, count: 252), handles.central)
        pair.central.send([2, 1, 0x30, 1, 0, 5])
        pair.central.send([2, 1, 0, 9, 0, 5])
        #expect(pair.peripheral.take().isEmpty && pair.central.take().isEmpty)
    }

    @Test func `the end of a connection has its reason`() {
        let pair = Pair(.v4_2)
        let handles = pair.connect()
        #expect(pair.central.disconnect(handles.central, reason: 0x08) == 0x12)
        #expect(pair.central.disconnect(77) == 0x02)
        #expect(pair.central.disconnect(handles.central) == 0)
        #expect(pair.central.disconnect(handles.central) == 0x0C)
        pair.advance(29)
        #expect(pair.peripheral.take().isEmpty)
        pair.advance(1)
        #expect(pair.peripheral.take() == [[0x05, 4, 0, 1, 0, 0x13]])
        #expect(pair.central.take() == [[0x05, 4, 0, 1, 0, 0x16]])
        let again = pair.connect()
        #expect(again == (2, 2))
    }

    @Test func `an attempt lasts until it is cancelled`() {
        for kind in [ControllerKind.v4_2, .v5_3] {
            let pair = Pair(kind)
            #expect(pair.central.command(0x200E).first?.last == 0x0C)
            #expect(pair.central.connect(to: pair.peripheral.address) == 0)
            #expect(pair.central.connect(to: pair.peripheral.address) == 0x0C)
            pair.advance(60_000)
            #expect(pair.central.take().isEmpty)
            let events = pair.central.cancelConnecting()
            #expect(events.first == [0x0E, 4, 1, 0x0E, 0x20, 0])
            #expect(events.last?[3] == 0x02 && events.count == 2)
            pair.peripheral.advertise()
            pair.advance(1_000)
            #expect(pair.peripheral.take().isEmpty)
        }
    }

    @Test func `a device of the accept list is connected to when it advertises`() {
        let pair = Pair()
        pair.central.result(0x2011, [0] + pair.central.bytes(pair.peripheral.address))
        #expect(pair.central.connect(to: nil) == 0)
        pair.advance(5_000)
        pair.peripheral.advertise()
        pair.advance(30)
        #expect(pair.central.take().first?[..<4] == [0x3E, 31, 0x0A, 0])
        #expect(pair.central.connect(to: pair.peripheral.address) == 0x0B)
    }

    @Test func `an advertiser takes connections of its accept list alone if it says so`() {
        let pair = Pair()
        pair.peripheral.advertise(policy: 2)
        pair.central.connect(to: pair.peripheral.address)
        pair.advance(500)
        #expect(pair.central.take().isEmpty)
        pair.peripheral.stopAdvertising()
        pair.peripheral.result(0x2011, [0] + pair.central.bytes(pair.central.address))
        pair.peripheral.result(0x2039, [1, 1, 1, 0, 0, 0])
        pair.advance(500)
        #expect(pair.central.take().map { $0[2] } == [0x0A, 0x14])
    }

    @Test func `a reset is noticed at the other end after the supervision timeout`() {
        let pair = Pair()
        _ = pair.connect()
        pair.central.result(0x0C03)
        pair.peripheral.send([1], 1)
        pair.advance(419)
        #expect(pair.peripheral.take().isEmpty)
        pair.advance(2)
        #expect(pair.peripheral.take() == [[0x05, 4, 0, 1, 0, 0x08]])
        pair.advance(1_000)
        #expect(pair.central.take().isEmpty)
    }

    @Test func `so is a controller that was removed`() {
        let pair = Pair()
        _ = pair.connect()
        pair.radio.remove(pair.central.index)
        pair.advance(421)
        #expect(pair.peripheral.take() == [[0x05, 4, 0, 1, 0, 0x08]])
        pair.central.send([1, 3, 0x0C, 0])
        #expect(pair.central.take().isEmpty)
        pair.peripheral.result(0x2039, [1, 1, 1, 0, 0, 0])
        pair.advance(1_000)
    }

    @Test func `a blocked pair loses its connection, one that is unblocked in time keeps it and its data`() {
        let pair = Pair()
        let handles = pair.connect()
        pair.radio.setBlocked(0, 1, true)
        pair.central.send([1, 2], handles.central)
        pair.advance(400)
        pair.radio.setBlocked(0, 1, false)
        #expect(pair.peripheral.take() == [[1, 0x20, 2, 0, 1, 2]])
        pair.advance(1_000)
        #expect(pair.central.take() == [[0x13, 5, 1, 1, 0, 1, 0]])
        pair.radio.setBlocked(0, 1, true)
        pair.advance(421)
        for host in [pair.central, pair.peripheral] { #expect(host.take() == [[0x05, 4, 0, 1, 0, 0x08]]) }
        pair.peripheral.result(0x2039, [1, 1, 1, 0, 0, 0])
        pair.central.scan()
        pair.advance(1_000)
        #expect(pair.central.take().isEmpty, "nor does it hear it")
    }

    @Test func `signal strength falls with the distance`() {
        let pair = Pair()
        let handles = pair.connect()
        #expect(pair.central.result(0x1405, [1, 0]) == [0, 1, 0, UInt8(bitPattern: -59)])
        pair.radio.move(pair.central.index, to: Position(x: 10, y: 0))
        #expect(pair.central.result(0x1405, [1, 0]) == [0, 1, 0, UInt8(bitPattern: -79)])
        pair.radio.setSignal(0, 1, -42)
        #expect(pair.peripheral.result(0x1405, [1, 0]) == [0, 1, 0, UInt8(bitPattern: -42)])
        pair.radio.setSignal(0, 1, nil)
        #expect(pair.peripheral.result(0x1405, [1, 0]).last == UInt8(bitPattern: -79))
        #expect(pair.central.result(0x1405, [9, 0]) == [0x02, 9, 0])
        #expect(pair.central.result(0x0C2D, [UInt8(handles.central), 0, 0]) == [0, 1, 0, 0])
    }

    @Test func `a radio leaves nothing behind`() {
        weak var controller: Controller?
        weak var link: Connection?
        for air in [AirModel.ideal, .real] {
            do {
                let pair = Pair(air: air)
                pair.peripheral.advertise()
                pair.central.connect(to: pair.peripheral.address)
                pair.advance(300)
                pair.central.scan()
                controller = pair.radio.controllers[1]
                link = controller?.connections.first
                #expect(link != nil)
            }
            #expect(controller == nil && link == nil)
        }
    }

    @Test func `a hundred controllers find and connect to each other`() {
        let radio = Radio(seed: 1)
        let hosts = (0..<100).map { TestHost(radio, number: UInt8($0)) }
        for host in hosts { host.wantAllEvents() }
        for host in hosts[..<50] { host.advertise() }
        for (place, host) in hosts[50...].enumerated() { host.connect(to: hosts[place].address) }
        radio.advance(to: 100 * Span.millisecond)
        for (place, host) in hosts[50...].enumerated() {
            #expect(host.take().map { $0[2] } == [0x0A, 0x14])
            _ = hosts[place].take()
            host.send([UInt8(place)], 1)
            #expect(hosts[place].take() == [[1, 0x20, 1, 0, UInt8(place)]])
        }
    }
}
