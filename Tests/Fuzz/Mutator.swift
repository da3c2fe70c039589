import TestSupport

/// Changes texts so that most of them still look like what they were.
struct Mutator {
    /// Well-formed inputs.
    let corpus: [[UInt8]]
    /// What inputs are made of: keys, values, brackets.
    let words: [[UInt8]]
    private let lines: [[UInt8]]

    private static let longest = 1 << 16

    init(corpus: [String], words: [String]) {
        self.corpus = corpus.map { Array($0.utf8) }
        let found = corpus.flatMap { $0.split { !($0.isLetter || $0.isNumber || "-_./".contains($0)) } }.map(
            String.init)
        self.words = Set(found + words).sorted().map { Array($0.utf8) }
        lines = Set(corpus.flatMap { $0.split(separator: "\n") }).sorted().map { Array($0.utf8) }
    }

    /// One of the corpus, with some changes.
    func input(_ dice: inout Dice) -> [UInt8] {
        var bytes = dice.pick(corpus)
        for _ in 0...dice.length(upTo: 12) / 3 { change(&bytes, &dice) }
        return Array(bytes.prefix(Self.longest))
    }

    private func change(_ bytes: inout [UInt8], _ dice: inout Dice) {
        let place = dice.below(bytes.count + 1)
        let rest = bytes.count - place
        switch dice.below(12) {
        case 0: bytes.removeSubrange(place..<place + dice.below(min(rest, 40) + 1))
        case 1: bytes.insert(contentsOf: dice.pick(words), at: place)
        case 2: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: dice.next()) }
        case 3: if place < bytes.count { bytes[place] ^= 1 << UInt8(dice.below(8)) }
        case 4: replaceWord(&bytes, near: place, &dice)
        case 5: replaceWord(&bytes, near: place, &dice)
        case 6: changeLines(&bytes, &dice)
        case 7: changeLines(&bytes, &dice)
        case 8:
            // A piece again and again: depth, length, number.
            let piece = Array(bytes[place..<place + dice.below(min(rest, 30) + 1)])
            let times = dice.length(upTo: 3000)
            if bytes.count + piece.count * times <= Self.longest {
                bytes.insert(contentsOf: (0..<times).flatMap { _ in piece }, at: place)
            }
        case 9:
            let times = dice.length(upTo: 3000)
            let word = dice.pick(words)
            if bytes.count + word.count * times <= Self.longest {
                bytes.insert(contentsOf: (0..<times).flatMap { _ in word }, at: place)
            }
        case 10:
            let other = dice.pick(corpus)
            bytes = Array(bytes[..<place] + other[dice.below(other.count)...])
        default: bytes.removeLast(min(bytes.count, dice.length(upTo: bytes.count + 1)))
        }
    }

    /// Replaces a word with another one.
    private func replaceWord(_ bytes: inout [UInt8], near place: Int, _ dice: inout Dice) {
        func isWord(_ byte: UInt8) -> Bool {
            byte > 0x7F || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
                || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")) || byte == UInt8(ascii: "-")
        }
        guard let start = bytes[place...].firstIndex(where: isWord) else { return }
        let end = bytes[start...].firstIndex { !isWord($0) } ?? bytes.endIndex
        bytes.replaceSubrange(start..<end, with: dice.pick(words))
    }

    /// Doubles, drops, moves or indents a line, or adds one of another text.
    private func changeLines(_ bytes: inout [UInt8], _ dice: inout Dice) {
        let newline = UInt8(ascii: "\n")
        var own = bytes.split(separator: newline, omittingEmptySubsequences: false).map(Array.init)
        let index = dice.below(own.count)
        switch dice.below(6) {
        case 0: own.insert(own[index], at: dice.below(own.count))
        case 1: own.remove(at: index)
        case 2: own.swapAt(index, dice.below(own.count))
        case 3: own[index].insert(contentsOf: [UInt8](repeating: 0x20, count: dice.below(6)), at: 0)
        case 4: own[index].removeFirst(min(own[index].count, dice.below(4)))
        default: own.insert(dice.pick(lines), at: index)
        }
        bytes = Array(own.joined(separator: [newline]))
    }
}

/// Texts of odd numbers, texts and structures.
enum Oddities {
    static let numbers = [
        "0", "-0", "-1", "1", "255", "256", "65535", "65536", "2147483648", "4294967296", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "1e400", "1e99",
        "-1e-400", "0.1", "1.5", "0x", "0x0", "0xFF", "0xFFFFFFFFFFFFFFFF", "--1", "+1", "1_000", "NaN", "inf", "1e",
    ]
    static let texts = [
        "", " ", "\t", "\u{0}", "\u{1}", "\u{1B}[2J", "\u{7F}", "\u{9B}", "\u{FEFF}", "\u{FFFD}", "\u{202E}",
        "e\u{301}",
        "é", "ß", "İ", "\u{1F426}", "\u{1F468}\u{200D}\u{1F469}", "\\", "\\u0000", "\\ud800", "'", "\"", "\\\"", "%",
        "/",
        "..", "null", "true", "false", "~",
    ]
}
