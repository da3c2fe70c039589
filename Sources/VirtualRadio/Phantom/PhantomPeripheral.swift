/// What a phantom that can be connected to has in its ATT server, and what it does against the specification.
public struct PhantomPeripheral: Sendable, Equatable {
    /// The name in its Generic Access service.
    public var name = ""
    public var services: [Service] = []
    /// What it answers to Exchange MTU, whether it is allowed or not.
    public var mtu = 247
    /// Faults of any request. Those of characteristics come first; the first one that is due happens.
    public var faults: [Fault] = []
    /// Whether an indication waits for the confirmation of the one before it.
    public var waitsForConfirmation = true

    public init() {}

    public struct Service: Sendable, Equatable {
        public var uuid: AttributeType
        public var characteristics: [Characteristic]

        public init(uuid: AttributeType, characteristics: [Characteristic]) {
            self.uuid = uuid
            self.characteristics = characteristics
        }
    }

    public struct Characteristic: Sendable, Equatable {
        public var uuid: AttributeType
        public var properties: Properties
        public var value: [UInt8]
        /// How often it is sent to a central that has subscribed, in nanoseconds.
        public var interval: Int?
        /// Faults of requests about it.
        public var faults: [Fault]

        public init(
            uuid: AttributeType, properties: Properties, value: [UInt8], interval: Int? = nil, faults: [Fault] = []
        ) {
            self.uuid = uuid
            self.properties = properties
            self.value = value
            self.interval = interval
            self.faults = faults
        }
    }

    /// As a characteristic's declaration has them. (Core Specification, Vol 3 Part G, 3.3.1.1)
    public struct Properties: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let read = Properties(rawValue: 0x02)
        public static let writeWithoutResponse = Properties(rawValue: 0x04)
        public static let write = Properties(rawValue: 0x08)
        public static let notify = Properties(rawValue: 0x10)
        public static let indicate = Properties(rawValue: 0x20)
    }
}

/// A UUID of 16 or 128 bits, as ATT has it: the least significant byte first.
public struct AttributeType: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Of 16 bits.
    public init(_ number: UInt16) {
        bytes = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    /// A text of four digits, or of 32 with or without hyphens.
    public init?(_ text: String) {
        var nibbles: [UInt8] = []
        for character in text where character != "-" {
            guard let digit = character.hexDigitValue, nibbles.count < 32 else { return nil }
            nibbles.append(UInt8(digit))
        }
        guard nibbles.count == 4 || nibbles.count == 32 else { return nil }
        bytes = stride(from: nibbles.count - 2, through: 0, by: -2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    init(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// 16 bits are short for 128. (Vol 3 Part B, 2.5.1)
    static func == (left: AttributeType, right: [UInt8]) -> Bool {
        guard left.bytes.count != right.count else { return left.bytes == right }
        let (short, long) = left.bytes.count < right.count ? (left.bytes, right) : (right, left.bytes)
        guard short.count == 2, long.count == 16 else { return false }
        return base + short + [0, 0] == long
    }

    private static let base: [UInt8] = [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00]
}
