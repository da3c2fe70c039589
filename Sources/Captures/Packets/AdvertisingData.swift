/// What a device has advertised, by the types of its elements. Specification: Core Specification Supplement, Part A.
package struct AdvertisingData: Hashable, Sendable {
    package var localName: String?
    /// Whether ``localName`` is only its beginning.
    package var isNameShortened = false
    package var appearance: UInt16?
    /// dBm.
    package var txPower: Int?
    /// In 4 or 36 characters, in the order in which they were sent.
    package var services: [String] = []
    /// Each with the company's number in front.
    package var manufacturers: [[UInt8]] = []
    /// By the service's UUID.
    package var serviceData: [String: [UInt8]] = [:]
    /// The types of elements that a profile file cannot say.
    package var otherTypes: Set<UInt8> = []

    package init() {}

    /// No advertisement has more elements of a kind that a profile can say.
    private static let maximumElements = 16

    /// Adds what a packet says to what is known.
    ///
    /// - Returns: whether that has changed anything.
    @discardableResult
    mutating func add(_ bytes: ArraySlice<UInt8>) -> Bool {
        let former = self
        var cursor = ByteCursor(bytes)
        while let length = cursor.u8(), length > 0 {
            // The last element may be cut off.
            let element = cursor.bytes(Int(length)) ?? cursor.rest
            guard element.count == Int(length), let type = element.first else { break }
            add(type, element.dropFirst())
        }
        return self != former
    }

    private mutating func add(_ type: UInt8, _ value: ArraySlice<UInt8>) {
        var cursor = ByteCursor(value)
        switch type {
        // Flags are the controller's own.
        case 0x01: break
        case 0x02, 0x03: addServices(value, width: 2)
        case 0x04, 0x05: addServices(value, width: 4)
        case 0x06, 0x07: addServices(value, width: 16)
        case 0x08, 0x09:
            guard localName == nil || isNameShortened || type == 0x09 else { break }
            localName = String(decoding: value, as: UTF8.self)
            isNameShortened = type == 0x08
        case 0x0A: txPower = value.first.map { Int(Int8(bitPattern: $0)) }
        case 0x16: addServiceData(&cursor, width: 2)
        case 0x19: appearance = cursor.u16() ?? appearance
        case 0x20: addServiceData(&cursor, width: 4)
        case 0x21: addServiceData(&cursor, width: 16)
        case 0xFF:
            guard value.count >= 2, manufacturers.count < Self.maximumElements else { break }
            let value = Array(value)
            // The newest data of each company.
            if let index = manufacturers.firstIndex(where: { $0.prefix(2) == value.prefix(2) }) {
                manufacturers[index] = value
            } else {
                manufacturers.append(value)
            }
        default: otherTypes.insert(type)
        }
    }

    private mutating func addServices(_ value: ArraySlice<UInt8>, width: Int) {
        var cursor = ByteCursor(value)
        while let bytes = cursor.bytes(width), services.count < Self.maximumElements {
            let uuid = AttributeUUIDText.text(bytes)
            if !services.contains(uuid) { services.append(uuid) }
        }
    }

    private mutating func addServiceData(_ cursor: inout ByteCursor, width: Int) {
        guard let uuid = cursor.bytes(width), serviceData.count < Self.maximumElements else { return }
        serviceData[AttributeUUIDText.text(uuid)] = Array(cursor.rest)
    }
}

/// UUIDs as profile files have them.
enum AttributeUUIDText {
    /// In 4 characters where there is a short form, in 36 otherwise; upper case.
    ///
    /// - Parameter bytes: 2, 4 or 16, the last one first.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var digits: [UInt8] = []
        for byte in bytes.reversed() {
            for digit in [byte >> 4, byte & 0xF] {
                digits.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
            }
        }
        let text = String(decoding: digits, as: UTF8.self)
        switch bytes.count {
        case 2: return text
        case 4: return text.hasPrefix("0000") ? String(text.dropFirst(4)) : text + Self.base
        default:
            let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { part in
                String(decoding: digits[part.clamped(to: 0..<digits.count)], as: UTF8.self)
            }
            let uuid = parts.joined(separator: "-")
            return uuid.hasPrefix("0000") && uuid.hasSuffix(Self.base) ? String(uuid.dropFirst(4).prefix(4)) : uuid
        }
    }

    /// What follows the first 32 bits of UUIDs that have a short form.
    private static let base = "-0000-1000-8000-00805F9B34FB"
}
