import Foundation
import Testing

/// Methods that are imported from Objective-C may be called for their effect alone, without a warning; so may ours.
@Suite struct DiscardableResultTests {
    private static let sources = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Sources/CoreBluetooth").standardized

    @Test func `every method of the API with a result may be called without using it`() throws {
        var methods = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: Self.sources.path).sorted()
        where path.hasSuffix(".swift") {
            let lines = try String(contentsOf: Self.sources.appendingPathComponent(path), encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() where line.firstMatch(of: /^ *open (class )?func\s/) != nil {
                // The result may be on a later line of the declaration.
                let declaration = lines[index...].prefix { !$0.hasPrefix("    }") }
                    .joined(separator: "\n").prefix { $0 != "{" }
                guard declaration.contains("->") else { continue }
                methods += 1
                let attribute = index > 0 ? lines[index - 1].trimmingCharacters(in: .whitespaces) : ""
                #expect(attribute == "@discardableResult", "\(path):\(index + 1)\(line)")
            }
        }
        #expect(methods >= 8)
    }
}
