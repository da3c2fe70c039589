/// What a phantom that can be connected to has in its ATT server, and what it does against the specification.
public struct PhantomPeripheral: Sendable, Equatable {
    /// The name in its Generic Access service.
    public var name = ""
    public var services: [Service] = []
    /// What it answers to Exchange MTU, whether it is allowed or not.
    public var mtu = 247
    public var misbehaviours: [Misbehaviour] = []
    /// Whether an indication waits for the confirmation of the one before it.
    public var waitsForConfirmation = true
    /// Packets that it sends while a central is connected, whatever they are.
    public var pushes: [Push] = []

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

        public init(uuid: AttributeType, properties: Properties, value: [UInt8], interval: Int? = nil) {
            self.uuid = uuid
            self.properties = properties
            self.value = value
            self.interval = interval
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

    /// What it does instead of what it should.
    public struct Misbehaviour: Sendable, Equatable {
        /// The opcode of the request. (Vol 3 Part F, 3.4.8)
        public var request: UInt8
        /// Only for requests about the values of this type.
        public var type: AttributeType?
        public var reaction: Reaction
        /// How often it behaves before.
        public var after: Int
        /// How often it misbehaves; `nil`: always.
        public var times: Int?

        public init(request: UInt8, type: AttributeType?, reaction: Reaction, after: Int = 0, times: Int? = nil) {
            self.request = request
            self.type = type
            self.reaction = reaction
            self.after = after
            self.times = times
        }
    }

    public enum Reaction: Sendable, Equatable {
        /// Error Response with that code.
        case error(UInt8)
        case silence
        /// These bytes as the answer.
        case bytes([UInt8])
        /// The end of the link.
        case disconnect
    }

    /// A packet that comes again and again.
    public struct Push: Sendable, Equatable {
        /// A packet of ATT, or what is none.
        public var bytes: [UInt8]
        /// In nanoseconds.
        public var interval: Int

        public init(bytes: [UInt8], interval: Int) {
            self.bytes = bytes
            self.interval = interval
        }
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
