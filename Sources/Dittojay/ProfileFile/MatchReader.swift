import PlainText

/// Reads which values are meant: by those who react to writes, and by those who expect one.
enum MatchReader {
    /// - Parameter condition: one of ``ProfileKeys/conditions``.
    static func match(_ condition: FileMapping.Member) throws(FileMistake) -> WriteReaction.Match {
        switch condition.key {
        case "value": return .value(try condition.value.value())
        case "prefix": return .prefix(try condition.value.value())
        case "pattern":
            let text = try condition.value.text("a pattern such as hex:01 ?? 03 * or text:SET *")
            do throws(BytePattern.ParsingError) {
                return .pattern(try BytePattern(text))
            } catch {
                throw condition.value.fail(error.description)
            }
        default:
            try condition.value.requireTrue()
            return .any
        }
    }
}
