/// One packet of a capture, told apart by what it is for.
struct CapturedPacket {
    /// From 1, as Wireshark counts.
    let number: Int
    /// Microseconds since the beginning of 1970.
    let time: Int64
    let content: Content

    enum Content {
        /// From the operation code on.
        case command(ArraySlice<UInt8>, controller: UInt16)
        /// From the event code on.
        case event(ArraySlice<UInt8>, controller: UInt16)
        /// From the connection handle on. Whether the host has received it is nil if the file does not say.
        case acl(ArraySlice<UInt8>, controller: UInt16, isReceived: Bool?)
        /// The monitor channel has a new controller, or its address.
        case controller(UInt16, address: DeviceAddress, isNew: Bool)
        /// A command or an event of the kernel's management interface, from its code on.
        case management(ArraySlice<UInt8>, isEvent: Bool)
        case air(AirFrame)
        case other
    }

    init(_ record: CaptureRecord) {
        number = record.number
        time = record.time
        content =
            switch record.kind {
            case .hci(.command): .command(record.bytes, controller: 0)
            case .hci(.event): .event(record.bytes, controller: 0)
            case .hci(.aclSent): .acl(record.bytes, controller: 0, isReceived: false)
            case .hci(.aclReceived): .acl(record.bytes, controller: 0, isReceived: true)
            case .h4(let isReceived): Self.h4(record.bytes, isReceived: isReceived)
            case .monitor(let controller, let opcode): Self.monitor(record.bytes, controller, opcode)
            case .linkLayer: AirFrame(plain: record.bytes).map { .air($0) } ?? .other
            case .linkLayerWithHeader: AirFrame(withHeader: record.bytes).map { .air($0) } ?? .other
            case .nordic: AirFrame(nordic: record.bytes).map { .air($0) } ?? .other
            case .other: .other
            }
    }

    private static func h4(_ bytes: ArraySlice<UInt8>, isReceived: Bool?) -> Content {
        let rest = bytes.dropFirst()
        return switch bytes.first {
        case 1: .command(rest, controller: 0)
        case 2: .acl(rest, controller: 0, isReceived: isReceived)
        case 4: .event(rest, controller: 0)
        default: .other
        }
    }

    private static func monitor(_ bytes: ArraySlice<UInt8>, _ controller: UInt16, _ opcode: UInt16) -> Content {
        var cursor = ByteCursor(bytes)
        switch opcode {
        // New index: the kind, the bus, the address and the name.
        case 0:
            guard cursor.skip(2), let address = cursor.bytes(6) else { return .other }
            return .controller(controller, address: DeviceAddress(address, isRandom: false), isNew: true)
        case 2: return .command(bytes, controller: controller)
        case 3: return .event(bytes, controller: controller)
        case 4: return .acl(bytes, controller: controller, isReceived: false)
        case 5: return .acl(bytes, controller: controller, isReceived: true)
        // Index info: the address and the manufacturer.
        case 10:
            guard let address = cursor.bytes(6) else { return .other }
            return .controller(controller, address: DeviceAddress(address, isRandom: false), isNew: false)
        // What programs and the kernel's management interface exchange: a cookie of four bytes in front.
        case 16, 17:
            guard cursor.skip(4) else { return .other }
            return .management(cursor.rest, isEvent: opcode == 17)
        default: return .other
        }
    }
}
