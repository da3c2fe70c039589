import AssignedNumbers
import Dittojay
import Foundation
import GATTProfiles

/// What a characteristic's present value means: for people, as numbers for a plot, and how another one is made.
struct Reading: Hashable {
    /// A number that is plotted.
    struct Number: Hashable {
        /// Empty if the value is nothing but this number.
        var name: String
        /// Empty if there is none.
        var unit: String
        var value: Double
    }

    /// How a number becomes a value.
    struct Encoding: Hashable {
        /// The bytes before the number.
        var prefix: [UInt8] = []
        var number: ScaledNumber
        /// The numbers that make sense for the unit; nil for all that fit.
        var range: ClosedRange<Double>?
    }

    var text: String
    var numbers: [Number] = []
    /// Nil if a value is more than a number.
    var encoding: Encoding?

    /// - Parameter characteristic: with the value that reads give, or else the one that was sent last.
    init(_ characteristic: CharacteristicStatus) {
        let bytes = (characteristic.value ?? characteristic.sent).flatMap(Self.bytes)
        self.init(bytes, of: characteristic)
    }

    private init(_ bytes: [UInt8]?, of characteristic: CharacteristicStatus) {
        encoding = Encoding(characteristic, length: bytes?.count)
        guard let bytes else {
            text = ""
            return
        }
        guard !bytes.isEmpty else {
            text = "(empty)"
            return
        }
        if encoding?.prefix.isEmpty == true, let scaled = encoding?.number, let number = scaled.number(in: bytes),
            characteristic.format != nil || KnownValue(bytes, ofCharacteristic: characteristic.uuid) == nil
        {
            numbers = [Number(name: "", unit: scaled.unit, value: number)]
            text = Self.text(number, scaled)
            return
        }
        switch KnownValue(bytes, ofCharacteristic: characteristic.uuid) {
        case .heartRate(let measurement):
            numbers = [Number(name: "heart rate", unit: "bpm", value: Double(measurement.rate))]
            text = "\(measurement.rate) bpm"
        case .bodySensorLocation(let location): text = location.text
        case .batteryLevel(let percent):
            numbers = [Number(name: "", unit: "%", value: Double(percent))]
            text = "\(percent) %"
        case .sinkCount(let count):
            numbers = [
                Number(name: "writes", unit: "", value: Double(count.writes)),
                Number(name: "bytes", unit: "", value: Double(count.byteCount)),
            ]
            text = "\(count.writes) writes, \(count.byteCount) bytes"
        case .text(let content): text = content
        case .decoded(let decoded):
            text = decoded.text
            numbers = decoded.fields.flatMap { Self.numbers($0, isOnly: decoded.fields.count == 1) }
        case nil: text = Self.unknown(bytes)
        }
    }

    /// The numbers of one field; of several, the last one is the newest.
    private static func numbers(_ field: DecodedValue.Field, isOnly: Bool) -> [Number] {
        let name = isOnly ? "" : field.name
        switch field.content {
        case .number(let digits, let unit):
            return Double(digits).map { [Number(name: name, unit: unit, value: $0)] } ?? []
        case .numbers(let all, let unit):
            return all.last.flatMap(Double.init).map { [Number(name: name, unit: unit, value: $0)] } ?? []
        case .meaning, .special, .bits, .text: return []
        }
    }

    private static func text(_ number: Double, _ scaled: ScaledNumber) -> String {
        let places = scaled.scale < 1 ? min(6, Int((-log10(scaled.scale)).rounded(.up))) : 0
        let digits = String(format: "%.\(places)f", number)
        return scaled.unit.isEmpty ? digits : "\(digits) \(scaled.unit)"
    }

    private static func unknown(_ bytes: [UInt8]) -> String {
        let limit = 24
        let hex = ValueText.hex(bytes.prefix(limit)) + (bytes.count > limit ? "… (\(bytes.count) bytes)" : "")
        guard let printable = ValueText.printable(bytes) else { return hex }
        return "“\(printable.prefix(limit))\(printable.count > limit ? "…" : "")”"
    }

    static func bytes(_ hex: String) -> [UInt8]? { try? ValueText.parse("hex:" + hex, bare: .text) }
}

extension Reading.Encoding {
    /// - Parameter length: of the present value; nil if there is none.
    init?(_ characteristic: CharacteristicStatus, length: Int?) {
        if characteristic.chirps { return nil }
        if characteristic.uuid == HeartRateService.measurement {
            // Flags that say nothing but that the rate has eight bits.
            prefix = [0]
            number = ScaledNumber(width: 1, isSigned: false, unit: "bpm")
        } else if let format = characteristic.format {
            guard let found = ScaledNumber(format) else { return nil }
            number = found
        } else if characteristic.uuid == "2A19" {
            number = ScaledNumber(width: 1, isSigned: false, unit: "%")
        } else if let format = AttributeFormat(uuid: characteristic.uuid) {
            guard let found = format.scaledNumber else { return nil }
            number = found
        } else if let length, [1, 2, 4, 8].contains(length) {
            number = ScaledNumber(width: length, isSigned: false)
        } else {
            return nil
        }
        range = Self.ranges[number.unit]
    }

    private static let ranges: [String: ClosedRange<Double>] = ["%": 0...100, "°C": -40...85, "bpm": 30...220]
}

extension ScaledNumber {
    /// The number of a presentation format; nil if it is no integer of whole bytes.
    fileprivate init?(_ format: CharacteristicStatus.Format) {
        guard let sign = format.type.first, sign == "u" || sign == "i", let bits = Int(format.type.dropFirst()),
            bits % 8 == 0, (8...64).contains(bits)
        else { return nil }
        let unit = UInt16(clamping: format.unit)
        let symbols: [UInt16: String] = [0x2700: "", 0x272F: "°C", 0x27AD: "%", 0x27AF: "bpm"]
        self.init(
            width: bits / 8, isSigned: sign == "i", scale: pow(10, Double(format.exponent)),
            unit: symbols[unit] ?? AssignedKind.unit.name(of: unit) ?? "")
    }
}
