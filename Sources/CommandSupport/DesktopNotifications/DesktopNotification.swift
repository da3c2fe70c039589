/// What is to be shown on the desktop.
package struct DesktopNotification: Hashable, Swift.Sendable {
    /// What the user can choose, in place of just looking.
    package struct Action: Hashable, Swift.Sendable {
        /// What ``DesktopNotifier`` reports when it was chosen.
        package let key: String
        /// What the user sees.
        package let label: String

        package init(_ key: String, _ label: String) {
            self.key = key
            self.label = label
        }

        package static let yes = Action("yes", "Yes")
        package static let no = Action("no", "No")
    }

    /// One line. Servers differ in what they make of markup here, so it has no text from outside.
    package var summary: String
    /// Plain text. What comes from outside goes through ``escaped(_:)``.
    package var body: String
    package var actions: [Action]
    /// Whether it is of no use where the server shows no actions.
    package var needsActions: Bool

    package init(summary: String, body: String, actions: [Action] = [], needsActions: Bool = false) {
        self.summary = summary
        self.body = body
        self.actions = actions
        self.needsActions = needsActions
    }

    /// How many characters of a text from outside are shown.
    static let foreignLimit = 64

    /// A text from outside, such as a device's name, as it may be shown: in one line, not too long, and without
    /// characters that are not seen or that turn the direction of writing.
    package static func escaped(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // By scalars: a character can have any number of them.
            guard shown.count < foreignLimit else {
                shown.append("…")
                break
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: continue
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// The body as a server gets it.
    ///
    /// - Parameter hasMarkup: whether the server reads markup. One that does not say so gets none of the characters
    ///   that markup is made of, for it may read it all the same.
    func body(hasMarkup: Bool) -> String {
        var text = ""
        for character in body.unicodeScalars {
            switch character {
            case "&": text += hasMarkup ? "&amp;" : ""
            case "<": text += hasMarkup ? "&lt;" : ""
            case ">": text += hasMarkup ? "&gt;" : ""
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
