import Testing

@testable import GATTProfiles

@Suite struct ValueTextTests {
    @Test(
        arguments: [
            ("hex:", []), ("hex:02", [2]), ("hex:0A0b", [0x0A, 0x0B]), ("hex:0A 0B", [0x0A, 0x0B]),
            ("hex:0a:0b-0c", [0x0A, 0x0B, 0x0C]), ("text:", []), ("text:hé", [0x68, 0xC3, 0xA9]),
            // A combining character, which is one with the colon.
            ("text:\u{301}", [0xCC, 0x81]),
            ("text:hex:00", Array("hex:00".utf8)), ("empty", []), ("u8:255", [255]), ("u8:0x10", [16]),
            ("i8:-128", [0x80]), ("i8:127", [0x7F]), ("u16:258", [2, 1]), ("u16be:258", [1, 2]),
            ("i16:-2", [0xFE, 0xFF]),
            ("u32:1", [1, 0, 0, 0]), ("i32be:-1", [255, 255, 255, 255]),
            ("u64:18446744073709551615", [255, 255, 255, 255, 255, 255, 255, 255]),
            ("i64:-9223372036854775808", [0, 0, 0, 0, 0, 0, 0, 0x80]), ("i8:-0", [0]),
            ("u8:1 2 3", [1, 2, 3]), ("u16be:0x102  3", [1, 2, 0, 3]),
        ] as [(String, [UInt8])])
    func `each form is understood`(text: String, bytes: [UInt8]) throws {
        #expect(try ValueText.parse(text) == bytes)
    }

    @Test(arguments: [
        "", "hello", "hex:0", "hex:0g", "hex:0 0", "hex:é", "u8:256", "u8:-1", "u8:", "u8:1.5", "u8:--1", "u8:+1",
        "u8:0x",
        "i8:128", "i8:-129", "u16:65536", "u64:18446744073709551616", "i64:9223372036854775808", "u7:1", "u:1", ":",
        "i8be",
        "u128:1", "u8:1 256", "u8: 1", "u8:1 x",
    ])
    func `what is no value is refused`(text: String) {
        #expect(throws: ValueText.ParsingError.self) { try ValueText.parse(text) }
    }

    @Test func `text without a prefix is text where that is allowed`() throws {
        #expect(try ValueText.parse("hello: world", bare: .text) == Array("hello: world".utf8))
        #expect(try ValueText.parse("", bare: .text) == [])
        #expect(throws: ValueText.ParsingError.self) { try ValueText.parse("hex:zz", bare: .text) }
    }

    @Test(arguments: NumberType.names.flatMap { [$0, $0 + "be"] })
    func `numbers come back as they were written`(name: String) throws {
        let type = try #require(NumberType(name: name))
        let numbers = type.isSigned ? ["0", "1", "-1", "-128", "127"] : ["0", "1", "127", "255"]
        for number in numbers {
            #expect(type.text(try type.parse(number)) == number)
        }
        #expect(type.text([UInt8](repeating: 0, count: type.width + 1)) == nil)
    }

    @Test func `text is distinguished from bytes`() {
        #expect(ValueText.printable(Array("héllo 🐦".utf8)) == "héllo 🐦")
        for bytes in [[], [0], [0x41, 0x0A], [0xFF, 0x41], [0xC2, 0x9B]] as [[UInt8]] {
            #expect(ValueText.printable(bytes) == nil)
        }
    }

    @Test func `hexadecimal digits come back as bytes`() throws {
        let bytes = (0...255).map { UInt8($0) }
        #expect(try ValueText.parseHex(ValueText.hex(bytes)) == bytes)
        #expect(ValueText.hex([0x00, 0xAB]) == "00ab")
    }
}
