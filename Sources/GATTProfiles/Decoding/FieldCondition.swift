/// When a field is present.
enum FieldCondition: Hashable, Swift.Sendable {
    case always
    /// If bytes are left.
    case ifBytesAreLeft
    /// If all of the one bits of the flags are set, and none of the others.
    case bits(set: UInt64, unset: UInt64)
    case value(UInt64)

    /// - Parameter text: `+3-0` for bit 3 that is set and bit 0 that is not, `=2`, `?`, or nothing.
    init?(_ text: String) {
        switch text.first {
        case nil: self = .always
        case "?": self = .ifBytesAreLeft
        case "=":
            guard let value = UInt64(text.dropFirst()) else { return nil }
            self = .value(value)
        default:
            var (set, unset): (UInt64, UInt64) = (0, 0)
            var rest = text[...]
            while let sign = rest.first {
                let digits = rest.dropFirst().prefix { $0.isNumber }
                guard let bit = UInt64(digits), bit < 64, sign == "+" || sign == "-" else { return nil }
                if sign == "+" { set |= 1 << bit } else { unset |= 1 << bit }
                rest = rest.dropFirst(1 + digits.count)
            }
            self = .bits(set: set, unset: unset)
        }
    }

    /// The bits of the flags that it depends on.
    var bits: UInt64 {
        guard case .bits(let set, let unset) = self else { return 0 }
        return set | unset
    }

    func holds(flags: UInt64, bytesLeft: Int) -> Bool {
        switch self {
        case .always: true
        case .ifBytesAreLeft: bytesLeft > 0
        case .bits(let set, let unset): flags & set == set && flags & unset == 0
        case .value(let value): flags == value
        }
    }
}
