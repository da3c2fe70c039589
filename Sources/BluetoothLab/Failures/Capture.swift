import Foundation

/// A capture of HCI traffic in the btsnoop format, as btmon writes it: all controllers in one file, and what programs
/// noted meanwhile (BlueZ: `doc/btsnoop-protocol.txt`).
struct Capture {
    struct Record: Equatable {
        let time: WallTime
        let opcode: UInt16
        /// Where the record is in the file, its header included.
        let range: Range<Int>
    }

    /// A line of a program's log that stands between the packets.
    struct Note: Equatable {
        let time: WallTime
        let program: String
        let text: String
    }

    private static let magic = Array("btsnoop\0".utf8)
    private static let fileHeader = 16
    private static let recordHeader = 24
    /// What a reader has to know of controllers and programs to show a packet, however long ago it was: their coming and
    /// going, their addresses, and the kernel's version.
    private static let context: Set<UInt16> = [0, 1, 8, 9, 10, 12, 14, 15]
    private static let userLogging: UInt16 = 13
    /// The format counts microseconds from the year 0.
    private static let epoch: Int64 = 0x00E0_3AB4_4A67_6000 - 946_684_800_000_000

    let bytes: [UInt8]
    private(set) var records: [Record] = []

    /// The records that are complete: the writer may just be adding one. Nil when this is no such file.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.fileHeader, bytes.starts(with: Self.magic) else { return nil }
        self.bytes = bytes
        bytes.withUnsafeBytes { buffer in
            func word(_ offset: Int) -> UInt32 {
                UInt32(bigEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
            var position = Self.fileHeader
            while position + Self.recordHeader <= buffer.count {
                let end = position + Self.recordHeader + Int(word(position + 4))
                guard end <= buffer.count else { break }
                let time = Int64(truncatingIfNeeded: UInt64(word(position + 16)) << 32 | UInt64(word(position + 20)))
                records.append(
                    Record(
                        time: WallTime(microseconds: time &- Self.epoch), opcode: UInt16(word(position + 8) & 0xFFFF),
                        range: position..<end))
                position = end
            }
        }
    }

    /// A capture of its own of what came at `start` or later, with the controllers that were there before.
    func slice(since start: WallTime) -> [UInt8] {
        records.lazy.filter { $0.time >= start || Self.context.contains($0.opcode) }
            .reduce(into: Array(bytes.prefix(Self.fileHeader))) { $0 += bytes[$1.range] }
    }

    /// What programs, bluetoothd above all, noted at `start` or later.
    func notes(since start: WallTime = WallTime(microseconds: .min)) -> [Note] {
        records.lazy.filter { $0.opcode == Self.userLogging && $0.time >= start }.compactMap { record in
            let content = bytes[record.range].dropFirst(Self.recordHeader + 2)  // after priority and length
            let parts = content.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            let text = String(decoding: parts[1].prefix { $0 != 0 }, as: UTF8.self)
            return Note(
                time: record.time, program: String(decoding: parts[0], as: UTF8.self),
                text: text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
