import BlueZ
import Bluejay
import LineOutput

/// Answers what a device wants while `bluejay pair` pairs with it: with what was given beforehand, or by asking in the
/// terminal.
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
    /// Why this side has not answered.
    private var refusal: Failure?

    init(_ output: Output, given: Given, saysYes: Bool, terminal: any QuestionTerminal = StandardTerminal()) {
        self.output = output
        self.given = given
        self.saysYes = saysYes
        self.terminal = terminal
    }

    func manager(_ manager: CBManager, didReceive request: CBPairingRequest) {
        switch request.kind {
        case .displayPasskey(let passkey):
            method = .passkeyEntry
            output.event("passkey", "enter \(passkey) on the device") { $0.add("passkey", passkey.description) }
        case .enterPasskey:
            method = .passkeyEntry
            enter(request)
        case .comparePasskeys(let passkey):
            method = .numericComparison
            output.event("comparison", "the device has to show \(passkey)") { $0.add("passkey", passkey.description) }
            compare(request)
        }
    }

    func manager(_ manager: CBManager, didCancel request: CBPairingRequest) { terminal.cancel() }

    /// Nothing is asked any more.
    func end() { terminal.cancel() }

    private func enter(_ request: CBPairingRequest) {
        switch given {
        case .passkey(let passkey): request.enter(passkey)
        case .nothing where !terminal.isInteractive:
            refuse(request, "it shows a passkey, which is to be entered here: use --passkey, or a terminal")
        case .nothing, .input:
            terminal.ask("passkey that the device shows: ") { [weak self] line in
                guard let line else { return self?.refuse(request, "no passkey was entered") ?? () }
                guard let passkey = CBPasskey(line) else {
                    self?.refuse(request, "\"\(line.prefix(40))\" is no passkey: six digits")
                    return
                }
                request.enter(passkey)
            }
        }
    }

    private func compare(_ request: CBPairingRequest) {
        if saysYes { return request.confirm() }
        guard terminal.isInteractive else {
            return refuse(request, "it wants to know whether it shows the same number: use --yes, or a terminal")
        }
        terminal.ask("does the device show the same? yes or no: ") { [weak self] line in
            if ["y", "yes"].contains(line?.lowercased()) { return request.confirm() }
            self?.refusal = Failure(.comparisonFailed, "the answer was no")
            request.reject()
        }
    }

    private func refuse(_ request: CBPairingRequest, _ reason: String) {
        refusal = Failure(.noAnswerGiven, reason)
        request.reject()
    }

    /// - Parameter device: the device as the user has named it.
    func failure(_ error: any Error, attempt: String, device: String) -> Failure {
        if var refusal {
            refusal.attempt = attempt
            return refusal
        }
        return Failure(error, attempt: attempt, device: device)
    }
}
