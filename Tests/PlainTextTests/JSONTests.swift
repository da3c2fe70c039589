import Foundation
import Testing

@testable import PlainText

@Suite struct JSONTests {
    @Test func `an object is JSON that others read as it was meant`() throws {
        var inner = JSONObject()
        inner.add("x", 1)
        var object = JSONObject()
        let text =
            "quote \" backslash \\ line\nreturn\r tab\t null\u{0} del\u{7F} é 🐦 csi\u{9B}31m \u{202E}turned\u{2066} sep\u{2028}\u{2029}"
        object.add("text", text)
        object.add("absent", String?.none)
        object.add("whole", -5)
        object.add("broken", 1.005, places: 3)
        object.add("infinite", Double.infinity, places: 1)
        object.add("flag", true)
        object.add("inner", inner)
        object.add("objects", [inner, inner])
        object.add("texts", ["a", "b\""])
        object.add("numbers", [0.5, 1], places: 2)
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(object.utf8)) as? [String: Any])
        #expect(parsed["text"] as? String == text)
        #expect(parsed["absent"] == nil)
        #expect(parsed["whole"] as? Int == -5)
        #expect(parsed["broken"] as? Double == 1.005)
        #expect(parsed["infinite"] is NSNull)
        #expect(parsed["flag"] as? Bool == true)
        #expect((parsed["inner"] as? [String: Int]) == ["x": 1])
        #expect((parsed["objects"] as? [[String: Int]])?.count == 2)
        #expect(parsed["texts"] as? [String] == ["a", "b\""])
        #expect(parsed["numbers"] as? [Double] == [0.5, 1])
        #expect(!object.text.contains("\n"))
        #expect(object.text.contains(#"csi\u009b31m \u202eturned\u2066 sep\u2028\u2029"#))
        #expect(!object.text.unicodeScalars.contains(where: TerminalText.acts))
        #expect(JSONObject().text == "{}")
    }

    @Test func `numbers are rounded and padded`() {
        #expect(fixedPoint(1.0049, places: 2) == "1.00")
        #expect(fixedPoint(-0.006, places: 2) == "-0.01")
        #expect(fixedPoint(2.5, places: 0) == "3")
        #expect(fixedPoint(12.05, places: 3) == "12.050")
        #expect(fixedPoint(0, places: 1) == "0.0")
    }

    @Test func `a value is written on one line, or for people`() {
        let value = JSONValue.object([
            ("text", "a\"b\u{9B}"), ("numbers", .list([.number(-1), .decimal(1.23456)])), ("flag", true),
            ("objects", .list([.object([("x", .texts(["y"]))]), .object([])])),
        ])
        #expect(
            value.line
                == #"{"text":"a\"b\u009b","numbers":[-1,1.235],"flag":true,"objects":[{"x":["y"]},{}]}"#)
        #expect(
            value.indented == #"""
                {
                  "text": "a\"b\u009b",
                  "numbers": [-1, 1.235],
                  "flag": true,
                  "objects": [
                    {
                      "x": ["y"]
                    },
                    {}
                  ]
                }
                """#)
    }
}
