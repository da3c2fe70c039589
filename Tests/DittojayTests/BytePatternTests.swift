import Testing

@testable import Dittojay

@Suite struct BytePatternTests {
    @Test(
        arguments: [
            ("hex:01 ?? 03", [[1, 2, 3], [1, 0, 3]], [[1, 3], [1, 2, 4], [1, 2, 3, 4]]),
            ("hex:01 *", [[1], [1, 2, 3]], [[], [2, 1]]),
            ("hex:* 03", [[3], [1, 2, 3], [3, 3]], [[], [3, 4]]),
            ("hex:* 01 02 * 03", [[1, 2, 3], [1, 1, 2, 9, 3], [1, 2, 1, 2, 3, 3]], [[1, 2], [1, 3, 2, 3, 4]]),
            ("hex:0A0b-0c:0D", [[10, 11, 12, 13]], [[10, 11]]), ("hex:", [[]], [[0]]), ("hex:*", [[], [7, 8]], []),
            (
                "text:SET ?=*", [Array("SET x=".utf8), Array("SET x=12".utf8)],
                [Array("SET =1".utf8), Array("SET xy=1".utf8)]
            ),
            (#"text:\*\?\\"#, [Array(#"*?\"#.utf8)], [Array("a?".utf8)]),
        ] as [(String, [[UInt8]], [[UInt8]])])
    func `values look like it or not`(pattern: String, alike: [[UInt8]], other: [[UInt8]]) throws {
        let pattern = try BytePattern(pattern)
        for value in alike { #expect(pattern.matches(value), "\(value)") }
        for value in other { #expect(!pattern.matches(value), "\(value)") }
    }

    @Test(arguments: [
        "01 02", "hex:0", "hex:1?", "hex:??? 01", "hex:zz", "PING", "hex:" + String(repeating: "?? ", count: 1025),
    ])
    func `what is no pattern is refused`(text: String) {
        #expect(throws: BytePattern.ParsingError.self) { try BytePattern(text) }
    }

    @Test func `many asterisks take no time`() throws {
        let pattern = try BytePattern("text:" + String(repeating: "*a", count: 400) + "b")
        #expect(!pattern.matches([UInt8](repeating: UInt8(ascii: "a"), count: 512)))
    }
}
