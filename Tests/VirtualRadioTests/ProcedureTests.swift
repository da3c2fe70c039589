import Testing

@testable import VirtualRadio

/// What is negotiated on a connection.
@Suite struct ProcedureTests {
    private let pair = Pair()
    private let key = (0..<16).map { UInt8($0) }
    private let request: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

    init() {
        #expect(pair.connect() == (1, 1))
    }

    private func encrypt() {
        #expect(pair.central.status(0x2019, [1, 0] + request + key) == 0)
        pair.advance(60)
        #expect(pair.peripheral.take() == [[0x3E, 13, 0x05, 1, 0] + request])
        #expect(pair.peripheral.result(0x201A, [1, 0] + key) == [0, 1, 0])
        pair.advance(60)
    }

    @Test func `encryption begins at both ends, and data waits for it`() {
        #expect(pair.central.status(0x2019, [1, 0] + request + key) == 0)
        pair.central.send([7], 1)
        pair.advance(30)
        #expect(pair.peripheral.take() == [[0x3E, 13, 0x05, 1, 0] + request])
        #expect(pair.peripheral.result(0x201A, [1, 0] + key) == [0, 1, 0])
        pair.advance(59)
        #expect(pair.peripheral.take().isEmpty && pair.central.take().isEmpty)
        pair.advance(1)
        #expect(pair.peripheral.take() == [[0x08, 4, 0, 1, 0, 1], [1, 0x20, 1, 0, 7]])
        #expect(pair.central.take() == [[0x08, 4, 0, 1, 0, 1], [0x13, 5, 1, 1, 0, 1, 0]])
    }

    @Test func `a key is refreshed on a connection that is encrypted`() {
        encrypt()
        _ = (pair.central.take(), pair.peripheral.take())
        encrypt()
        for host in [pair.central, pair.peripheral] { #expect(host.take() == [[0x30, 3, 0, 1, 0]]) }
    }

    @Test func `without a key there is no encryption, and a connection that had it ends`() {
        #expect(pair.central.status(0x2019, [1, 0] + request + key) == 0)
        #expect(pair.central.status(0x2019, [1, 0] + request + key) == 0x0C)
        pair.advance(30)
        #expect(pair.peripheral.take().count == 1)
        #expect(pair.peripheral.result(0x201B, [1, 0]) == [0, 1, 0])
        pair.advance(30)
        #expect(pair.central.take() == [[0x08, 4, 0x06, 1, 0, 0]])
        #expect(pair.peripheral.take().isEmpty)
        encrypt()
        _ = (pair.central.take(), pair.peripheral.take())
        #expect(pair.central.status(0x2019, [1, 0] + request + key) == 0)
        pair.advance(60)
        _ = pair.peripheral.take()
        pair.peripheral.result(0x201B, [1, 0])
        pair.advance(30)
        for host in [pair.central, pair.peripheral] { #expect(host.take() == [[0x05, 4, 0, 1, 0, 0x06]]) }
    }

    @Test func `different keys end the connection`() {
        #expect(pair.central.status(0x2019, [1, 0] + request + key) == 0)
        pair.advance(30)
        _ = pair.peripheral.take()
        pair.peripheral.result(0x201A, [1, 0] + key.reversed())
        pair.advance(60)
        for host in [pair.central, pair.peripheral] { #expect(host.take() == [[0x05, 4, 0, 1, 0, 0x3D]]) }
    }

    @Test func `only the central begins encryption, and only the peripheral is asked for the key`() {
        #expect(pair.peripheral.status(0x2019, [1, 0] + request + key) == 0x0C)
        #expect(pair.peripheral.result(0x201A, [1, 0] + key) == [0x0C, 1, 0])
        #expect(pair.peripheral.result(0x201B, [5, 0]) == [0x02, 5, 0])
    }

    @Test func `features and version of the other end are read`() {
        for host in [pair.central, pair.peripheral] {
            #expect(host.status(0x2016, [1, 0]) == 0)
            #expect(host.status(0x041D, [1, 0]) == 0)
            pair.advance(30)
            #expect(
                host.take() == [
                    [0x3E, 12, 0x04, 0, 1, 0, 0xEB, 0x59, 0, 0, 0, 0, 0, 0],
                    [0x0C, 8, 0, 1, 0, 0x0C, 0xFF, 0xFF, 1, 0],
                ])
        }
        #expect(pair.central.status(0x2016, [9, 0]) == 0x02)
    }

    @Test func `a central changes the parameters after six events`() {
        #expect(pair.central.status(0x2013, [1, 0, 80, 0, 80, 0, 1, 0, 0x2C, 1, 0, 0, 0, 0]) == 0)
        #expect(pair.central.status(0x2013, [1, 0, 80, 0, 80, 0, 1, 0, 0x2C, 1, 0, 0, 0, 0]) == 0x0C)
        pair.advance(179)
        #expect(pair.central.take().isEmpty)
        pair.advance(1)
        for host in [pair.central, pair.peripheral] {
            #expect(host.take() == [[0x3E, 10, 0x03, 0, 1, 0, 80, 0, 1, 0, 0x2C, 1]])
        }
        #expect(pair.central.disconnect(1) == 0)
        pair.advance(99)
        #expect(pair.central.take().isEmpty, "the new interval is 100 ms")
    }

    @Test func `the central's host accepts or refuses what a peripheral wants`() {
        let wanted: [UInt8] = [80, 0, 96, 0, 1, 0, 0x2C, 1]
        for isAccepted in [false, true] {
            #expect(pair.peripheral.status(0x2013, [1, 0] + wanted + [0, 0, 0, 0]) == 0)
            pair.advance(30)
            #expect(pair.central.take() == [[0x3E, 11, 0x06, 1, 0] + wanted])
            if isAccepted {
                #expect(pair.central.result(0x2020, [1, 0] + wanted + [0, 0, 0, 0]) == [0, 1, 0])
            } else {
                #expect(pair.central.result(0x2021, [1, 0, 0x3B]) == [0, 1, 0])
            }
            pair.advance(180)
            let event: [UInt8] =
                isAccepted ? [0, 1, 0, 80, 0, 1, 0, 0x2C, 1] : [0x3B, 1, 0, 24, 0, 0, 0, 42, 0]
            #expect(pair.peripheral.take() == [[0x3E, 10, 0x03] + event])
            #expect(pair.central.take().count == (isAccepted ? 1 : 0))
        }
        #expect(pair.central.result(0x2020, [1, 0] + wanted + [0, 0, 0, 0]) == [0x0C, 1, 0], "nobody has asked")
    }

    @Test func `a connection ends when a host is silent for 40 s`() {
        #expect(pair.central.status(0x2019, [1, 0] + request + key) == 0)
        pair.advance(30 + 39_999)
        #expect(pair.peripheral.take().count == 1 && pair.central.take().isEmpty)
        pair.advance(1)
        for host in [pair.central, pair.peripheral] { #expect(host.take() == [[0x05, 4, 0, 1, 0, 0x22]]) }
        #expect(pair.connect() == (2, 2))
        #expect(pair.peripheral.status(0x2013, [2, 0, 80, 0, 80, 0, 0, 0, 0x2C, 1, 0, 0, 0, 0]) == 0)
        pair.advance(30 + 40_000)
        #expect(pair.peripheral.take() == [[0x05, 4, 0, 2, 0, 0x22]])
    }

    @Test func `parameters of a connection keep within the specification's bounds`() {
        let end: [UInt8] = [0, 0, 0, 0]
        #expect(pair.central.status(0x2013, [1, 0, 5, 0, 80, 0, 0, 0, 42, 0] + end) == 0x12)
        #expect(pair.central.status(0x2013, [1, 0, 80, 0, 24, 0, 0, 0, 42, 0] + end) == 0x12)
        #expect(pair.central.status(0x2013, [1, 0, 24, 0, 24, 0, 0xF4, 1, 0x80, 0x0C] + end) == 0x12)
        #expect(pair.central.status(0x2013, [1, 0, 24, 0, 24, 0, 6, 0, 42, 0] + end) == 0x12, "42 = 7 · 30 ms · 2")
        #expect(pair.central.status(0x2013, [1, 0, 24, 0, 24, 0, 5, 0, 42, 0] + end) == 0)
    }

    @Test func `packets become longer as the host suggests`() {
        #expect(pair.central.result(0x2023) == [0, 27, 0, 0x48, 1])
        #expect(pair.central.result(0x2024, [251, 0, 0x48, 8]) == [0])
        #expect(pair.central.result(0x2024, [252, 0, 0x48, 8]) == [0x12])
        #expect(pair.central.result(0x2023) == [0, 251, 0, 0x48, 8])
        _ = pair.central.disconnect(1)
        pair.advance(30)
        _ = (pair.central.take(), pair.peripheral.take())
        #expect(pair.connect() == (2, 2))
        pair.advance(60)
        for host in [pair.central, pair.peripheral] {
            #expect(host.take() == [[0x3E, 11, 0x07, 2, 0, 251, 0, 0x48, 8, 251, 0, 0x48, 8]])
        }
        #expect(pair.peripheral.result(0x2022, [2, 0, 100, 0, 0x48, 8]) == [0, 2, 0])
        pair.advance(30)
        #expect(pair.central.take().first?[5] == 100)
    }

    @Test func `the PHY becomes the fastest that both allow`() {
        #expect(pair.central.result(0x2030, [1, 0]) == [0, 1, 0, 1, 1])
        #expect(pair.central.status(0x2032, [1, 0, 0, 2, 2, 0, 0]) == 0)
        pair.advance(210)
        for host in [pair.central, pair.peripheral] { #expect(host.take() == [[0x3E, 6, 0x0C, 0, 1, 0, 2, 2]]) }
        #expect(pair.peripheral.result(0x2030, [1, 0]) == [0, 1, 0, 2, 2])
        #expect(pair.peripheral.result(0x2031, [0, 1, 1]) == [0])
        #expect(pair.central.status(0x2032, [1, 0, 0, 4, 4, 0, 0]) == 0)
        pair.advance(30)
        #expect(pair.central.take() == [[0x3E, 6, 0x0C, 0, 1, 0, 2, 2]], "the other wants 1M alone")
        #expect(pair.peripheral.take().isEmpty)
        #expect(pair.central.status(0x2032, [1, 0, 0, 0, 2, 0, 0]) == 0x12)
        #expect(pair.central.status(0x2032, [1, 0, 0, 8, 8, 0, 0]) == 0x11)
    }
}
