extension StringProtocol {
    /// Without the white space around it. Foundation's `trimmingCharacters` converts the whole text to UTF-16 and back,
    /// and the list of a kernel's modules has half a million characters.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
