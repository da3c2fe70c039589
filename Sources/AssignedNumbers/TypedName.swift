/// Names as they are typed.
package enum TypedName {
    /// `heart-rate-measurement` for `Heart Rate Measurement`: letters in lower case and digits, with a hyphen for
    /// whatever is between them. Anything beyond ASCII counts as a letter.
    package static func text(_ name: String) -> String {
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        var typed: [UInt8] = []
        forEachByte(of: (isASCII ? name : name.lowercased()).utf8) { byte in
            typed.append(byte)
            return true
        }
        return String(decoding: typed, as: UTF8.self)
    }

    /// Whether a name is typed like this; in most cases without making a string of it.
    static func matches(_ name: UnsafeBufferPointer<UInt8>, typed: [UInt8]) -> Bool {
        // Only whole characters have a lower case.
        guard name.allSatisfy({ $0 < 0x80 }) else {
            return text(String(decoding: name, as: UTF8.self)).utf8.elementsEqual(typed)
        }
        var position = 0
        let isPrefix = forEachByte(of: name) { byte in
            guard position < typed.count, typed[position] == byte else { return false }
            position += 1
            return true
        }
        return isPrefix && position == typed.count
    }

    /// - Parameter body: gets the typed name's bytes, and says whether it goes on.
    /// - Returns: whether it got all.
    @discardableResult
    private static func forEachByte(of name: some Sequence<UInt8>, _ body: (UInt8) -> Bool) -> Bool {
        var hasBegun = false
        var isBetween = false
        for byte in name {
            let letter: UInt8
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: letter = byte
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter = byte | 0x20
            default:
                isBetween = hasBegun
                continue
            }
            if isBetween, !body(UInt8(ascii: "-")) { return false }
            guard body(letter) else { return false }
            hasBegun = true
            isBetween = false
        }
        return true
    }
}
