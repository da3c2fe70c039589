import BlueZ
import CoreBluetooth
import LineOutput
import PlainText

/// Answers what a device wants while `bluejay pair` pairs with it: with what was given beforehand, or by asking in the
/// terminal, or on the desktop.
@MainActor
final class PairingConversation: @preconcurrency CBPairingDelegate {
    /// Where a passkey comes from.
    enum Given {
        case nothing
        /// It is read from standard input, terminal or not.
        case input
        case passkey(CBPasskey)
    }

    /// How the devices pair, as far as has been seen.
    private(set) var method = PairingMethod.justWorks

    private let output: Output
    private let given: Given
    private let saysYes: Bool
    private let terminal: any QuestionTerminal
    /// Used where the terminal is not interactive; nil if nothing is to be shown there.
    private let desktop: PairingDesktop?
    /// What the terminal is asked for.
    private var open: CBPairingRequest?
    /// Why this side has not answered.
    private var refusal: CommandError?

    /// - Parameter desktop: stands in for a terminal, where there is none; nil if nothing does.
    init(
        _ output: Output, given: Given, saysYes: Bool, desktop: @autoclosure () -> PairingDesktop?,
        terminal: any QuestionTerminal = StandardTerminal()
    ) {
        self.output = output
        self.given = given
        self.saysYes = saysYes
        self.terminal = terminal
        self.desktop = terminal.isInteractive ? nil : desktop()
    }

    func manager(_ manager: CBManager, didReceive request: CBPairingRequest) {
        switch request.kind {
        case .displayPasskey(let passkey):
            method = .passkeyEntry
            output.event("passkey", "enter \(passkey) on the device") { $0.add("passkey", passkey.description) }
            desktop?.show(passkey, pairingWith: request.peer)
        case .enterPasskey:
            method = .passkeyEntry
            enter(request)
        case .comparePasskeys(let passkey):
            method = .numericComparison
            output.event("comparison", "the device must show \(passkey)") { $0.add("passkey", passkey.description) }
            compare(request, passkey)
        }
    }

    func manager(_ manager: CBManager, didCancel request: CBPairingRequest) { end() }

    /// Nothing is asked or shown any longer.
    func end() {
        open = nil
        terminal.cancel()
        desktop?.withdraw()
    }

    /// The same, before the program ends.
    func finish() async {
        end()
        await desktop?.settle()
    }

    private func enter(_ request: CBPairingRequest) {
        switch given {
        case .passkey(let passkey): request.enter(passkey)
        case .nothing where !terminal.isInteractive:
            refuse(request, "it shows a passkey to be entered here; use --passkey, or a terminal")
        case .nothing, .input:
            ask("passkey that the device shows: ", for: request) { [weak self] line in
                guard let line else { return self?.refuse(request, "no passkey was entered") ?? () }
                guard let passkey = CBPasskey(line) else {
                    self?.refuse(request, "invalid passkey \"\(line.prefix(40))\"; expected six digits")
                    return
                }
                request.enter(passkey)
            }
        }
    }

    private func compare(_ request: CBPairingRequest, _ passkey: CBPasskey) {
        if saysYes { return request.confirm() }
        guard terminal.isInteractive else { return compareOnDesktop(request, passkey) }
        ask("does the device show the same? yes or no: ", for: request) { [weak self] line in
            guard let line else { return self?.refuse(request, "no answer was given") ?? () }
            self?.answer(request, ["y", "yes"].contains(line.lowercased()))
        }
    }

    /// How long what is asked about may take to be written.
    private static let readerTimeout = DispatchTimeInterval.milliseconds(300)

    /// Asks in the terminal, behind what has been printed.
    private func ask(
        _ prompt: String, for request: CBPairingRequest, _ answered: @escaping @MainActor (String?) -> Void
    ) {
        open = request
        output.whenWritten(within: Self.readerTimeout) { [weak self] in
            if let self, open === request { terminal.ask(prompt, answered) }
        }
    }

    private func compareOnDesktop(_ request: CBPairingRequest, _ passkey: CBPasskey) {
        let cannotAsk = "it asks for a numeric comparison; use --yes, or a terminal"
        guard let desktop else { return refuse(request, cannotAsk) }
        desktop.compare(passkey, pairingWith: request.peer) { [weak self] answer in
            switch answer {
            case .yes: self?.answer(request, true)
            case .no: self?.answer(request, false)
            case .dismissed: self?.refuse(request, "the notification that asked was dismissed")
            case .impossible: self?.refuse(request, cannotAsk)
            }
        }
    }

    private func answer(_ request: CBPairingRequest, _ isSame: Bool) {
        if isSame { return request.confirm() }
        refusal = CommandError(.comparisonFailed, "the answer was no")
        request.reject()
    }

    private func refuse(_ request: CBPairingRequest, _ reason: String) {
        refusal = CommandError(.noAnswerGiven, reason)
        request.reject()
    }

    /// - Parameter device: the device as the user has named it.
    func failure(_ error: any Error, attempt: String, device: String) -> CommandError {
        if var refusal {
            refusal.attempt = attempt
            return refusal
        }
        return CommandError(error, attempt: attempt, device: device)
    }
}
