import Testing

@testable import PlainText

/// The readers of profiles and scenes have tests of their own for what their files can have.
@Suite struct FileNodeTests {
    private func mistakes(in json: String, _ read: (FileNode) throws(FileMistake) -> Void) throws -> [FileMistake] {
        let context = FileContext()
        let node = FileNode(try JSONReader.read(json.utf8), context: context)
        do throws(FileMistakes) {
            try context.whole { () throws(FileMistake) in try read(node) }
            return []
        } catch {
            return error.all
        }
    }

    @Test func `mistakes of a text without places are told apart by their paths`() throws {
        let found = try mistakes(in: #"{"a": 1, "b": 1, "c": 5}"#) { node throws(FileMistake) in
            for member in try node.anyMapping(of: "numbers").members {
                _ = node.context.attempt(try member.value.integer(in: 2...9))
                _ = node.context.attempt(try member.value.integer(in: 2...9))
            }
        }
        let text = "expected a whole number from 2 to 9, found \"1\""
        #expect(found.map(\.description) == ["a: \(text)", "b: \(text)"])
    }

    @Test func `mistakes are in the order of the file, and each place's are there once`() throws {
        let context = FileContext()
        let places = [(3, 1), (1, 9), (1, 2), (1, 9)].map { DataNode.Place(line: $0, column: $1) }
        let found = #expect(throws: FileMistakes.self) {
            try context.whole { () throws(FileMistake) in
                // As at two aliases of one anchor.
                for (number, place) in places.enumerated() {
                    context.note(FileMistake("wrong", at: place, path: "list[\(number)]"))
                }
                context.note(FileMistake("wrong as a whole"))
            }
        }
        #expect(found?.all.map { $0.place?.line ?? 0 } == [1, 1, 3, 0])
        #expect(found?.description.split(separator: "\n").first == "1:2: list[2]: wrong")
    }

    @Test func `what follows from another mistake is not reported`() throws {
        let found = try mistakes(in: #"{"naem": "x"}"#) { node throws(FileMistake) in
            _ = try node.mapping(of: "a file", keys: ["name"]).required("name")
        }
        #expect(found.map(\.message) == ["unknown key \"naem\" in a file (did you mean \"name\"?); valid: name"])
    }

    @Test(
        arguments: [
            ("250 ms", 0.25), ("1.5 s", 1.5), ("2min", 120), ("1 h", 3600), ("0.02 s", 0.02), ("20 ms", 0.02),
            ("10240 ms", 10.24), ("5", nil), ("-1 s", nil), ("s", nil), ("1 d", nil), ("2 h", nil), ("1 ms", nil),
        ] as [(String, Double?)])
    func `a time has a unit and limits`(written: String, seconds: Double?) throws {
        var read: Double?
        let found = try mistakes(in: "\"\(written)\"") { node throws(FileMistake) in
            read = try node.seconds(within: 0.02...3600)
        }
        #expect(read == seconds)
        #expect(found.isEmpty == (seconds != nil))
    }
}
