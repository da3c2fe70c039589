/// The course of a number in one line of text.
enum Sparkline {
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// The last numbers, a character each, from the least of them to the greatest.
    static func text(_ numbers: some Collection<Double>, width: Int) -> String {
        let shown = numbers.suffix(max(width, 0))
        guard let low = shown.min(), let high = shown.max(), low.isFinite, high.isFinite else { return "" }
        guard high > low else { return String(repeating: blocks[3], count: shown.count) }
        return String(
            shown.map { number in
                let share = (number - low) / (high - low)
                return blocks[min(Int(share * Double(blocks.count)), blocks.count - 1)]
            })
    }
}

extension String {
    /// How many columns of a terminal it takes: two for ideographs and the like.
    var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// What fits, with an ellipsis if that is not all, and filled up with blanks.
    func fitted(to width: Int) -> String {
        guard width > 0 else { return "" }
        guard columns > width else { return self + String(repeating: " ", count: width - columns) }
        var text = ""
        var used = 0
        for character in self {
            let more = String(character).columns
            guard used + more <= width - 1 else { break }
            text.append(character)
            used += more
        }
        return text + "…" + String(repeating: " ", count: width - 1 - used)
    }
}

extension Unicode.Scalar {
    /// Specification: Unicode Standard Annex 11, roughly.
    fileprivate var columns: Int {
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            2
        default: properties.generalCategory == .nonspacingMark || properties.generalCategory == .format ? 0 : 1
        }
    }
}
