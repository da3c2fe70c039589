public import CoreBluetooth

/// An L2CAP channel of a ``PeripheralProfile``: a stream of bytes beside GATT, for each central that opens it.
public struct ChannelProfile: Hashable, Swift.Sendable {
    /// What happens on the channel.
    public enum Mode: Hashable, Swift.Sendable {
        /// What comes is sent back.
        case echo
        /// Numbers are sent as fast as they are taken: 0, 1, 2 …, of 32 bits, little-endian. What comes is dropped.
        ///
        /// After `byteCount` bytes the channel is closed; nil: never.
        case counter(byteCount: Int?)
        /// What comes is counted and dropped.
        case discard
        /// Nothing is read, so that the central has to stop sending.
        case stall
        /// The content of a file is sent, and the channel closed. What comes is dropped.
        case file(path: String)
    }

    /// The numbers (PSM) that a peripheral can offer a channel at.
    public static let possiblePSMs: ClosedRange<CBL2CAPPSM> = 0x80...0xFF

    /// Names the channel in output. Unique in its profile.
    public var name: String
    /// The number to offer it at. Nil: the first that is free.
    public var psm: CBL2CAPPSM?
    /// Whether a central has to pair first.
    public var isEncrypted: Bool
    public var mode: Mode
    /// The folder that a file has to be in, or below; nil: any.
    public var folder: String?

    public init(
        name: String, psm: CBL2CAPPSM? = nil, isEncrypted: Bool = false, mode: Mode, folder: String? = nil
    ) {
        self.name = name
        self.psm = psm
        self.isEncrypted = isEncrypted
        self.mode = mode
        self.folder = folder
    }
}

extension ChannelProfile: CustomStringConvertible {
    /// For people.
    public var description: String {
        var text = "L2CAP channel \(name) at " + (psm.map { "PSM \($0)" } ?? "any PSM")
        if isEncrypted { text += ", encrypted" }
        switch mode {
        case .echo: text += ": sends back what comes"
        case .counter(let count): text += ": sends " + (count.map { "\($0) bytes of " } ?? "") + "numbers"
        case .discard: text += ": counts what comes"
        case .stall: text += ": reads nothing"
        case .file(let path): text += ": sends \(path)"
        }
        return text
    }
}
