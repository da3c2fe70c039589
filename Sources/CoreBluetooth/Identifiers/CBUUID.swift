/// A Bluetooth UUID of 16, 32 or 128 bits, which names a service, a characteristic or a descriptor.
///
/// Two values are equal, and hash alike, when they represent the same 128-bit UUID, whatever width they were created
/// with: `CBUUID(string: "180D") == CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")`.
///
/// Specification: Bluetooth Core, Vol 3, Part B, 2.5.1.
// @unchecked: all stored properties are constants of Sendable types; NSObject, the superclass, has no state.
open class CBUUID: NSObject, NSCopying, @unchecked Swift.Sendable {
    /// The number of bytes that the value was created with.
    enum Width: Int, Swift.Sendable {
        case bits16 = 2
        case bits32 = 4
        case bits128 = 16
    }

    /// The UUID on which all 16- and 32-bit values are built: the short value takes the place of the first 32 bits.
    static let baseBits: UInt128 = 0x0000_0000_0000_1000_8000_0080_5F9B_34FB

    /// The full UUID.
    let bits: UInt128
    let width: Width

    init(bits: UInt128, width: Width) {
        self.bits = bits
        self.width = width
        super.init()
    }

    /// Creates a UUID of zeros, as a placeholder: no attribute has it.
    public convenience override init() {
        self.init(bits: 0, width: .bits128)
    }

    /// Creates a UUID from text.
    ///
    /// - Parameter theString: 4 or 8 hexadecimal digits, or the 36-character form of a 128-bit UUID, in upper or lower
    ///   case. Anything else is a programming error and ends the program; use ``init(validating:)`` for text from
    ///   outside.
    public init(string theString: String) {
        guard let (bits, width) = Self.parse(theString) else {
            preconditionFailure(
                "CBUUID(string:): “\(theString)” is not a UUID of 4, 8 or 32 hexadecimal digits (the last hyphenated)")
        }
        self.bits = bits
        self.width = width
        super.init()
    }

    /// Creates a UUID from its bytes.
    ///
    /// - Parameter theData: 2, 4 or 16 bytes, the most significant first. Another length is a programming error and
    ///   ends the program.
    public init(data theData: Data) {
        guard let width = Width(rawValue: theData.count) else {
            preconditionFailure("CBUUID(data:): \(theData.count) bytes; a UUID has 2, 4 or 16")
        }
        let value = theData.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        self.bits = width == .bits128 ? value : Self.baseBits | value << 96
        self.width = width
        super.init()
    }

    /// Creates a 128-bit UUID from a Foundation UUID.
    public init(nsuuid theUUID: UUID) {
        self.bits = theUUID.bits
        self.width = .bits128
        super.init()
    }

    /// Creates a UUID from text that may be wrong, for example from a command line (a Linux addition).
    ///
    /// - Parameter text: as in ``init(string:)``; nil is returned for anything else.
    public convenience init?(validating text: String) {
        guard let (bits, width) = Self.parse(text) else { return nil }
        self.init(bits: bits, width: width)
    }

    /// Creates the UUID of an attribute or an advertisement from the text that BlueZ delivers, always 128 bits, in the
    /// shortest form: what is built on the Bluetooth base UUID gets 16 or 32 bits, as Apple's system reports it.
    convenience init?(shortening text: String) {
        guard let (bits, _) = Self.parse(text) else { return nil }
        let short = bits >> 96
        if bits & (UInt128.max >> 32) != Self.baseBits {
            self.init(bits: bits, width: .bits128)
        } else {
            self.init(bits: bits, width: short > 0xFFFF ? .bits32 : .bits16)
        }
    }

    /// The bytes of the UUID, the most significant first, in the width that the value was created with.
    open var data: Data {
        switch width {
        case .bits16: bits.bigEndianData.dropFirst(2).prefix(2).rebased
        case .bits32: bits.bigEndianData.prefix(4).rebased
        case .bits128: bits.bigEndianData
        }
    }

    /// The UUID as text in upper case, in the width that the value was created with: `"180D"`, `"12345678"` or
    /// `"CED261B7-F120-41C8-9A92-A41DE69CF2A8"`.
    open var uuidString: String {
        switch width {
        case .bits16: String(fullText.dropFirst(4).prefix(4))
        case .bits32: String(fullText.prefix(8))
        case .bits128: fullText
        }
    }

    /// The 36-character form in upper case, for any width.
    var fullText: String { UUID(bits: bits).uuidString }

    /// The name of the service, characteristic or descriptor if the UUID is a widely used assigned one, else
    /// ``uuidString``. For logs only.
    open override var description: String {
        assignedName ?? uuidString
    }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CBUUID)?.bits == bits
    }

    /// What ``isEqual(_:)`` says, without a cast: each request looks for its attribute by UUID.
    package static func == (left: CBUUID, right: CBUUID) -> Bool {
        left.bits == right.bits
    }

    open override var hash: Int {
        Int(truncatingIfNeeded: bits >> 64 ^ bits)
    }

    /// Returns the same object: a UUID does not change.
    @discardableResult
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The bits and the width of the UUID in a text, or nil if it is not a UUID.
    private static func parse(_ text: String) -> (UInt128, Width)? {
        let utf8 = Array(text.utf8)
        switch utf8.count {
        case 4, 8:
            guard let value = hexadecimal(utf8[...]) else { return nil }
            return (baseBits | value << 96, utf8.count == 4 ? .bits16 : .bits32)
        case 36:
            let hyphens = [8, 13, 18, 23]
            guard hyphens.allSatisfy({ utf8[$0] == UInt8(ascii: "-") }) else { return nil }
            let digits = utf8.indices.filter { !hyphens.contains($0) }.map { utf8[$0] }
            return hexadecimal(digits[...]).map { ($0, .bits128) }
        default:
            return nil
        }
    }

    /// The value of up to 32 hexadecimal digits; nil if one of them is something else (a sign, for example, which
    /// `init(_:radix:)` would let pass).
    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt128? {
        var value: UInt128 = 0
        for digit in digits {
            guard let nibble = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            value = value << 4 | UInt128(nibble)
        }
        return value
    }
}

extension Data {
    /// The same bytes with indices that start at zero, as everyone expects of a `Data` that an API returns.
    fileprivate var rebased: Data { Data(self) }
}
