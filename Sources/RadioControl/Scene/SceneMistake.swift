package import PlainText

/// A mistake in a scene or a command, and its place.
package struct SceneMistake: Error, Equatable, Sendable, CustomStringConvertible {
    package let place: DataNode.Place?
    /// The keys that lead there, such as `phantoms.beacon.interval`.
    package let path: String
    package let message: String
    /// Whether it follows from another one, so that it is not reported.
    var isConsequence = false

    /// One about the whole of something.
    package init(_ message: String, at place: DataNode.Place?) {
        self.init(place: place, path: "", message: message)
    }

    init(place: DataNode.Place?, path: String, message: String) {
        (self.place, self.path, self.message) = (place, path, message)
    }

    /// `7:15: walls[0].loss: expected …`
    package var description: String {
        let begin = place.map { "\($0.line):\($0.column): " } ?? ""
        return begin + (path.isEmpty ? "" : path + ": ") + message
    }
}

/// The mistakes found while something is read, so that all are reported together.
final class MistakeList {
    static let most = 100

    private(set) var mistakes: [SceneMistake] = []

    func note(_ mistake: SceneMistake) {
        guard !mistake.isConsequence, mistakes.count < Self.most, !mistakes.contains(mistake) else { return }
        mistakes.append(mistake)
    }

    /// What was read, or `nil` after a mistake, which is noted.
    func attempt<Value>(_ read: @autoclosure () throws(SceneMistake) -> Value?) -> Value? {
        do throws(SceneMistake) {
            return try read()
        } catch {
            note(error)
            return nil
        }
    }

    /// What was read of each; mistakes are noted.
    func each<Node, Value>(_ nodes: [Node], _ read: (Node) throws(SceneMistake) -> Value) -> [Value] {
        var values: [Value] = []
        for node in nodes {
            if let value = attempt(try read(node)) { values.append(value) }
        }
        return values
    }

    /// In the order of the file.
    var sorted: [SceneMistake] {
        let last = DataNode.Place(line: .max, column: 0)
        return mistakes.enumerated().sorted {
            let (left, right) = ($0.element.place ?? last, $1.element.place ?? last)
            return left == right ? $0.offset < $1.offset : left < right
        }.map(\.element)
    }
}
