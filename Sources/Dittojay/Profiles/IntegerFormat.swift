import GATTProfiles

/// How an integer is sent: unsigned or signed, with this many bits, the most significant byte last or, with `be`,
/// first.
public enum IntegerFormat: String, CaseIterable, Hashable, Swift.Sendable {
    case u8, u16, u16be, u32, u32be, u64, u64be
    case i8, i16, i16be, i32, i32be, i64, i64be

    /// The numbers that can be sent, up to `Int64.max`.
    public var range: ClosedRange<Int64> { type.range }

    /// The low bytes of a number, as many as the format has.
    func bytes(truncating number: Int64) -> [UInt8] { type.bytes(truncating: number) }

    private var type: NumberType {
        let width =
            switch self {
            case .u8, .i8: 1
            case .u16, .u16be, .i16, .i16be: 2
            case .u32, .u32be, .i32, .i32be: 4
            case .u64, .u64be, .i64, .i64be: 8
            }
        return NumberType(width: width, isSigned: rawValue.hasPrefix("i"), isBigEndian: rawValue.hasSuffix("be"))
    }
}
