import Testing

@testable import BluetoothLab

/// Captures in the btsnoop format.
@Suite struct CaptureTests {
    private static let header = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x07, 0xD1]
    /// 2026-11-21 18:22:55.209250 UTC.
    private static let moment = WallTime(microseconds: 1_795_285_375_209_250)
    private static let (newIndex, command, userLogging): (UInt16, UInt16, UInt16) = (0, 2, 13)

    private static func word(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func record(_ opcode: UInt16, after microseconds: Int64, _ content: [UInt8]) -> [UInt8] {
        let time = UInt64(moment.microseconds + microseconds + 0x00E0_3AB4_4A67_6000 - 946_684_800_000_000)
        let length = word(UInt32(content.count))
        return length + length + word(UInt32(opcode)) + word(0) + word(UInt32(truncatingIfNeeded: time >> 32))
            + word(UInt32(truncatingIfNeeded: time)) + content
    }

    private static func note(_ program: String, _ text: String, after microseconds: Int64) -> [UInt8] {
        let name = Array(program.utf8) + [0]
        return record(userLogging, after: microseconds, [6, UInt8(name.count)] + name + Array(text.utf8) + [0])
    }

    @Test func aSliceKeepsTheControllersThatWereThereBefore() throws {
        let (controller, early) = (
            Self.record(Self.newIndex, after: -20, [1]), Self.record(Self.command, after: -1, [2])
        )
        let late = Self.record(Self.command, after: 0, [3])
        let capture = try #require(Capture(Self.header + controller + early + late))
        #expect(capture.records.map(\.time.microseconds) == [-20, -1, 0].map { Self.moment.microseconds + $0 })
        #expect(capture.slice(since: Self.moment) == Self.header + controller + late)
    }

    @Test func notesOfProgramsAreRead() throws {
        let capture = try #require(
            Capture(
                Self.header + Self.note("bluetoothd", "early", after: -1) + Self.note("bluetoothd", "Exit\n", after: 5))
        )
        let time = WallTime(microseconds: Self.moment.microseconds + 5)
        #expect(capture.notes(since: Self.moment) == [Capture.Note(time: time, program: "bluetoothd", text: "Exit")])
        #expect(capture.notes().map(\.text) == ["early", "Exit"])
    }

    @Test func whatIsNotCompleteIsLeftOut() throws {
        let whole = Self.header + Self.record(Self.command, after: 0, [1, 2, 3, 4])
        for length in Self.header.count..<whole.count {
            #expect(try #require(Capture(Array(whole.prefix(length)))).records.isEmpty)
        }
        #expect(try #require(Capture(whole)).records.count == 1)
    }

    @Test func whatIsNoCaptureIsRefused() {
        #expect(Capture([])?.records == nil)
        #expect(Capture(Array("btsnoop".utf8))?.records == nil)
        #expect(Capture(Array("pcap, and so on and on".utf8))?.records == nil)
        // A length beyond the end, and notes without their texts.
        let length: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
        #expect(Capture(Self.header + length + length + Array(repeating: 0, count: 16))?.records.isEmpty == true)
        #expect(Capture(Self.header + Self.record(Self.userLogging, after: 0, []))?.notes().isEmpty == true)
        #expect(Capture(Self.header + Self.record(Self.userLogging, after: 0, [6, 9, 65]))?.notes().isEmpty == true)
    }
}
