import AssignedNumbers
public import CoreBluetooth
import GATTProfiles

/// A characteristic of a ``ServiceProfile``.
public struct CharacteristicProfile: Hashable, Swift.Sendable {
    /// Names the characteristic in output: `heart-rate-measurement`. Unique in its service.
    public var name: String
    /// In 4 or 36 characters, upper case.
    public var uuid: String
    /// What centrals are allowed to do, as the declaration says.
    public var properties: CBCharacteristicProperties
    /// The uses that need an encrypted link, and so a paired central.
    public var encryption: Encryption
    /// The uses that need an authenticated link: that of a pairing with a passkey or a comparison.
    public var authentication: Encryption = []
    /// The uses that need a link that is authenticated by LE Secure Connections.
    public var secureConnections: Encryption = []
    /// The value at first.
    public var initialValue: [UInt8]
    /// The user description (2901); no descriptor if nil.
    public var userDescription: String?
    /// The presentation format (2904); no descriptor if nil.
    public var presentationFormat: PresentationFormat?
    /// The report reference (2908) of a HID report; no descriptor if nil.
    public var reportReference: ReportReference?
    /// What reads give.
    public var source: ValueSource
    /// What happens on writes; nil refuses them.
    public var writes: WriteRules?
    /// What is sent by itself while a central is subscribed.
    public var notifications: NotificationPlan?
    /// The sizes, in bytes, of the pieces into which every value is cut before it is sent; nil leaves it whole.
    public var pieceSizes: ClosedRange<Int>?
    /// Whether it is the characteristic that the commands `chirp` and `burst` send on.
    public var chirps: Bool
    /// Whether single reads and writes are not reported, because they come by the thousand.
    public var isQuiet: Bool
    /// What goes wrong, on purpose.
    public var faults: [Fault]
    /// Further descriptors, which are read as they are.
    package var copiedDescriptors: [CopiedDescriptor] = []

    public init(
        name: String, uuid: String, properties: CBCharacteristicProperties, encryption: Encryption = [],
        initialValue: [UInt8] = [], userDescription: String? = nil, presentationFormat: PresentationFormat? = nil,
        reportReference: ReportReference? = nil, source: ValueSource = .stored, writes: WriteRules? = nil,
        notifications: NotificationPlan? = nil,
        pieceSizes: ClosedRange<Int>? = nil, chirps: Bool = false, isQuiet: Bool = false, faults: [Fault] = []
    ) {
        self.name = name
        self.uuid = uuid
        self.properties = properties
        self.encryption = encryption
        self.initialValue = initialValue
        self.userDescription = userDescription
        self.presentationFormat = presentationFormat
        self.reportReference = reportReference
        self.source = source
        self.writes = writes
        self.notifications = notifications
        self.pieceSizes = pieceSizes
        self.chirps = chirps
        self.isQuiet = isQuiet
        self.faults = faults
    }

    /// Uses that need an encrypted link, or a better one.
    public struct Encryption: OptionSet, Hashable, Swift.Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        public static let read = Encryption(rawValue: 1)
        public static let write = Encryption(rawValue: 2)
        /// Subscriptions.
        public static let notify = Encryption(rawValue: 4)
    }

    /// What reads give.
    public enum ValueSource: Hashable, Swift.Sendable {
        /// What was written, set or sent last, at first the initial value.
        case stored
        /// How much was written to another characteristic, which counts: two 64-bit little-endian numbers, the writes
        /// and their bytes.
        case writeCount(of: CharacteristicPath)
        /// The number (PSM) of the L2CAP channel with this name, 16 bits, little-endian; empty while it is not offered.
        case psm(of: String)
        /// What the simulation of the standard service says, see ``ServiceProfile/standard``.
        case simulated
    }

    /// Whether it can be subscribed to.
    package var notifies: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }

    /// Whether it can be written in any way.
    package var isWriteable: Bool { !properties.isDisjoint(with: [.write, .writeWithoutResponse]) }

    /// Whether bluetoothd (5.66) answers writes by itself, with success, before it passes them on.
    package var hasItsWritesAnsweredByBlueZ: Bool { properties.isSuperset(of: [.write, .writeWithoutResponse]) }
}

/// A descriptor that a device has.
package struct CopiedDescriptor: Hashable, Swift.Sendable {
    /// In 4 or 36 characters, upper case.
    package var uuid: String
    package var value: [UInt8]

    package init(uuid: String, value: [UInt8]) {
        self.uuid = uuid
        self.value = value
    }
}

/// A characteristic's place in a profile.
public struct CharacteristicPath: Hashable, CustomStringConvertible, Swift.Sendable {
    /// The service's name.
    public var service: String
    /// The characteristic's name.
    public var characteristic: String

    public init(_ service: String, _ characteristic: String) {
        self.service = service
        self.characteristic = characteristic
    }

    /// `service/characteristic`.
    public var description: String { "\(service)/\(characteristic)" }
}

/// Which of a device's HID reports a characteristic has (Report Reference, 2908). Specification: HID Service 1.0,
/// 2.5.3.
public struct ReportReference: Hashable, Swift.Sendable {
    /// The direction of a report.
    public enum Kind: UInt8, Hashable, Swift.Sendable {
        case input = 1
        case output = 2
        case feature = 3
    }

    /// As in the report map; 0 if that has none.
    public var id: UInt8
    public var kind: Kind

    public init(id: UInt8, kind: Kind) {
        self.id = id
        self.kind = kind
    }
}

/// How to show a value (Characteristic Presentation Format, 2904). Specification: Bluetooth Core, Vol 3, Part G,
/// 3.3.3.5.
public struct PresentationFormat: Hashable, Swift.Sendable {
    /// The number of the format: 4 is an unsigned byte, 6 an unsigned 16-bit number, 25 is UTF-8, …
    public var format: UInt8
    /// The power of ten that the value is multiplied by.
    public var exponent: Int8
    /// The assigned number of the unit: 0x2700 is none, 0x27AD per cent, 0x272F degrees Celsius, …
    public var unit: UInt16

    public init(format: UInt8, exponent: Int8 = 0, unit: UInt16 = 0x2700) {
        self.format = format
        self.exponent = exponent
        self.unit = unit
    }

    /// The descriptor's value, with the Bluetooth SIG's name space and no description.
    package var bytes: [UInt8] {
        [
            format, UInt8(bitPattern: exponent), UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8),
            1, 0, 0,
        ]
    }

    /// The formats that have a name here.
    package static var names: [(name: String, format: UInt8)] { PresentationFormatNames.formats }

    /// Names for the commonest units, shorter than the assigned ones.
    package static var unitNames: [(name: String, unit: UInt16)] { PresentationFormatNames.units }

    /// The unit with one of those names, an assigned name as it is typed, or the part in its parentheses:
    /// `pressure-bar`, `bar`. Nil if there is none, or more than one.
    package static func unit(named name: String) -> UInt16? {
        let typed = TypedName.text(name)
        if let known = unitNames.first(where: { $0.name == typed }) { return known.unit }
        if let number = AssignedKind.unit.number(named: name) { return number }
        let found = AssignedKind.unit.all.filter { shortName($0.name) == typed }
        return found.count == 1 ? found.first?.number : nil
    }

    /// All names that a unit can be written by.
    static var allUnitNames: [String] {
        let assigned = AssignedKind.unit.all
        return unitNames.map(\.name) + assigned.map(\.typedName) + assigned.compactMap { shortName($0.name) }
    }

    /// `bar` for `pressure (bar)`.
    private static func shortName(_ name: String) -> String? {
        name.firstIndex(of: "(").map { TypedName.text(String(name[$0...])) }
    }
}
