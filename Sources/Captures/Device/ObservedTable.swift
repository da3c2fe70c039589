/// The attributes of a device, by their handles, as far as anything has shown them.
package struct ObservedTable: Sendable {
    package struct Service: Hashable, Sendable {
        package let end: UInt16
        package let uuid: String
        package let isPrimary: Bool
    }

    package struct Include: Hashable, Sendable {
        package let start: UInt16
        package let end: UInt16
        /// Nil for one of 128 bits, which has to be read from the service.
        package let uuid: String?
    }

    package struct Characteristic: Hashable, Sendable {
        /// Broadcast 0x01, read 0x02, write without response 0x04, write 0x08, notify 0x10, indicate 0x20, signed
        /// write 0x40, extended 0x80.
        package let properties: UInt8
        package let valueHandle: UInt16
        package let uuid: String
    }

    package struct Value: Hashable, Sendable {
        package var bytes: [UInt8]
        /// Whether the capture has cut it off.
        package var isTruncated = false
        package let mark: PacketMark
    }

    /// A request that was refused because of what the link lacks.
    package struct Refusal: Hashable, Sendable {
        package enum Use: String, Hashable, Sendable {
            case read, write
        }

        package let use: Use
        package let error: UInt8
        package let isLinkEncrypted: Bool
        package let mark: PacketMark
    }

    /// By the handle of the declaration.
    package internal(set) var services: [UInt16: Service] = [:]
    package internal(set) var includes: [UInt16: Include] = [:]
    package internal(set) var characteristics: [UInt16: Characteristic] = [:]
    /// The types of attributes, from Find Information and Read By Type.
    package internal(set) var types: [UInt16: String] = [:]
    /// The first value of each attribute that was read.
    package internal(set) var values: [UInt16: Value] = [:]
    /// The first refusal of each kind.
    package internal(set) var refusals: [UInt16: [Refusal]] = [:]
    /// Where an attribute was found to be another one than before.
    package internal(set) var firstChange: PacketMark?

    package init() {}

    /// Handles have 16 bits; devices have some hundred attributes.
    private static let maximumAttributes = 16_384

    /// Whether there is room for another attribute.
    private var hasRoom: Bool { count < Self.maximumAttributes }

    /// How many facts are known.
    var count: Int { services.count + includes.count + characteristics.count + types.count + values.count }

    mutating func add(_ service: Service, at handle: UInt16, _ mark: PacketMark) {
        add(service, at: handle, mark, \.services)
    }

    mutating func add(_ include: Include, at handle: UInt16, _ mark: PacketMark) {
        add(include, at: handle, mark, \.includes)
    }

    mutating func add(_ characteristic: Characteristic, at handle: UInt16, _ mark: PacketMark) {
        add(characteristic, at: handle, mark, \.characteristics)
    }

    mutating func add(type: String, at handle: UInt16, _ mark: PacketMark) {
        add(type, at: handle, mark, \.types)
    }

    private mutating func add<Fact: Equatable>(
        _ fact: Fact, at handle: UInt16, _ mark: PacketMark, _ facts: WritableKeyPath<Self, [UInt16: Fact]>
    ) {
        if let former = self[keyPath: facts][handle] {
            if former != fact, firstChange == nil { firstChange = mark }
        } else if !hasRoom {
            return
        }
        self[keyPath: facts][handle] = fact
    }

    /// Keeps the first value of an attribute that is whole.
    mutating func add(_ value: Value, at handle: UInt16) {
        if let former = values[handle] {
            guard former.isTruncated, !value.isTruncated else { return }
        } else if !hasRoom {
            return
        }
        values[handle] = value
    }

    /// Adds a part to the value that was read first.
    mutating func append(
        _ part: ArraySlice<UInt8>, isTruncated: Bool, at handle: UInt16, offset: Int, from mark: PacketMark
    ) {
        guard var value = values[handle], value.mark == mark, value.bytes.count == offset else { return }
        value.bytes += part
        value.isTruncated = isTruncated
        values[handle] = value
    }

    mutating func add(_ refusal: Refusal, at handle: UInt16) {
        guard refusals[handle] != nil || refusals.count < Self.maximumAttributes else { return }
        guard refusals[handle]?.contains(where: { $0.use == refusal.use }) != true else { return }
        refusals[handle, default: []].append(refusal)
    }
}
