import PlainText
import Testing

@Suite struct JSONReaderTests {
    @Test func `JSON is read and written`() throws {
        let text = #"{"a":["1",{"b":"x\"\\\u00e9\ud83d\ude00\n"}],"c":{},"d":[]}"#
        let node = try JSONReader.read(text.utf8)
        #expect(node["a"]?.elements.last?["b"]?.text == "x\"\\é😀\n")
        #expect(try JSONReader.read(node.json.utf8) == node)
        let values = try JSONReader.read(" [1, -2.5e3, true, false, null] ".utf8)
        #expect(values.elements.map(\.text) == ["1", "-2.5e3", "true", "false", ""])
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\" 1}", "{\"a\":1,\"a\":2}", "\"", "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"", "tru", "1 2",
        "nan", "0x1", "\"\u{1}\"", "--1", "{a:1}",
    ])
    func `other texts are refused`(text: String) {
        #expect(throws: JSONError.self) { try JSONReader.read(text.utf8) }
    }

    @Test func `what is too deep is refused`() {
        let text = String(repeating: "[", count: 100_000)
        #expect(throws: JSONError.self) { try JSONReader.read(text.utf8) }
    }
}
