/// A frame of an Eddystone beacon: the service data of FEAA. Source: Google, Eddystone Protocol Specification 1.0.
package enum Eddystone: Hashable, Swift.Sendable {
    /// The service's UUID.
    package static let service = "FEAA"

    /// Which beacon it is: 10 bytes for its owner and 6 for the beacon, and the signal strength right at it, in dBm.
    case uid(namespace: [UInt8], instance: [UInt8], power: Int8)
    /// An address on the web, and the signal strength right at the beacon, in dBm.
    case url(String, power: Int8)
    /// How the beacon is: its battery in millivolts (0 if it has none), its temperature in 1/256 °C, how many
    /// advertisements it has sent, and for how long it runs, in tenths of a second.
    case telemetry(battery: UInt16, temperature: Int16, advertisements: UInt32, uptime: UInt32)
    /// An identifier of 8 bytes that changes, and the signal strength right at the beacon, in dBm.
    case ephemeral([UInt8], power: Int8)

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    /// What a byte below 14 stands for in an address; those of the first half are followed by a slash.
    private static let endings = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]
    private static let expansions = endings.map { $0 + "/" } + endings
    /// What an address's temperature is if there is none.
    private static let noTemperature = Int16.min

    /// Decodes the service data; nil if they are no frame.
    package init?(data: some Collection<UInt8>) {
        let bytes = Array(data)
        func number(_ start: Int, _ count: Int) -> UInt32 {
            bytes[start..<start + count].reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard bytes.count >= 2 else { return nil }
        let power = Int8(bitPattern: bytes[1])
        switch bytes[0] {
        // Two bytes more are reserved.
        case 0x00 where bytes.count == 18 || bytes.count == 20:
            self = .uid(namespace: Array(bytes[2..<12]), instance: Array(bytes[12..<18]), power: power)
        case 0x10:
            guard let text = Self.url(bytes.dropFirst(2)) else { return nil }
            self = .url(text, power: power)
        // Only the version 0 is not encrypted.
        case 0x20 where bytes.count == 14 && bytes[1] == 0:
            self = .telemetry(
                battery: UInt16(number(2, 2)), temperature: Int16(bitPattern: UInt16(number(4, 2))),
                advertisements: number(6, 4), uptime: number(10, 4))
        case 0x30 where bytes.count == 10: self = .ephemeral(Array(bytes[2...]), power: power)
        default: return nil
        }
    }

    /// The service data; nil for an address that cannot be sent: with another scheme, or more than 17 bytes behind it.
    package var data: [UInt8]? {
        switch self {
        case .uid(let namespace, let instance, let power):
            return [0x00, UInt8(bitPattern: power)] + namespace + instance + [0, 0]
        case .url(let text, let power):
            return Self.encoded(text).map { [0x10, UInt8(bitPattern: power)] + $0 }
        case .telemetry(let battery, let temperature, let advertisements, let uptime):
            return [0x20, 0] + Self.bytes(battery) + Self.bytes(temperature) + Self.bytes(advertisements)
                + Self.bytes(uptime)
        case .ephemeral(let identifier, let power): return [0x30, UInt8(bitPattern: power)] + identifier
        }
    }

    /// Here the most significant byte comes first.
    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] { NumberType.bytes(of: number).reversed() }

    private static func url(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let first = bytes.first, Int(first) < schemes.count, bytes.count <= 18 else { return nil }
        var text = schemes[Int(first)]
        for byte in bytes.dropFirst() {
            switch Int(byte) {
            case 0..<expansions.count: text += expansions[Int(byte)]
            case 0x21...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        return text
    }

    private static func encoded(_ text: String) -> [UInt8]? {
        guard let scheme = schemes.firstIndex(where: text.hasPrefix) else { return nil }
        var bytes = [UInt8(scheme)]
        var rest = text.dropFirst(schemes[scheme].count)
        while let character = rest.first {
            if let known = expansions.firstIndex(where: rest.hasPrefix) {
                bytes.append(UInt8(known))
                rest = rest.dropFirst(expansions[known].count)
            } else {
                guard let byte = character.asciiValue, (0x21...0x7E).contains(byte) else { return nil }
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return bytes.count <= 18 ? bytes : nil
    }

    /// The kind of frame: `eddystone-uid`.
    package var name: String {
        switch self {
        case .uid: "eddystone-uid"
        case .url: "eddystone-url"
        case .telemetry: "eddystone-tlm"
        case .ephemeral: "eddystone-eid"
        }
    }

    /// For people.
    package var text: String {
        switch self {
        case .uid(let namespace, let instance, let power):
            return "\(name) \(ValueText.hex(namespace)) \(ValueText.hex(instance)), \(power) dBm at 0 m"
        case .url(let text, let power): return "\(name) \(text), \(power) dBm at 0 m"
        case .telemetry(let battery, _, let advertisements, let uptime):
            let parts = [
                battery == 0 ? nil : "\(battery) mV", celsius.map { "\($0) °C" }, "\(advertisements) advertisements",
                "\(uptime / 10) s",
            ]
            return "\(name) " + parts.compactMap(\.self).joined(separator: ", ")
        case .ephemeral(let identifier, let power): return "\(name) \(ValueText.hex(identifier)), \(power) dBm at 0 m"
        }
    }

    /// The temperature of telemetry in degrees Celsius, with two places; nil if there is none.
    package var celsius: String? {
        guard case .telemetry(_, let temperature, _, _) = self, temperature != Self.noTemperature else { return nil }
        return Decimals.text(Double(temperature) / 256, places: 2)
    }
}
