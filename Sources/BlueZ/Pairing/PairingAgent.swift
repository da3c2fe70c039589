package import DBus
import Foundation
package import MainLoop

/// Answers bluetoothd's questions while a device pairs.
///
/// The agent of this program has no input and no output: pairing is "Just Works". A program that can ask its user sets
/// ``onPasskeyRequest`` and ``onConfirmationRequest`` and another capability.
@LoopActor
package final class PairingAgent {
    /// How the program's user can help with pairing, in BlueZ's words.
    package enum Capability: String, Swift.Sendable {
        case noInputNoOutput = "NoInputNoOutput"
        case displayOnly = "DisplayOnly"
        case displayYesNo = "DisplayYesNo"
        case keyboardOnly = "KeyboardOnly"
        case keyboardDisplay = "KeyboardDisplay"
    }

    /// A device's question that only a user can answer.
    package enum Question: String, Swift.Sendable {
        case passkey = "a passkey"
        case pinCode = "a PIN"
        case confirmation = "a number confirmed"
    }

    /// The answer that the agent gave.
    package enum Answer: Hashable, Swift.Sendable {
        /// The device may pair. Whether it then does is not known.
        case agreed
        /// The agent cannot answer this question: pairing has failed.
        case refused(Question)
    }

    private static let path = ObjectPath.root.appending("bluejay").appending("agent")

    /// Asked for the six digits that the device shows; answers nil to refuse.
    package var onPasskeyRequest: (@LoopActor (ObjectPath) async -> UInt32?)?
    /// Asked whether the device shows these six digits, too. If nil, everything is confirmed.
    package var onConfirmationRequest: (@LoopActor (ObjectPath, UInt32) async -> Bool)?
    /// Called with the six digits to show.
    package var onDisplayPasskey: (@LoopActor (ObjectPath, UInt32) -> Void)?

    /// Called with the answer that was given, and the device.
    package var onAnswer: (@LoopActor (ObjectPath, Answer) -> Void)?

    private let capability: Capability
    private var connection: BusConnection?

    package init(capability: Capability = .noInputNoOutput) {
        self.capability = capability
    }

    /// Registers the agent and makes it the default one, which answers for pairings that no program began.
    ///
    /// - Throws: ``BlueZError``.
    package func register(on connection: BusConnection) async throws {
        do {
            connection.unexport(Self.path)
            try connection.export([exportedInterface], at: Self.path)
            try await call(
                connection, AgentManager1.registerAgent, [.objectPath(Self.path), .string(capability.rawValue)])
            do {
                try await call(connection, AgentManager1.requestDefaultAgent, [.objectPath(Self.path)])
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
                    invocation.reply()
                },
                ExportedMethod(Agent1.cancel) { $0.reply() },
                ExportedMethod(Agent1.requestAuthorization, inputs: [device]) { [weak self] invocation in
                    guard let self else { return invocation.fail(Self.rejected) }
                    agree(invocation)
                },
                ExportedMethod(Agent1.authorizeService, inputs: [device, ExportedArgument("uuid", String.self)]) {
                    $0.reply()
                },
                ExportedMethod(Agent1.requestConfirmation, inputs: [device, passkey]) { [weak self] in self?.confirm($0)
                },
                ExportedMethod(Agent1.requestPasskey, inputs: [device], outputs: [passkey]) { [weak self] in
                    self?.askPasskey($0)
                },
                ExportedMethod(
                    Agent1.displayPasskey, inputs: [device, passkey, ExportedArgument("entered", UInt16.self)]
                ) { [weak self] invocation in
                    if let device: ObjectPath = try? invocation.argument(0),
                        let passkey: UInt32 = try? invocation.argument(1)
                    {
                        self?.onDisplayPasskey?(device, passkey)
                    }
                    invocation.reply()
                },
                ExportedMethod(Agent1.displayPinCode, inputs: [device, ExportedArgument("code", String.self)]) {
                    $0.reply()
                },
                ExportedMethod(
                    Agent1.requestPinCode, inputs: [device], outputs: [ExportedArgument("code", String.self)]
                ) {
                    [weak self] invocation in
                    guard let self else { return invocation.fail(Self.rejected) }
                    refuse(invocation, .pinCode)
                },
            ])
    }

    /// At once: bluetoothd would wait a minute, and the device 30 seconds.
    private func refuse(_ invocation: MethodInvocation, _ question: Question) {
        invocation.fail(Self.rejected)
        if let device: ObjectPath = try? invocation.argument(0) { onAnswer?(device, .refused(question)) }
    }

    private func agree(_ invocation: MethodInvocation) {
        invocation.reply()
        if let device: ObjectPath = try? invocation.argument(0) { onAnswer?(device, .agreed) }
    }

    private func confirm(_ invocation: MethodInvocation) {
        guard let onConfirmationRequest else { return agree(invocation) }
        guard let device: ObjectPath = try? invocation.argument(0), let passkey: UInt32 = try? invocation.argument(1)
        else { return invocation.fail(Self.rejected) }
        Task { [weak self] in
            let isConfirmed = await onConfirmationRequest(device, passkey)
            guard let self else { return invocation.fail(Self.rejected) }
            if isConfirmed { agree(invocation) } else { refuse(invocation, .confirmation) }
        }
    }

    private func askPasskey(_ invocation: MethodInvocation) {
        guard let onPasskeyRequest, let device: ObjectPath = try? invocation.argument(0) else {
            return refuse(invocation, .passkey)
        }
        Task { [weak self] in
            if let passkey = await onPasskeyRequest(device) { return invocation.reply([.uint32(passkey)]) }
            guard let self else { return invocation.fail(Self.rejected) }
            refuse(invocation, .passkey)
        }
    }
}
