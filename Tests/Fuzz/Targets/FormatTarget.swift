import AssignedNumbers
import Foundation
import GATTProfiles

extension FuzzTarget {
    /// Values of the formats that the Bluetooth SIG has assigned, and its names.
    static let formats = FuzzTarget(
        name: "formats", weight: 250, generate: { $0.bytes($0.length(upTo: 80)) }, run: Formats.run)
}

private enum Formats {
    private static let all = AttributeFormat.all.compactMap(\.format)

    /// The first byte says where it begins: a value is one of thirty formats' in a row.
    static func run(_ bytes: [UInt8]) throws {
        try expect(all.count > 200, "too few formats")
        guard let first = bytes.first else { return }
        let value = bytes.dropFirst()
        for offset in 0..<30 {
            guard let decoded = all[(Int(first) * 11 + offset) % all.count].decode(value) else { continue }
            try check(decoded)
        }
        let number = UInt16(first) << 8 | UInt16(bytes.last ?? 0)
        for kind in AssignedKind.allCases {
            guard let name = kind.name(of: number) else { continue }
            // Of those alike the first is found.
            let again = kind.number(named: name)
            try expect(again.map { $0 <= number } == true, "\(name) is not found by its name")
        }
        _ = AssignedKind.characteristic.number(named: String(decoding: bytes, as: UTF8.self))
    }

    private static func check(_ decoded: DecodedValue) throws {
        for field in decoded.fields {
            switch field.content {
            case .number(let digits, _): try checkNumber(digits)
            case .numbers(let all, _): for digits in all { try checkNumber(digits) }
            case .meaning(_, let number): if !number.hasPrefix("0x") { try checkNumber(number) }
            case .special(_, let raw): try expect(raw.hasPrefix("0x"), "\(raw) is not hexadecimal")
            case .bits(_, let number): try expect(number.hasPrefix("0x"), "\(number) is not hexadecimal")
            case .text: break
            }
        }
        try expect(decoded.text.utf8.count < 1 << 16, "an endless text")
    }

    private static func checkNumber(_ digits: String) throws {
        let read = try? JSONDecoder().decode([Double].self, from: Data("[\(digits)]".utf8))
        try expect(read?.first?.isFinite == true, "\(digits) is not a number in JSON")
    }
}
