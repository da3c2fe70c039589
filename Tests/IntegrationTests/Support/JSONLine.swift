import Foundation
import Testing

/// A line of a program's output with `--json`.
func object(_ line: String) throws -> [String: Any] {
    let any = try JSONSerialization.jsonObject(with: Data(line.utf8))
    return try #require(any as? [String: Any], "\(line)")
}
