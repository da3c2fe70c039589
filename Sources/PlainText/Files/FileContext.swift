/// The mistakes and warnings found while a file is read, so that all of them are reported together.
package final class FileContext {
    /// After this many mistakes the reading stops.
    package static let maximumMistakes = 100

    /// The file's path, as it was given; empty for a request.
    package let file: String
    package private(set) var warnings: [FileMistake] = []
    package private(set) var mistakes: [FileMistake] = []

    package init(file: String = "") {
        self.file = file
    }

    package func warn(_ warning: FileMistake) {
        warnings.append(warning)
    }

    /// Notes a mistake; the rest is still read.
    package func note(_ mistake: FileMistake) {
        guard !mistake.isConsequence, mistakes.count < Self.maximumMistakes else { return }
        // The target of an alias is read at each alias.
        let isKnown = mistakes.contains {
            $0.place == mistake.place && $0.message == mistake.message
                && (mistake.place != nil || $0.path == mistake.path)
        }
        if !isKnown { mistakes.append(mistake) }
    }

    /// The result of reading, or nil after a mistake, which is noted.
    package func attempt<Value>(_ read: @autoclosure () throws(FileMistake) -> Value?) -> Value? {
        guard mistakes.count < Self.maximumMistakes else { return nil }
        do throws(FileMistake) {
            return try read()
        } catch {
            note(error)
            return nil
        }
    }

    /// The results of reading each; mistakes are noted.
    package func each<Node, Value>(_ nodes: [Node], _ read: (Node) throws(FileMistake) -> Value) -> [Value] {
        var values: [Value] = []
        for node in nodes {
            if let value = attempt(try read(node)) { values.append(value) }
        }
        return values
    }

    /// Reads a whole file.
    ///
    /// - Throws: all mistakes that were noted, in the order of the file; those without a place last.
    package func whole<Value>(_ read: () throws(FileMistake) -> Value) throws(FileMistakes) -> Value {
        let value = attempt(try read())
        let last = DataNode.Place(line: .max, column: 0)
        let sorted = mistakes.enumerated().sorted {
            let (left, right) = ($0.element.place ?? last, $1.element.place ?? last)
            return left == right ? $0.offset < $1.offset : left < right
        }.map(\.element)
        guard let value, sorted.isEmpty else {
            throw FileMistakes(first: sorted.first ?? FileMistake("cannot be read"), others: Array(sorted.dropFirst()))
        }
        return value
    }
}
