import Foundation
import Testing

@testable import Bluejay

/// The articles of the documentation against the code that is compiled.
@Suite struct ArticleTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let catalogue = folder.appendingPathComponent("../../Sources/Bluejay/Bluejay.docc").standardized

    /// Lines without what may differ: indentation, empty lines, and imports.
    private static func essence(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    /// The Swift blocks of an article.
    private static func blocks(_ article: String) -> [[String]] {
        article.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }.map(essence)
    }

    private static let fixtures = folder.appendingPathComponent("../../Fixtures").standardized

    /// A page by its path in the package.
    private static func page(_ path: String) -> URL {
        folder.appendingPathComponent("../../\(path)").standardized
    }

    @Test(arguments: ["GettingStarted", "AsyncAwait", "MovingFromiOS", "TestingWithTheLab", "Restoration"])
    func `the code of an article is compiled`(name: String) throws {
        try expectCode(
            of: Self.catalogue.appendingPathComponent("\(name).md"),
            in: ["AsyncArticleExamples.swift", "AsyncArticleTests.swift", "RestorationArticleExample.swift"]
                .map(Self.folder.appendingPathComponent))
    }

    @Test func `the code of the article on Swift 6 is that of programs in this mode`() throws {
        try expectCode(
            of: Self.catalogue.appendingPathComponent("Swift6.md"),
            in: ["monitor", "recorder", "scanner", "portable"]
                .map { Self.fixtures.appendingPathComponent("swift6/\($0)/main.swift") })
    }

    @Test func `the programs of the library's guide are those in Fixtures`() throws {
        let page = Self.page("docs/library.md")
        let blocks = Self.blocks(try String(contentsOf: page, encoding: .utf8))
        let programs = ["watch", "battery"].map {
            Self.fixtures.appendingPathComponent("library-guide/\($0)/main.swift")
        }
        for path in programs {
            let program = Self.essence(try String(contentsOf: path, encoding: .utf8))
            #expect(blocks.contains(program), "docs/library.md has another \(path.path)")
        }
        try expectCode(
            of: page, in: programs + [Self.folder.appendingPathComponent("AsyncArticleExamples.swift")],
            except: "// swift-tools-version: 6.1")
    }

    @Test func `the program with a log of its own is the one in Fixtures`() throws {
        try expectCode(
            of: Self.page("docs/seeing-what-happens.md"),
            in: [Self.fixtures.appendingPathComponent("library-guide/logged/main.swift")])
    }

    /// That each Swift block of an article is in one of these files, but for one with this first line: a manifest is
    /// built by `scripts/walks/swift-app`.
    private func expectCode(of page: URL, in files: [URL], except firstLine: String? = nil) throws {
        let article = try String(contentsOf: page, encoding: .utf8)
        let sources = try files.flatMap { Self.essence(try String(contentsOf: $0, encoding: .utf8)) }
        let blocks = Self.blocks(article).filter { $0.first != firstLine }
        #expect(!blocks.isEmpty)
        for block in blocks {
            let isCompiled = sources.indices.contains { sources[$0...].starts(with: block) }
            #expect(isCompiled, "not in the examples: \(block.joined(separator: "\n"))")
        }
    }

    @Test func `a measurement in the article's words`() throws {
        #expect(try HeartRate(bluetoothData: Data([0, 72])).beatsPerMinute == 72)
        #expect(throws: BluejayError.self) { try HeartRate(bluetoothData: Data([0])) }
        #expect(try HeartRate(bluetoothData: Data([1, 0x2C, 1])).beatsPerMinute == 300)
        #expect(Coffee(size: 2, grams: 18).toBluetoothData() == Data([2, 0, 18, 0]))
    }
}
