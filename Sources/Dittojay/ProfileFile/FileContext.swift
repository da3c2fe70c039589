/// The mistakes and warnings found while a file is read, so that all of them are reported together.
final class FileContext {
    /// After this many mistakes the reading stops.
    static let maximumMistakes = 100

    let file: String
    private(set) var warnings: [ProfileFileError] = []
    private(set) var mistakes: [ProfileFileError] = []

    init(file: String) {
        self.file = file
    }

    func warn(_ warning: ProfileFileError) {
        warnings.append(warning)
    }

    /// Notes a mistake; the rest is still read.
    func note(_ mistake: ProfileFileError) {
        guard !mistake.isConsequence, mistakes.count < Self.maximumMistakes else { return }
        // The target of an alias is read at each alias.
        let isKnown = mistakes.contains {
            $0.line == mistake.line && $0.column == mistake.column && $0.message == mistake.message
        }
        if !isKnown { mistakes.append(mistake) }
    }

    /// The result of reading, or nil after a mistake, which is noted.
    func attempt<Value>(_ read: @autoclosure () throws(ProfileFileError) -> Value?) -> Value? {
        guard mistakes.count < Self.maximumMistakes else { return nil }
        do throws(ProfileFileError) {
            return try read()
        } catch {
            note(error)
            return nil
        }
    }

    /// - Throws: all mistakes that were noted, in the order of the file.
    func finish() throws(ProfileFileError) {
        let sorted = mistakes.sorted { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) }
        guard var first = sorted.first else { return }
        first.others = Array(sorted.dropFirst())
        throw first
    }
}
