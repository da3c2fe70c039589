import Foundation
import Testing

/// The table of promises is complete, and what it refers to is there.
@Suite struct InventoryTests {
    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized

    @Test func `every promise names tests, and all of them exist`() throws {
        let tests = try Self.tests()
        #expect(tests.count > 300)
        for promise in Inventory.all {
            #expect(!promise.tests.isEmpty, "\(promise.text)")
            for test in promise.tests where !tests.contains(test) {
                Issue.record("\(promise.text): there is no test \(test)")
            }
        }
    }

    @Test func `the points where the original departs are all there, once`() {
        #expect(Inventory.all.compactMap(\.point) == Array(1...34))
    }

    @Test func `every point that needs a peripheral is proved in the lab, too`() throws {
        let inTheLab = try Self.tests(under: ["Tests/IntegrationTests"])
        for promise in Inventory.points where inTheLab.isDisjoint(with: promise.tests) {
            #expect(Inventory.pointsWithoutPeripheral.contains(promise.point ?? 0), "\(promise.text)")
        }
    }

    @Test func `every public declaration is part of a promise, and every name is public`() throws {
        let promised = Set(Inventory.all.flatMap(\.names))
        let declared = try Self.publicNames()
        #expect(declared.count > 100)
        #expect(declared.subtracting(promised).sorted() == [], "in no promise")
        #expect(promised.subtracting(declared).sorted() == [], "not public")
    }

    // MARK: Reading the sources

    private static func sources(under folder: String) throws -> [(path: String, text: String)] {
        let base = root.appendingPathComponent(folder).path
        return try FileManager.default.subpathsOfDirectory(atPath: base).filter { $0.hasSuffix(".swift") }.sorted()
            .map { ($0, try String(contentsOfFile: "\(base)/\($0)", encoding: .utf8)) }
    }

    /// "Suite/function" of all functions behind `@Test`.
    private static func tests(
        under folders: [String] = ["Tests/BluejayTests", "Tests/IntegrationTests"]
    ) throws -> Set<String> {
        var found: Set<String> = []
        let suite = /\bstruct (\w+)/
        let function = /\bfunc (?:`([^`]+)`|(\w+))\(/
        for (_, text) in try folders.flatMap(sources(under:)) {
            var name = ""
            var isTest = false
            for line in text.split(separator: "\n") {
                if line.contains("@Suite"), let match = line.firstMatch(of: suite) { name = String(match.1) }
                if line.contains("@Test") { isTest = true }
                guard isTest, let match = line.firstMatch(of: function) else { continue }
                found.insert("\(name)/\(match.1 ?? match.2 ?? "")")
                isTest = false
            }
        }
        return found
    }

    /// The names of what is public, but for the asynchronous calls and the deprecated names, which have tests of their
    /// own.
    private static func publicNames() throws -> Set<String> {
        var found: Set<String> = []
        let declaration =
            /public (?:private\(set\) |static |final |convenience )*(?:(?:func|var|let|class|struct|enum|protocol|typealias) `?([\w]+|==)`?|(init)\b)/
        let member = /^ {4}(?:case|func) `?(\w+)`?/
        for (path, text) in try sources(under: "Sources/Bluejay") where !path.hasPrefix("Async/") {
            // What is inside a public enumeration or protocol is public without saying so.
            var isOpen = false
            var isDeprecated = false
            for line in text.split(separator: "\n") {
                if line.contains("@available(*, deprecated") { isDeprecated = true }
                if isDeprecated, line.contains("public ") {
                    isDeprecated = false
                    continue
                }
                if let match = line.firstMatch(of: declaration) { found.insert(String(match.1 ?? match.2 ?? "")) }
                if line.hasPrefix("public enum") || line.hasPrefix("public protocol") { isOpen = true }
                if line == "}" { isOpen = false }
                if isOpen, let match = line.firstMatch(of: member) { found.insert(String(match.1)) }
            }
        }
        return found
    }
}
