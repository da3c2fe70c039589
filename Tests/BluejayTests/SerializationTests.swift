import Testing

@testable import Bluejay

/// The bytes that are sent and received, section by section.
@Suite struct SerializationTests {
    @Test func `integers travel with the least significant byte first, as wide as their type`() {
        #expect(Int8(-2).toBluetoothData() == Data([0xFE]))
        #expect(UInt8(200).toBluetoothData() == Data([200]))
        #expect(Int16(-2).toBluetoothData() == Data([0xFE, 0xFF]))
        #expect(UInt16(0x1234).toBluetoothData() == Data([0x34, 0x12]))
        #expect(Int32(-2).toBluetoothData() == Data([0xFE, 0xFF, 0xFF, 0xFF]))
        #expect(UInt32(0x1234_5678).toBluetoothData() == Data([0x78, 0x56, 0x34, 0x12]))
        #expect(Int64(-2).toBluetoothData() == Data([0xFE] + [UInt8](repeating: 0xFF, count: 7)))
        #expect(UInt64(0x0102_0304_0506_0708).toBluetoothData() == Data([8, 7, 6, 5, 4, 3, 2, 1]))
        #expect(UInt16(0x1234).bigEndian.toBluetoothData() == Data([0x12, 0x34]))
        #expect(Int(1).toBluetoothData().count == 8)
    }

    @Test func `integers are decoded from exactly their bytes`() {
        #expect(Int8(bluetoothData: Data([0xFE])) == -2)
        #expect(UInt8(bluetoothData: Data([200])) == 200)
        #expect(Int16(bluetoothData: Data([0xFE, 0xFF])) == -2)
        #expect(UInt16(bluetoothData: Data([0x34, 0x12])) == 0x1234)
        #expect(Int32(bluetoothData: Data([0, 0, 0, 0x80])) == .min)
        #expect(UInt32(bluetoothData: Data([0x78, 0x56, 0x34, 0x12])) == 0x1234_5678)
        #expect(Int64(bluetoothData: Data([UInt8](repeating: 0xFF, count: 8))) == -1)
        #expect(UInt64(bluetoothData: Data([8, 7, 6, 5, 4, 3, 2, 1])) == 0x0102_0304_0506_0708)
        #expect(UInt(bluetoothData: Data([1])) == 1)
    }

    @Test func `an integer from bytes at hand: longer input is cut off, shorter input is extended with zeros`() {
        #expect(UInt8(bluetoothData: Data([1, 2, 3])) == 1)
        #expect(UInt16(bluetoothData: Data([1, 2, 3])) == 0x0201)
        #expect(UInt32(bluetoothData: Data([0xFF, 0xFF])) == 0xFFFF)
        #expect(Int32(bluetoothData: Data([0xFF, 0xFF])) == 0xFFFF)
        #expect(UInt64(bluetoothData: Data()) == 0)
        #expect(UInt16(bluetoothData: Data([9, 1, 2])[1...]) == 0x0201)
    }

    /// As reads and listens decode.
    private func received<Value: Receivable>(_ bytes: Data, as type: Value.Type = Value.self) throws -> Value {
        try Value(bluetoothData: bytes)
    }

    @Test func `an integer that is received with too few bytes is an error that names the numbers`() throws {
        func check<Integer: FixedWidthInteger & Receivable>(_ type: Integer.Type) throws {
            let width = Integer.bitWidth / 8
            for count in 0..<width {
                let error = #expect(throws: BluejayError.self) { try received(Data(count: count), as: Integer.self) }
                guard case .dataOutOfBounds(start: 0, length: width, count: count) = error else {
                    Issue.record("unexpected \(String(describing: error))")
                    return
                }
            }
            let ascending = Data((1...UInt8(width + 1)))
            #expect(try received(ascending, as: Integer.self) == Integer(bluetoothData: ascending))
            #expect(try received(Data([9]) + ascending, as: Integer.self) != Integer(bluetoothData: ascending))
        }
        try check(Int8.self)
        try check(Int16.self)
        try check(Int32.self)
        try check(Int64.self)
        try check(UInt8.self)
        try check(UInt16.self)
        try check(UInt32.self)
        try check(UInt64.self)
        #expect(try received(Data([9, 1, 2])[1...], as: UInt16.self) == 0x0201)
        #expect(throws: BluejayError.self) { try received(Data([9, 1])[1...], as: UInt16.self) }
    }

    @Test func `data and strings are their bytes`() throws {
        #expect(Data([1, 2]).toBluetoothData() == Data([1, 2]))
        #expect(Data(bluetoothData: Data([1, 2])) == Data([1, 2]))
        #expect("é".toBluetoothData() == Data([0xC3, 0xA9]))
        #expect(String(bluetoothData: Data([0xC3, 0xA9])) == "é")
    }

    @Test func `bytes that are not UTF-8 do not end the program`() {
        #expect(String(bluetoothData: Data([0x41, 0xFF, 0x42])) == "A\u{FFFD}B")
    }

    @Test func `padding is zero bytes`() {
        #expect(DataPadding(3).toBluetoothData() == Data([0, 0, 0]))
        #expect(DataPadding(0).toBluetoothData().isEmpty)
        #expect(DataPadding(-1).toBluetoothData().isEmpty)
    }

    @Test func `combine concatenates in order, nested values too`() {
        struct Header: Bluejay_Sendable {
            func toBluetoothData() -> Data { Bluejay.combine(sendables: [UInt8(1), UInt16(2)]) }
        }
        let packet = Bluejay.combine(sendables: [Header(), DataPadding(1), "A", Data([9])])
        #expect(packet == Data([1, 2, 0, 0, 0x41, 9]))
        #expect(Bluejay.combine(sendables: []).isEmpty)
    }

    @Test func `extract reads a value anywhere in the data`() throws {
        let data = Data([0xAA, 0x34, 0x12, 0x78, 0x56, 0, 0])
        #expect(try data.extract(start: 1, length: 2) as UInt16 == 0x1234)
        #expect(try data.extract(start: 0, length: 1) as UInt8 == 0xAA)
        #expect(try data.extract(start: 3, length: 4) as Int32 == 0x5678)
        #expect(try data.extract(start: 1, length: 4) as UInt16 == 0x1234)
    }

    @Test func `extract counts from the beginning of a slice`() throws {
        let slice = Data([9, 9, 1, 2, 3])[2...]
        #expect(try slice.extract(start: 0, length: 1) as UInt8 == 1)
        #expect(try slice.extract(start: 1, length: 2) as UInt16 == 0x0302)
        #expect(throws: BluejayError.self) { try slice.extract(start: 2, length: 2) as UInt16 }
    }

    @Test(arguments: [(5, 2), (-1, 2), (0, 7), (6, 1), (.max, 2), (2, .max), (0, -1)])
    func `extract beyond the data is an error with the real numbers`(start: Int, length: Int) {
        let error = #expect(throws: BluejayError.self) {
            try Data(count: 6).extract(start: start, length: length) as UInt16
        }
        guard case .dataOutOfBounds(start, length, count: 6) = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
    }

    @Test func `extract of a type larger than the length is an error`() {
        #expect(throws: BluejayError.self) { try Data(count: 8).extract(start: 0, length: 2) as UInt32 }
    }
}

/// Swift Testing's own use of names aside, a client's file sees Bluejay's protocol under this name.
private typealias Bluejay_Sendable = Sendable
