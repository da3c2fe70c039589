/// The result of one check.
package struct Finding: Hashable, Swift.Sendable {
    /// The subject of a check, in the order in which the checks build on each other.
    package enum Topic: String, CaseIterable, Swift.Sendable {
        /// The system bus can be reached.
        case bus
        /// bluetoothd is on the bus, and answers.
        case bluetoothd
        /// This user may talk to bluetoothd.
        case permission
        /// bluetoothd is new enough.
        case version
        /// bluetoothd's own settings.
        case settings
        /// The kernel has Bluetooth.
        case kernel
        /// There is the adapter that would be used.
        case adapter
        /// No radio switch (rfkill) is off.
        case radio
        /// The adapter is switched on.
        case power
        /// The adapter can look for devices and connect to them.
        case scanning
        /// The adapter can advertise, and has room for one more advertisement.
        case advertising
        /// The adapter can have services.
        case services
        /// The kernel can do the cryptography of pairing.
        case pairing
        /// Sockets are long enough for notifications in quick succession.
        case sockets
    }

    /// How good or bad it is.
    package enum Verdict: String, Swift.Sendable {
        case ok
        /// It works, but something about it can surprise.
        case warning
        /// It does not work.
        case problem
    }

    package let topic: Topic
    package let verdict: Verdict
    /// The finding in one sentence.
    package let text: String
    /// Commands that fix it, for a shell, to be run one after another. Empty if nothing is wrong, and if no command can
    /// help.
    package let remedies: [String]

    package init(_ topic: Topic, _ verdict: Verdict, _ text: String, remedies: [String] = []) {
        self.topic = topic
        self.verdict = verdict
        self.text = text
        self.remedies = remedies
    }

    static func ok(_ topic: Topic, _ text: String) -> Finding { Finding(topic, .ok, text) }

    static func warning(_ topic: Topic, _ text: String, _ remedies: String...) -> Finding {
        Finding(topic, .warning, text, remedies: remedies)
    }

    static func problem(_ topic: Topic, _ text: String, _ remedies: String...) -> Finding {
        Finding(topic, .problem, text, remedies: remedies)
    }
}
