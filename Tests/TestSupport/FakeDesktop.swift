package import DBus
package import MainLoop

/// A desktop of a test's own: what shows notifications, on a bus.
///
/// Names are written out here, and not taken from the table of `DesktopNotifications`: a fake must not share the
/// mistakes of what it tests.
@LoopActor
package final class FakeDesktop {
    package struct Notification: Hashable, Swift.Sendable {
        package let number: UInt32
        package let program: String
        package let summary: String
        package let body: String
        /// Keys and labels, in turn.
        package let actions: [String]
        package let isTransient: Bool
    }

    private static let interface = "org.freedesktop.Notifications"
    private static let path = TestSupport.path("/org/freedesktop/Notifications")

    /// All that were shown.
    package nonisolated let shown = AwaitedValues<Notification>()
    /// The numbers of those that programs have taken away.
    package nonisolated let withdrawn = AwaitedValues<UInt32>()
    /// Calls of `Notify` while it is slow.
    package nonisolated let held = AwaitedValues<MethodInvocation>()
    /// Whether `Notify` gets no answer until ``answer(_:)``.
    package var isSlow = false

    private let connection: BusConnection
    private var lastNumber: UInt32

    /// - Parameters:
    ///   - address: of the bus.
    ///   - capabilities: what it says that it can do.
    ///   - first: the number of its first notification.
    package init(
        at address: String, capabilities: [String] = ["actions", "body", "body-markup"], first: UInt32 = 1
    ) async throws {
        connection = try BusConnection(address: address)
        lastNumber = first - 1
        let methods = [
            ExportedMethod("GetCapabilities", outputs: [ExportedArgument("capabilities", [String].self)]) {
                $0.reply([capabilities.busValue])
            },
            ExportedMethod(
                "Notify",
                inputs: [
                    ExportedArgument("app_name", String.self), ExportedArgument("replaces_id", UInt32.self),
                    ExportedArgument("app_icon", String.self), ExportedArgument("summary", String.self),
                    ExportedArgument("body", String.self), ExportedArgument("actions", [String].self),
                    ExportedArgument("hints", [String: BusValue].self), ExportedArgument("timeout", Int32.self),
                ], outputs: [ExportedArgument("id", UInt32.self)]
            ) { [weak self] invocation in
                guard let self else { return }
                if isSlow { held.put(invocation) } else { answer(invocation) }
            },
            ExportedMethod("CloseNotification", inputs: [ExportedArgument("id", UInt32.self)]) {
                [weak self] invocation in
                invocation.reply()
                if let number: UInt32 = try? invocation.argument(0) { self?.close(number, reason: 3) }
            },
        ]
        try connection.export([ExportedInterface(Self.interface, methods: methods)], at: Self.path)
        try await connection.requestName(Self.interface)
    }

    /// Shows what a program has asked for.
    package func answer(_ invocation: MethodInvocation) {
        guard let program: String = try? invocation.argument(0), let summary: String = try? invocation.argument(3),
            let body: String = try? invocation.argument(4), let actions: [String] = try? invocation.argument(5),
            let hints: [String: BusValue] = try? invocation.argument(6)
        else { return invocation.fail(.invalidArguments("Notify")) }
        lastNumber += 1
        invocation.reply([.uint32(lastNumber)])
        shown.put(
            Notification(
                number: lastNumber, program: program, summary: summary, body: body, actions: actions,
                isTransient: hints["transient"].flatMap(Bool.init(busValue:)) ?? false))
    }

    private func close(_ number: UInt32, reason: UInt32) {
        if reason == 3 { withdrawn.put(number) }
        emit("NotificationClosed", [.uint32(number), .uint32(reason)])
    }

    /// The user clicks on an action.
    package func choose(_ key: String, of number: UInt32) {
        emit("ActionInvoked", [.uint32(number), .string(key)])
    }

    /// The user closes it.
    package func dismiss(_ number: UInt32) { close(number, reason: 2) }

    /// Its time is over.
    package func expire(_ number: UInt32) { close(number, reason: 1) }

    private func emit(_ signal: String, _ arguments: [BusValue]) {
        try? connection.emit(signal, of: Self.interface, from: Self.path, arguments: arguments)
    }

    /// Ends it.
    package func end() { connection.close() }
}
