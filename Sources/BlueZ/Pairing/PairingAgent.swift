package import DBus
import Foundation
package import MainLoop

/// Answers bluetoothd's questions while a device pairs.
///
/// By itself it agrees to "Just Works", and refuses what has to be entered or compared. A program that can ask its user
/// sets ``onQuestion`` and ``onDisplay``.
@LoopActor
package final class PairingAgent {
    private static let path = ObjectPath.root.appending("bluejay").appending("agent")

    /// Given each question; returns whether somebody will answer it.
    package var onQuestion: (@LoopActor (ObjectPath, PairingQuestion) -> Bool)?
    /// Called with the six digits to show, once for each pairing.
    package var onDisplay: (@LoopActor (ObjectPath, UInt32) -> Void)?
    /// Called with whatever happens, and the device.
    package var onStep: (@LoopActor (ObjectPath, PairingStep) -> Void)?

    private var connection: BusConnection?
    /// bluetoothd asks one question of an agent at a time.
    private var question: (device: ObjectPath, question: PairingQuestion)?

    package init() {}

    /// Registers the agent.
    ///
    /// - Parameter isDefault: whether it becomes the default one, which answers for pairings that no program began, and
    ///   whose capability all controllers then have. Otherwise it answers for what this program begins only, unless it
    ///   is the only agent.
    /// - Throws: ``BlueZError``.
    package func register(
        on connection: BusConnection, _ capability: PairingCapability = .noInputNoOutput, isDefault: Bool = true
    ) async throws {
        do {
            connection.unexport(Self.path)
            try connection.export([exportedInterface], at: Self.path)
            try await call(
                connection, AgentManager1.registerAgent, [.objectPath(Self.path), .string(capability.rawValue)])
            do {
                if isDefault { try await call(connection, AgentManager1.requestDefaultAgent, [.objectPath(Self.path)]) }
            } catch {
                // Else bluetoothd would refuse the next attempt: it has an agent of this program.
                try? await call(connection, AgentManager1.unregisterAgent, [.objectPath(Self.path)])
                throw error
            }
            self.connection = connection
        } catch {
            connection.unexport(Self.path)
            throw (error as? BusError).map(BlueZError.init) ?? error
        }
    }

    /// Unregisters the agent.
    package func unregister() async {
        guard let connection else { return }
        self.connection = nil
        // An error means that bluetoothd has forgotten it already.
        try? await call(connection, AgentManager1.unregisterAgent, [.objectPath(Self.path)])
        connection.unexport(Self.path)
        cancelQuestion()
    }

    private func call(_ connection: BusConnection, _ method: AgentManager1.Method, _ arguments: [BusValue]) async throws
    {
        _ = try await connection.call(
            MethodCall(method, of: Bluetoothd.busName, at: AgentManager1.path, arguments: arguments))
    }

    private static let rejected = MethodFailure(.rejected, "refused")

    private var exportedInterface: ExportedInterface {
        let device = ExportedArgument("device", ObjectPath.self)
        let passkey = ExportedArgument("passkey", UInt32.self)
        return ExportedInterface(
            Agent1.self,
            methods: [
                ExportedMethod(Agent1.release) { [weak self] invocation in
                    self?.connection = nil
                    self?.cancelQuestion()
                    invocation.reply()
                },
                ExportedMethod(Agent1.cancel) { [weak self] invocation in
                    self?.cancelQuestion()
                    invocation.reply()
                },
                ExportedMethod(Agent1.requestAuthorization, inputs: [device]) { [weak self] in
                    self?.agree($0, .justWorks)
                },
                ExportedMethod(Agent1.authorizeService, inputs: [device, ExportedArgument("uuid", String.self)]) {
                    $0.reply()
                },
                ExportedMethod(Agent1.requestConfirmation, inputs: [device, passkey]) { [weak self] invocation in
                    guard let passkey: UInt32 = try? invocation.argument(1) else {
                        return invocation.fail(Self.rejected)
                    }
                    self?.ask(invocation, .comparison(passkey))
                },
                ExportedMethod(Agent1.requestPasskey, inputs: [device], outputs: [passkey]) { [weak self] in
                    self?.ask($0, .passkey)
                },
                ExportedMethod(
                    Agent1.displayPasskey, inputs: [device, passkey, ExportedArgument("entered", UInt16.self)]
                ) { [weak self] in self?.display($0) },
                ExportedMethod(Agent1.displayPinCode, inputs: [device, ExportedArgument("code", String.self)]) {
                    $0.reply()
                },
                ExportedMethod(
                    Agent1.requestPinCode, inputs: [device], outputs: [ExportedArgument("code", String.self)]
                ) { [weak self] invocation in
                    guard let self else { return invocation.fail(Self.rejected) }
                    refuse(invocation, .pinCode)
                },
            ])
    }

    private func agree(_ invocation: MethodInvocation, _ method: PairingMethod, _ values: [BusValue] = []) {
        invocation.reply(values)
        if let device: ObjectPath = try? invocation.argument(0) { onStep?(device, .agreed(method)) }
    }

    /// At once: bluetoothd would wait a minute, and the device 30 seconds.
    private func refuse(_ invocation: MethodInvocation, _ kind: PairingQuestion.Kind) {
        invocation.fail(Self.rejected)
        if let device: ObjectPath = try? invocation.argument(0) { onStep?(device, .refused(kind)) }
    }

    private func display(_ invocation: MethodInvocation) {
        defer { invocation.reply() }
        // It is called again for each digit that is entered, if the device reports them.
        guard let device: ObjectPath = try? invocation.argument(0), let passkey: UInt32 = try? invocation.argument(1),
            let entered: UInt16 = try? invocation.argument(2), entered == 0
        else { return }
        onDisplay?(device, passkey)
        onStep?(device, .displayed(passkey))
    }

    private func ask(_ invocation: MethodInvocation, _ kind: PairingQuestion.Kind) {
        guard let device: ObjectPath = try? invocation.argument(0) else { return invocation.fail(Self.rejected) }
        cancelQuestion()
        let question = PairingQuestion(kind) { [weak self] answer in
            guard let self else { return invocation.fail(Self.rejected) }
            self.question = nil
            switch answer {
            case .passkey(let passkey): agree(invocation, .passkeyEntry, [.uint32(passkey)])
            case .yes: agree(invocation, .numericComparison)
            case .no: refuse(invocation, kind)
            }
        }
        self.question = (device, question)
        onStep?(device, .asked(kind))
        if onQuestion?(device, question) == true { return }
        // Whatever the agent's capability is. A link that began while another agent's was in force keeps that one
        // (kernel 6.12, `hci_conn_add`), and bluetoothd asks this one to compare. What is "Just Works" for both sides
        // comes as RequestAuthorization (5.66, `device_confirm_passkey` in src/device.c).
        question.refuse()
    }

    private func cancelQuestion() {
        guard let (device, question) = question else { return }
        self.question = nil
        question.cancel()
        onStep?(device, .cancelled)
    }
}
