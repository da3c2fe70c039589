import Foundation
import PlainText
import Testing

@testable import LineOutput

@Suite struct LineOutputTests {
    @Test func `a line that is written cannot become two, nor can an object's`() async throws {
        let pipe = try TestPipe()
        let writer = LineWriter(descriptor: pipe.writingEnd, queue: pipe.queue)
        var object = JSONObject()
        object.add("name", "a\nb\u{1B}\u{9B}")
        let copy = object
        pipe.queue.sync {
            writer.write("name \"a\nb\u{1B}\"")
            writer.write(copy)
        }
        #expect(await pipe.finish(writer) == nil)
        pipe.closeWritingEnd()
        let expected = #"name "a\nb\u{1B}""# + "\n" + #"{"name":"a\nb\u001b\u009b"}"# + "\n"
        #expect(String(decoding: pipe.readToEnd(), as: UTF8.self) == expected)
    }

    @Test func `points in time are printed as RFC 3339 has it`() {
        #expect(Timestamp(milliseconds: 0).utc == "1970-01-01T00:00:00.000Z")
        #expect(Timestamp(milliseconds: 951_782_400_007).utc == "2000-02-29T00:00:00.007Z")
        #expect(Timestamp(milliseconds: -1).utc == "1969-12-31T23:59:59.999Z")
        #expect(Timestamp(milliseconds: 0).timeOfDay.utf8.count == 12)
    }
}
