import ArgumentParser
import AssignedNumbers
import CoreBluetooth
import GATTProfiles
import PlainText

/// The format in which values are printed.
enum ValueFormat: ExpressibleByArgument, Hashable, Swift.Sendable {
    /// In words if the characteristic is known, otherwise in hexadecimal.
    case auto
    case hex
    /// As UTF-8; other bytes become the replacement character.
    case text
    case number(NumberType)

    init?(argument: String) {
        switch argument {
        case "auto": self = .auto
        case "hex": self = .hex
        case "text": self = .text
        default:
            guard let type = NumberType(name: argument) else { return nil }
            self = .number(type)
        }
    }

    static var allValueStrings: [String] { ["auto", "hex", "text"] + NumberType.names.flatMap { [$0, $0 + "be"] } }

    /// The value in this format.
    func text(_ value: Data, of uuid: String) -> String {
        switch self {
        case .auto:
            guard let known = KnownValue(value, ofCharacteristic: uuid) else {
                return value.isEmpty ? "(empty)" : ValueText.hex(value)
            }
            // The words leave something out.
            if case .decoded = known { return "\(known.text) (\(ValueText.hex(value)))" }
            return known.text
        case .hex: return ValueText.hex(value)
        case .text: return String(decoding: value, as: UTF8.self)
        // A value of another width than was expected is shown all the same.
        case .number(let type): return type.text(value) ?? "hex:" + ValueText.hex(value)
        }
    }
}

extension JSONObject {
    /// Adds the meaning of a value, if it is known: the fields of this package's formats, and `decoded`, an object with
    /// an object for each field of the SIG's.
    mutating func addMeaning(of value: Data, uuid: String) {
        KnownValue(value, ofCharacteristic: uuid)?.add(to: &self)
        guard let decoded = AttributeFormat(uuid: uuid)?.decode(value) else { return }
        add("decoded", members: decoded.fields.map { (TypedName.text($0.name), $0.content.json) })
    }
}

extension DecodedValue.Content {
    /// `value`, and `unit` or `meaning` where there is one. Where the device has none, `value` is null, and `meaning`
    /// says why.
    fileprivate var json: JSONObject {
        var object = JSONObject()
        switch self {
        case .number(let digits, let unit):
            object.add("value", number: digits)
            if !unit.isEmpty { object.add("unit", unit) }
        case .numbers(let all, let unit):
            object.add("values", numbers: all)
            if !unit.isEmpty { object.add("unit", unit) }
        case .meaning(let meaning, let number):
            if number.hasPrefix("0x") { object.add("raw", number) } else { object.add("value", number: number) }
            object.add("meaning", meaning)
        case .special(let reason, let raw):
            object.add("value", number: "null")
            object.add("raw", raw)
            object.add("meaning", reason)
        case .bits(let names, let number):
            object.add("raw", number)
            object.add("bits", names)
        case .text(let text): object.add("value", text)
        }
        return object
    }
}

extension KnownValue {
    /// The value in words.
    var text: String {
        switch self {
        case .heartRate(let measurement): return measurement.text
        case .bodySensorLocation(let location): return location.text
        case .batteryLevel(let level): return "\(level) %"
        case .sinkCount(let count): return "\(count.writes) writes, \(count.byteCount) bytes"
        case .text(let text): return text
        case .decoded(let decoded): return decoded.text
        }
    }

    /// Adds the meaning of the value to an object.
    func add(to object: inout JSONObject) {
        switch self {
        case .heartRate(let measurement): measurement.add(to: &object)
        case .bodySensorLocation(let location): object.add("location", location.text)
        case .batteryLevel(let level): object.add("level", level)
        case .sinkCount(let count):
            object.add("writes", count.writes)
            object.add("bytes", count.byteCount)
        case .text(let text): object.add("text", text)
        case .decoded: break
        }
    }
}
