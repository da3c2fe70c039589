/// The mistakes and warnings found while a file is read, so that all of them are reported together.
final class FileContext {
    /// After this many mistakes the reading stops.
    static let maximumMistakes = 100

    let file: String
    /// Whether the file may name files outside of its own folder.
    let allowsOtherFolders: Bool
    private(set) var warnings: [ProfileFileError] = []
    private(set) var mistakes: [ProfileFileError] = []

    init(file: String, allowsOtherFolders: Bool = false) {
        self.file = file
        self.allowsOtherFolders = allowsOtherFolders
    }

    /// The folder of the file; `.` for a file in the current one.
    var folder: String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
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
