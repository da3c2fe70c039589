import DBus
package import MainLoop

/// Shows notifications on the user's desktop, if there is one.
///
/// Nothing waits for it: without a desktop, or with one that is slow, a notification is just not shown.
@LoopActor
package final class DesktopNotifier {
    /// How long a bus, or a desktop that is started for this program, may take to answer, while nobody waits for it any
    /// more.
    package static nonisolated let answerLimit: Duration = .seconds(25)
    /// How long a notification stays: as long as Bluetooth gives a user to pair. It is withdrawn before, unless the
    /// program is killed. Specification: Bluetooth Core, Vol 3, Part H, 3.4.
    private static let lifetime: Int32 = 30_000

    private struct Server {
        let connection: BusConnection
        let capabilities: Set<String>
    }

    private let program: String
    private let address: String?
    private let timeout: Duration
    private let answerLimit: Duration
    private var server: Task<Server, any Error>?
    private var registrations: [Registration] = []
    /// The server's unique name. Another one knows nothing of what this one has shown, and gives the same numbers to
    /// others.
    private var owner: String?
    private var shown: [UInt32: ShownNotification] = [:]
    /// How many notifications the server has been given and has not numbered yet.
    private var unnumbered = 0
    /// Wait for all to have a number.
    private var settling: [FirstOutcome<Void>] = []

    private enum Problem: Error { case noBus, noActions }

    /// - Parameters:
    ///   - program: the name that the user sees.
    ///   - address: of the session bus; nil if there is none.
    ///   - timeout: how long the desktop may take to show a notification, until that is reported as impossible.
    ///   - answerLimit: how long the bus, and the desktop, may take to answer at all.
    package nonisolated init(
        program: String, address: String?, timeout: Duration = .seconds(1),
        answerLimit: Duration = DesktopNotifier.answerLimit
    ) {
        self.program = program
        self.address = address
        self.timeout = timeout
        self.answerLimit = answerLimit
    }

    /// Looks for the desktop, so that the first notification is shown at once.
    package nonisolated func prepare() {
        Task { @LoopActor in _ = try? await reachServer() }
    }

    /// Shows a notification.
    ///
    /// - Parameter report: called on the loop with what comes of it: with ``NotificationOutcome/shown`` or
    ///   ``NotificationOutcome/failed`` first, unless it was withdrawn before.
    package nonisolated func show(
        _ notification: DesktopNotification,
        _ report: @escaping @LoopActor (NotificationOutcome) -> Void = { _ in }
    ) -> ShownNotification {
        let new = ShownNotification(notification, by: self, report)
        MainLoop.shared.async { [self] in show(new) }
        return new
    }

    /// Waits until what was withdrawn is off the desktop, for a program that ends.
    ///
    /// A notification is taken off by the number that the server gives it. One that was withdrawn before the server has
    /// answered would stay there. A desktop that is slow does not delay the program beyond the timeout.
    package nonisolated func settle() async {
        let settled = FirstOutcome<Void>()
        MainLoop.shared.async { [self] in
            settling.append(settled)
            reportIfSettled()
        }
        await settled.wait(within: timeout)
    }

    private func reportIfSettled() {
        guard unnumbered == 0 else { return }
        for settled in settling { settled.report() }
        settling = []
    }

    // MARK: The server

    private func reachServer() async throws -> Server {
        if let server { return try await server.value }
        let task = Task { try await connect() }
        server = task
        do {
            return try await task.value
        } catch {
            // The next notification looks again.
            if server == task { lose() }
            throw error
        }
    }

    private func connect() async throws -> Server {
        guard let address, BusConnection.isUnixSocket(address) else { throw Problem.noBus }
        let connection = try await BusConnection.open(address: address, within: answerLimit)
        let name = Notifications.busName
        registrations = [
            connection.watchOwner(of: name) { [weak self] in self?.ownerChanged(to: $0) },
            connection.onSignal(.signal(Notifications.actionInvoked, from: name)) { [weak self] in
                self?.actionInvoked($0)
            },
            connection.onSignal(.signal(Notifications.notificationClosed, from: name)) { [weak self] in
                self?.notificationClosed($0)
            },
            connection.onDisconnect { [weak self] in self?.lose() },
        ]
        // The bus starts a server that is installed and does not run.
        let reply = try await connection.call(
            MethodCall(Notifications.getCapabilities, of: name, at: Notifications.path), timeout: answerLimit)
        return Server(connection: connection, capabilities: Set(try reply.first(as: [String].self)))
    }

    /// The server, or the bus, has ended. The next notification looks for another one.
    private func lose() {
        server = nil
        registrations = []
        owner = nil
        let lost = shown.values
        shown = [:]
        for notification in lost { notification.finish(.failed) }
    }

    private func ownerChanged(to newOwner: String?) {
        guard let owner, owner != newOwner else { return self.owner = newOwner }
        lose()
    }

    // MARK: Notifications

    private func show(_ new: ShownNotification) {
        new.timeout = .timer(after: timeout) { [weak new] in new?.finish(.failed) }
        Task {
            do {
                let server = try await reachServer()
                let notification = new.notification
                if notification.needsActions, !server.capabilities.contains(Notifications.Capability.actions) {
                    throw Problem.noActions
                }
                guard !new.isOver else { return }
                unnumbered += 1
                server.connection.call(notify(notification, server), timeout: answerLimit) { [self] result in
                    unnumbered -= 1
                    defer { reportIfSettled() }
                    take(try? result.get().first(as: UInt32.self), of: new, server.connection)
                }
            } catch {
                new.finish(.failed)
            }
        }
    }

    private func notify(_ notification: DesktopNotification, _ server: Server) -> MethodCall {
        // Critical, for it must be seen within half a minute; transient, for digits are nothing to keep.
        let hints: [String: BusValue] = ["urgency": .byte(2), "transient": .boolean(true)]
        let replaced: UInt32 = 0
        let capabilities = server.capabilities
        let actions = capabilities.contains(Notifications.Capability.actions) ? notification.actions : []
        let body = notification.body(hasMarkup: capabilities.contains(Notifications.Capability.bodyMarkup))
        return MethodCall(
            Notifications.notify, of: Notifications.busName, at: Notifications.path,
            arguments: [
                .string(program), .uint32(replaced), .string("bluetooth"), .string(notification.summary),
                .string(body), actions.flatMap { [$0.key, $0.label] }.busValue, hints.busValue,
                .int32(Self.lifetime),
            ])
    }

    /// The server has shown it, in its own time.
    private func take(_ number: UInt32?, of new: ShownNotification, _ connection: BusConnection) {
        guard let number else { return new.finish(.failed) }
        guard !new.isOver else { return close(number, connection) }
        new.timeout = nil
        new.close = { [weak self] in
            self?.shown[number] = nil
            self?.close(number, connection)
        }
        shown[number] = new
        new.report(.shown)
    }

    private func close(_ number: UInt32, _ connection: BusConnection) {
        // It can fail only when the bus is lost, and the notification with it.
        try? connection.callWithoutReply(
            MethodCall(
                Notifications.closeNotification, of: Notifications.busName, at: Notifications.path,
                arguments: [.uint32(number)]))
    }

    private func actionInvoked(_ signal: BusSignal) {
        guard signal.sender == owner, signal.arguments.count == 2,
            let number = UInt32(busValue: signal.arguments[0]), let key = String(busValue: signal.arguments[1]),
            let notification = shown[number], notification.notification.actions.contains(where: { $0.key == key })
        else { return }
        // Some servers leave it there.
        notification.close?()
        notification.finish(.chosen(key))
    }

    private func notificationClosed(_ signal: BusSignal) {
        guard signal.sender == owner, signal.arguments.count == 2,
            let number = UInt32(busValue: signal.arguments[0]), let reason = UInt32(busValue: signal.arguments[1]),
            let notification = shown.removeValue(forKey: number)
        else { return }
        notification.finish(reason == Notifications.CloseReason.expired ? .expired : .dismissed)
    }
}

/// What comes of a notification.
package enum NotificationOutcome: Hashable, Swift.Sendable {
    /// The user can see it.
    case shown
    /// There is no desktop, it cannot show it, or took too long, or has ended.
    case failed
    /// The user has chosen the action with this key.
    case chosen(String)
    /// The user, or the desktop, has closed it, and nothing was chosen.
    case dismissed
    /// It was there for as long as the desktop shows notifications, and nothing was chosen.
    case expired
}

/// A notification that is shown, or will be.
@LoopActor
package final class ShownNotification {
    let notification: DesktopNotification
    private(set) var isOver = false
    /// Ends the wait for the desktop.
    var timeout: LoopSource?
    /// Takes it off the desktop; nil while it is not there.
    var close: (@LoopActor () -> Void)?
    /// Kept until it is over.
    private var notifier: DesktopNotifier?
    private let reportOutcome: @LoopActor (NotificationOutcome) -> Void

    nonisolated init(
        _ notification: DesktopNotification, by notifier: DesktopNotifier,
        _ report: @escaping @LoopActor (NotificationOutcome) -> Void
    ) {
        self.notification = notification
        self.notifier = notifier
        reportOutcome = report
    }

    /// Takes it off the desktop. Nothing is reported any longer.
    package func withdraw() {
        guard !isOver else { return }
        end()
        close?()
        close = nil
    }

    func report(_ outcome: NotificationOutcome) {
        if !isOver { reportOutcome(outcome) }
    }

    /// Reports the last outcome.
    func finish(_ outcome: NotificationOutcome) {
        guard !isOver else { return }
        end()
        close = nil
        reportOutcome(outcome)
    }

    private func end() {
        isOver = true
        timeout = nil
        notifier = nil
    }
}
