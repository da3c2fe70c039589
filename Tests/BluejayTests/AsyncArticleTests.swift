import Foundation
import Testing

@testable import Bluejay

/// The articles of the documentation against the code that is compiled.
@Suite struct ArticleTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let catalogue = folder.appendingPathComponent("../../Sources/Bluejay/Bluejay.docc").standardized

    /// Lines without what may differ: indentation, empty lines, and what stands at the top of a file.
    private static func essence(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    /// The Swift blocks of an article.
    private static func blocks(_ article: String) -> [[String]] {
        article.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }.map(essence)
    }

    @Test(arguments: ["GettingStarted", "AsyncAwait", "MovingFromiOS", "TestingWithTheLab", "Restoration"])
    func `the code of an article is compiled`(name: String) throws {
        let article = try String(
            contentsOf: Self.catalogue.appendingPathComponent("\(name).md"), encoding: .utf8)
        let sources = try ["AsyncArticleExamples.swift", "AsyncArticleTests.swift", "RestorationArticleExample.swift"]
            .flatMap {
                Self.essence(try String(contentsOf: Self.folder.appendingPathComponent($0), encoding: .utf8))
            }
        let blocks = Self.blocks(article)
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
