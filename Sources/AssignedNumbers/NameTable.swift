/// Numbers and names in a text, where they stay: nothing is built when the program starts, and what is not looked up is
/// not even loaded.
///
/// Each line is a number in four hexadecimal digits, a space and a name; the lines are in the order of the numbers.
package struct NameTable: Swift.Sendable {
    private let text: StaticString

    package init(_ text: StaticString) {
        self.text = text
    }

    /// By binary search.
    package func name(of number: UInt16) -> String? {
        text.withUTF8Buffer { bytes in
            var (low, high) = (0, bytes.count)
            while low < high {
                // The line that the middle is in.
                let start = Self.lineStart(at: low + (high - low) / 2, in: bytes, notBefore: low)
                let end = Self.lineEnd(from: start, in: bytes)
                guard let line = Self.line(bytes, start, end) else { return nil }
                if line.number == number { return String(decoding: line.name, as: UTF8.self) }
                if line.number < number { low = end + 1 } else { high = start }
            }
            return nil
        }
    }

    /// The first with this name.
    func number(typed: [UInt8]) -> UInt16? {
        guard !typed.isEmpty else { return nil }
        var found: UInt16?
        walk { number, name in
            if TypedName.matches(name, typed: typed) { found = number }
            return found == nil
        }
        return found
    }

    package func forEach(_ body: (UInt16, UnsafeBufferPointer<UInt8>) -> Void) {
        walk { number, name in
            body(number, name)
            return true
        }
    }

    /// - Parameter body: says whether it goes on.
    private func walk(_ body: (UInt16, UnsafeBufferPointer<UInt8>) -> Bool) {
        text.withUTF8Buffer { bytes in
            var start = 0
            while start < bytes.count {
                let end = Self.lineEnd(from: start, in: bytes)
                guard let line = Self.line(bytes, start, end), body(line.number, line.name) else { return }
                start = end + 1
            }
        }
    }

    // MARK: Lines

    private static let newline = UInt8(ascii: "\n")

    private static func lineStart(at position: Int, in bytes: UnsafeBufferPointer<UInt8>, notBefore low: Int) -> Int {
        var start = position
        while start > low, bytes[start - 1] != newline { start -= 1 }
        return start
    }

    private static func lineEnd(from start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != newline { end += 1 }
        return end
    }

    private static func line(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int
    ) -> (number: UInt16, name: UnsafeBufferPointer<UInt8>)? {
        guard end - start > 5 else { return nil }
        var number: UInt16 = 0
        for byte in bytes[start..<start + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            number = number << 4 | UInt16(digit)
        }
        return (number, UnsafeBufferPointer(rebasing: bytes[start + 5..<end]))
    }
}
