import Testing

@testable import VirtualRadio

@Suite struct PhantomPeripheralTests {
    /// A central that is connected to a phantom with a value of the type 2A37.
    private struct Client {
        let radio: Radio
        let host: TestHost
        private(set) var handle = 0

        init(seed: UInt64 = 1, _ change: (inout PhantomPeripheral) -> Void = { _ in }) {
            radio = Radio(seed: seed)
            host = TestHost(radio, .v4_2, number: 1)
            host.wantAllEvents()
            var peripheral = PhantomPeripheral()
            peripheral.name = "Odd"
            let value = PhantomPeripheral.Characteristic(
                uuid: AttributeType(0x2A37), properties: [.read, .write, .notify, .indicate], value: [1, 2, 3],
                interval: 100 * Span.millisecond)
            peripheral.services = [.init(uuid: AttributeType(0x180D), characteristics: [value])]
            change(&peripheral)
            let address = DeviceAddress((0xC0, 0, 0, 0, 0, 9), isRandom: true)
            let phantom = Phantom(address: address, data: [2, 1, 6], position: Position(x: 0, y: 1))
            _ = radio.add(phantom, with: peripheral)
            connect(to: address)
        }

        mutating func connect(to address: DeviceAddress) {
            #expect(host.connect(to: address) == 0)
            radio.advance(to: radio.now + 200 * Span.millisecond)
            let event = host.take().first { $0[0] == 0x3E } ?? []
            handle = event.count > 5 ? number(event, 4) : 0xFFF
        }

        /// Sends a packet of ATT and returns those that have come within 50 ms.
        func exchange(_ packet: [UInt8], milliseconds: Int = 50) -> [[UInt8]] {
            host.send([UInt8(packet.count), 0, 4, 0] + packet, handle)
            radio.advance(to: radio.now + milliseconds * Span.millisecond)
            // Handle, length, and the header of L2CAP.
            return host.take().filter { $0[0] != 0x13 && $0[0] != 0x05 }.map { Array($0[8...]) }
        }
    }

    @Test func `its services are discovered`() {
        let client = Client()
        #expect(client.exchange([0x02, 0xF7, 0]) == [[0x03, 0xF7, 0]])
        // Generic Access with two characteristics, and the service.
        #expect(
            client.exchange([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28])
                == [[0x11, 6, 1, 0, 5, 0, 0x00, 0x18, 6, 0, 9, 0, 0x0D, 0x18]])
        #expect(client.exchange([0x10, 10, 0, 0xFF, 0xFF, 0x00, 0x28]) == [[0x01, 0x10, 10, 0, 0x0A]])
        #expect(client.exchange([0x08, 6, 0, 9, 0, 0x03, 0x28]) == [[0x09, 7, 7, 0, 0x3A, 8, 0, 0x37, 0x2A]])
        #expect(client.exchange([0x04, 9, 0, 9, 0]) == [[0x05, 1, 9, 0, 0x02, 0x29]])
        #expect(client.exchange([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28, 0x0D, 0x18]) == [[0x07, 6, 0, 9, 0]])
        #expect(client.exchange([0x0A, 3, 0]) == [[0x0B, 0x4F, 0x64, 0x64]])
    }

    @Test func `its values are read, written and sent`() {
        let client = Client()
        #expect(client.exchange([0x0A, 8, 0]) == [[0x0B, 1, 2, 3]])
        #expect(client.exchange([0x0C, 8, 0, 1, 0]) == [[0x0D, 2, 3]])
        #expect(client.exchange([0x0C, 8, 0, 4, 0]) == [[0x01, 0x0C, 8, 0, 0x07]])
        #expect(client.exchange([0x12, 8, 0, 9]) == [[0x13]])
        #expect(client.exchange([0x16, 8, 0, 0, 0, 7, 7]) == [[0x17, 8, 0, 0, 0, 7, 7]])
        #expect(client.exchange([0x16, 8, 0, 2, 0, 8]) == [[0x17, 8, 0, 2, 0, 8]])
        #expect(client.exchange([0x18, 1]) == [[0x19]])
        #expect(client.exchange([0x0A, 8, 0]) == [[0x0B, 7, 7, 8]])
        // What cannot be written of what was prepared is named: here from beyond the end of the value.
        #expect(client.exchange([0x16, 8, 0, 9, 0, 8]) == [[0x17, 8, 0, 9, 0, 8]])
        #expect(client.exchange([0x18, 1]) == [[0x01, 0x18, 8, 0, 0x07]])
        #expect(client.exchange([0x12, 7, 0, 9]) == [[0x01, 0x12, 7, 0, 0x03]])
        #expect(client.exchange([0x0A, 99, 0]) == [[0x01, 0x0A, 99, 0, 0x01]])
        #expect(client.exchange([0x52, 8, 0, 5]).isEmpty)
        let sent = client.exchange([0x12, 9, 0, 1, 0], milliseconds: 350)
        #expect(sent.first == [0x13] && sent.dropFirst().allSatisfy { $0 == [0x1B, 8, 0, 5] } && sent.count >= 4)
    }

    @Test func `an indication waits for its confirmation, or does not if it is told so`() {
        let client = Client()
        #expect(client.exchange([0x12, 9, 0, 2, 0], milliseconds: 1_000) == [[0x13], [0x1D, 8, 0, 1, 2, 3]])
        #expect(client.exchange([0x1E], milliseconds: 1_000) == [[0x1D, 8, 0, 1, 2, 3]])
        let hasty = Client { $0.waitsForConfirmation = false }
        #expect(hasty.exchange([0x12, 9, 0, 2, 0], milliseconds: 1_000).count >= 10)
    }

    @Test func `it has the faults that it is told`() {
        let client = Client { peripheral in
            peripheral.mtu = 5
            peripheral.services[0].characteristics[0].faults = [
                .init(on: .request(0x0A), .error(0x80), skip: 1, times: 1),
                .init(on: .request(0x12), .packet([0x0B])),
            ]
            peripheral.faults = [.init(on: .request(0x10), .noAnswer), .init(on: .request(0x08), .disconnect)]
        }
        #expect(client.exchange([0x02, 0xF7, 0]) == [[0x03, 5, 0]])
        #expect(client.exchange([0x0A, 8, 0]) == [[0x0B, 1, 2, 3]])
        #expect(client.exchange([0x0A, 8, 0]) == [[0x01, 0x0A, 8, 0, 0x80]])
        #expect(client.exchange([0x0A, 8, 0]) == [[0x0B, 1, 2, 3]])
        #expect(client.exchange([0x12, 8, 0, 1]) == [[0x0B]])
        #expect(client.exchange([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28]).isEmpty)
        client.host.send([7, 0, 4, 0, 0x08, 1, 0, 9, 0, 0x03, 0x28], client.handle)
        client.radio.advance(to: client.radio.now + Span.second)
        #expect(client.host.take().last == [0x05, 4, 0, UInt8(client.handle), 0, 0x13])
    }

    @Test func `a fault of a characteristic is one of no other`() {
        let client = Client { $0.services[0].characteristics[0].faults = [.init(on: .request(0x0A), .error(0x80))] }
        #expect(client.exchange([0x0A, 8, 0]) == [[0x01, 0x0A, 8, 0, 0x80]])
        #expect(client.exchange([0x0A, 3, 0]).first?.first == 0x0B)
    }

    @Test func `subscribing is no write`() {
        let client = Client { peripheral in
            peripheral.services[0].characteristics[0].faults = [
                .init(on: .request(0x12), .error(0x80)), .init(on: .subscribe, .error(0x81), times: 1),
            ]
        }
        #expect(client.exchange([0x12, 9, 0, 0, 0]) == [[0x13]])
        #expect(client.exchange([0x12, 9, 0, 2, 0]) == [[0x01, 0x12, 9, 0, 0x81]])
        #expect(client.exchange([0x12, 9, 0, 2, 0]).first == [0x13])
        #expect(client.exchange([0x12, 8, 0, 1]).contains([0x01, 0x12, 8, 0, 0x80]))
    }

    @Test func `of several faults that are due the first one happens, and the others are not used up`() {
        let client = Client { peripheral in
            peripheral.services[0].characteristics[0].faults = [.init(on: .request(0x0A), .error(0x80), times: 1)]
            peripheral.faults = [.init(on: .request(0x0A), .error(0x81), times: 1)]
        }
        let codes = (0..<3).map { _ in client.exchange([0x0A, 8, 0]).first?.last }
        #expect(codes == [0x80, 0x81, 3])
    }

    @Test func `a fault happens on each so many requests`() {
        let client = Client { $0.faults = [.init(on: .request(0x0A), .error(0x80), skip: 1, nth: 2, times: 2)] }
        let isRefused = (0..<7).map { _ in client.exchange([0x0A, 8, 0]).first?.first == 0x01 }
        #expect(isRefused.indices.filter { isRefused[$0] } == [2, 4])
    }

    @Test func `a fault by chance is the same each time for the same seed`() {
        func codes(_ seed: UInt64) -> [Bool] {
            let client = Client(seed: seed) { $0.faults = [.init(on: .request(0x0A), .error(0x80), chance: 30)] }
            return (0..<60).map { _ in client.exchange([0x0A, 8, 0]).first?.first == 0x01 }
        }
        let first = codes(1)
        #expect(codes(1) == first && codes(2) != first)
        #expect(6...30 ~= first.count { $0 })
    }

    @Test func `it sends what nobody has asked for, and disconnects by itself`() {
        let client = Client { $0.faults = [.init(on: .every(30 * Span.millisecond), .packet([0xFF]))] }
        #expect(client.exchange([0x0A, 8, 0], milliseconds: 300).count { $0 == [0xFF] } >= 9)
        let leaving = Client { $0.faults = [.init(on: .every(Span.second), .disconnect)] }
        leaving.radio.advance(to: leaving.radio.now + 2 * Span.second)
        #expect(leaving.host.take().last == [0x05, 4, 0, UInt8(leaving.handle), 0, 0x13])
    }

    @Test func `it can be connected to again and again, and takes long values`() {
        var client = Client { $0.mtu = 517 }
        let address = DeviceAddress((0xC0, 0, 0, 0, 0, 9), isRandom: true)
        for _ in 0..<3 {
            #expect(client.exchange([0x02, 0xF7, 0]) == [[0x03, 0x05, 0x02]])
            #expect(client.exchange([0x12, 8, 0] + [UInt8](repeating: 4, count: 240)) == [[0x13]])
            #expect(client.exchange([0x0A, 8, 0]).first?.count == 241)
            #expect(client.host.disconnect(client.handle) == 0)
            client.radio.advance(to: client.radio.now + Span.second)
            _ = client.host.take()
            client.connect(to: address)
        }
    }

    @Test func `UUIDs are read as they are written`() throws {
        #expect(try #require(AttributeType("2A37")) == AttributeType(0x2A37))
        let long = try #require(AttributeType("00002a37-0000-1000-8000-00805f9b34fb"))
        #expect(long.bytes.count == 16 && AttributeType(0x2A37) == long.bytes)
        #expect(AttributeType("2A3") == nil && AttributeType("2A3G") == nil && AttributeType("é") == nil)
    }
}
