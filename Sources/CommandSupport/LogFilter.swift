package import Logging
import MainLoop

/// Which messages of the log a program prints: those of a level and above, with other levels for single layers. As
/// text: `debug`, `dbus=trace` or `info,bluez=debug,dbus=trace`.
package struct LogFilter: Hashable, Swift.Sendable {
    /// For layers that have no level of their own.
    package var level: Logger.Level
    private var levels: [LogLayer: Logger.Level] = [:]

    package init(_ level: Logger.Level) {
        self.level = level
    }

    /// A mistake in the text of a filter.
    package struct Mistake: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// - Parameters:
    ///   - text: levels and `layer=level`, with commas between them.
    ///   - defaultLevel: the level of the layers that the text does not mention.
    /// - Throws: ``Mistake`` for a level or a layer that does not exist, or that comes twice.
    package init(parsing text: String, default defaultLevel: Logger.Level = .warning) throws(Mistake) {
        self.init(defaultLevel)
        var hasLevel = false
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
            if words.count == 1 {
                level = try Self.level(words[0])
                guard !hasLevel else {
                    throw Mistake(description: "duplicate level for all layers in \"\(text)\"")
                }
                hasLevel = true
            } else {
                let layer = try Self.layer(words[0])
                guard levels.updateValue(try Self.level(words[1]), forKey: layer) == nil else {
                    throw Mistake(description: "duplicate level for \(layer.shortName) in \"\(text)\"")
                }
            }
        }
    }

    /// The lowest level that is printed of a logger's messages.
    package func level(ofLabel label: String) -> Logger.Level {
        LogLayer(rawValue: label).flatMap { levels[$0] } ?? level
    }

    private static func trimmed(_ word: Substring) -> String {
        word.trimming(while: \.isWhitespace).lowercased()
    }

    private static func level(_ word: String) throws(Mistake) -> Logger.Level {
        guard let level = Logger.Level(rawValue: word) else {
            let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw Mistake(description: "unknown log level \"\(word)\"; valid: \(known)")
        }
        return level
    }

    private static func layer(_ word: String) throws(Mistake) -> LogLayer {
        guard let layer = LogLayer.allCases.first(where: { $0.shortName == word || $0.rawValue == word }) else {
            let known = LogLayer.allCases.map(\.shortName).joined(separator: ", ")
            throw Mistake(description: "unknown log layer \"\(word)\"; valid: \(known)")
        }
        return layer
    }
}

extension Substring {
    fileprivate func trimming(while predicate: (Character) -> Bool) -> Substring {
        let start = drop(while: predicate)
        guard let last = start.lastIndex(where: { !predicate($0) }) else { return start.prefix(0) }
        return start[...last]
    }
}
