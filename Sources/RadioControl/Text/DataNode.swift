/// What a text in YAML or JSON says, without the difference between numbers, words and texts: what a scalar means is up
/// to its reader.
package indirect enum DataNode: Equatable, Sendable {
    case scalar(String, Place? = nil)
    case list([DataNode], Place? = nil)
    case mapping([Member], Place? = nil)

    /// Both numbers are counted from 1.
    package struct Place: Equatable, Comparable, Sendable {
        package let line: Int
        package let column: Int

        package init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }

        package static func < (left: Place, right: Place) -> Bool {
            (left.line, left.column) < (right.line, right.column)
        }
    }

    package struct Member: Equatable, Sendable {
        package let key: String
        package let place: Place?
        package let value: DataNode

        package init(_ key: String, _ value: DataNode, place: Place? = nil) {
            self.key = key
            self.value = value
            self.place = place
        }
    }

    package var place: Place? {
        switch self {
        case .scalar(_, let place), .list(_, let place), .mapping(_, let place): place
        }
    }

    package subscript(key: String) -> DataNode? {
        guard case .mapping(let members, _) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    package var text: String? {
        guard case .scalar(let text, _) = self else { return nil }
        return text
    }

    package var elements: [DataNode] {
        guard case .list(let elements, _) = self else { return [] }
        return elements
    }
}

extension DataNode {
    /// As JSON, on one line. Scalars are strings.
    package var json: String {
        var writer = JSONWriter()
        writer.add(self)
        return writer.text
    }
}
