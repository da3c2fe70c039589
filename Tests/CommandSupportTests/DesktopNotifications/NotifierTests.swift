import DBus
import MainLoop
import TestSupport
import Testing

@testable import CommandSupport

/// What becomes of a notification on a desktop.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct NotifierTests {
    private let bus: PrivateBus
    private let outcomes = AwaitedValues<NotificationOutcome>()

    init() async throws { bus = try await .start() }

    private static let question = DesktopNotification(
        summary: "The same?", body: "By <b>\"R&D\"</b>", actions: [.init("yes", "Yes"), .init("no", "No")],
        needsActions: true)

    /// One that waits for a desktop which the machine's other work makes slow.
    private func notifier() -> DesktopNotifier {
        DesktopNotifier(program: "tests", address: bus.address, timeout: .seconds(60))
    }

    /// One that has the usual timeout, by which alone it notices a failure while a test runs.
    private func notifierWithShortTimeout() -> DesktopNotifier {
        DesktopNotifier(program: "tests", address: bus.address, answerLimit: .seconds(3600))
    }

    /// Reports an outcome of its own in twenty seconds. A timer of the loop that began before it and is shorter comes
    /// first, however busy the machine is; but a loop that is held up until both are due has no time to cancel it.
    private func limit() -> LoopSource { .timer(after: .seconds(20)) { [outcomes] in outcomes.put(.expired) } }

    private func show(_ notification: DesktopNotification = question, by notifier: DesktopNotifier) -> ShownNotification
    {
        notifier.show(notification) { [outcomes] in outcomes.put($0) }
    }

    @Test func `an action that is chosen is reported`() async throws {
        let desktop = try await FakeDesktop(at: bus.address)
        let notifier = notifier()
        _ = show(by: notifier)
        let shown = try await desktop.shown.next()
        #expect(shown.program == "tests" && shown.summary == "The same?" && shown.isTransient)
        #expect(shown.body == #"By &lt;b&gt;"R&amp;D"&lt;/b&gt;"#)
        #expect(shown.actions == ["yes", "Yes", "no", "No"])
        #expect(try await outcomes.next() == .shown)
        desktop.choose("no", of: shown.number)
        #expect(try await outcomes.next() == .chosen("no"))
        #expect(try await desktop.withdrawn.next() == shown.number)
        // Once: the next outcome is that of the next notification.
        desktop.choose("yes", of: shown.number)
        _ = show(by: notifier)
        #expect(try await outcomes.next() == .shown)
    }

    @Test func `only an offered action of the notification itself counts`() async throws {
        let desktop = try await FakeDesktop(at: bus.address)
        let notifier = notifier()
        let first = show(by: notifier)
        let old = try await desktop.shown.next()
        #expect(try await outcomes.next() == .shown)
        first.withdraw()
        #expect(try await desktop.withdrawn.next() == old.number)
        _ = show(by: notifier)
        let new = try await desktop.shown.next()
        #expect(try await outcomes.next() == .shown)
        desktop.choose("yes", of: old.number)
        desktop.choose("yes", of: new.number + 1)
        desktop.choose("default", of: new.number)
        // Another program says what only the desktop may.
        let stranger = try bus.connect()
        try stranger.emit(
            "ActionInvoked", of: "org.freedesktop.Notifications", from: path("/org/freedesktop/Notifications"),
            arguments: [.uint32(new.number), .string("yes")])
        try await stranger.fence()
        desktop.choose("no", of: new.number)
        #expect(try await outcomes.next() == .chosen("no"))
    }

    @Test func `the end of a notification is reported`() async throws {
        let desktop = try await FakeDesktop(at: bus.address)
        let notifier = notifier()
        for outcome in [NotificationOutcome.dismissed, .expired, .failed] {
            _ = show(by: notifier)
            let shown = try await desktop.shown.next()
            #expect(try await outcomes.next() == .shown)
            switch outcome {
            case .dismissed: desktop.dismiss(shown.number)
            case .expired: desktop.expire(shown.number)
            default: desktop.end()
            }
            #expect(try await outcomes.next() == outcome)
        }
        // The next desktop is found, and what it shows is its own.
        let next = try await FakeDesktop(at: bus.address, capabilities: ["body", "actions"])
        _ = show(by: notifier)
        #expect(try await next.shown.next().body == #"By b"RD"/b"#)
        #expect(try await outcomes.next() == .shown)
    }

    @Test func `without a desktop nothing is shown`() async throws {
        _ = show(by: notifier())
        #expect(try await outcomes.next() == .failed)
        for address in [nil, "unix:path=/nowhere/bus", "tcp:host=localhost,port=1", "nonsense"] {
            _ = show(by: DesktopNotifier(program: "tests", address: address))
            #expect(try await outcomes.next() == .failed, "\(address ?? "none")")
        }
    }

    @Test func `what is shown without actions is no question`() async throws {
        let desktop = try await FakeDesktop(at: bus.address, capabilities: [])
        let notifier = notifier()
        _ = show(by: notifier)
        #expect(try await outcomes.next() == .failed)
        var text = Self.question
        text.needsActions = false
        _ = show(text, by: notifier)
        #expect(try await desktop.shown.next().actions.isEmpty)
        #expect(try await outcomes.next() == .shown)
    }

    @Test func `a slow desktop is given up and shows nothing afterwards`() async throws {
        let desktop = try await FakeDesktop(at: bus.address)
        desktop.isSlow = true
        _ = show(by: notifierWithShortTimeout())
        let call = try await desktop.held.next()
        let limit = limit()
        #expect(try await outcomes.next() == .failed)
        limit.cancel()
        desktop.answer(call)
        #expect(try await desktop.withdrawn.next() == desktop.shown.next().number)
        #expect(outcomes.waiting.isEmpty)
    }

    @Test func `what is withdrawn before it is shown goes away`() async throws {
        let desktop = try await FakeDesktop(at: bus.address)
        desktop.isSlow = true
        let notification = show(by: notifier())
        let call = try await desktop.held.next()
        notification.withdraw()
        desktop.answer(call)
        #expect(try await desktop.withdrawn.next() == desktop.shown.next().number)
        #expect(outcomes.waiting.isEmpty)
    }

    @Test func `a program that ends can wait until what it has withdrawn is off the desktop`() async throws {
        let desktop = try await FakeDesktop(at: bus.address)
        desktop.isSlow = true
        let notifier = notifier()
        let shown = show(by: notifier)
        let call = try await desktop.held.next()
        shown.withdraw()
        let settled = FirstOutcome<Void>()
        Task {
            await notifier.settle()
            settled.report()
        }
        try await bus.connect().fence()
        #expect(!settled.isKnown)
        desktop.answer(call)
        await settled.value()
        #expect(try await desktop.withdrawn.next() == desktop.shown.next().number)
        await notifier.settle()
    }

    @Test func `a desktop that never answers does not keep a program from ending`() async throws {
        let desktop = try await FakeDesktop(at: bus.address)
        desktop.isSlow = true
        let notifier = notifierWithShortTimeout()
        let shown = show(by: notifier)
        _ = try await desktop.held.next()
        shown.withdraw()
        await notifier.settle()
        #expect(desktop.withdrawn.waiting.isEmpty)
    }

    @Test func `a bus that does not answer is given up`() async throws {
        bus.freeze()
        defer { bus.thaw() }
        _ = show(by: notifierWithShortTimeout())
        try await pass(.milliseconds(5))
        let limit = limit()
        #expect(try await outcomes.next() == .failed)
        limit.cancel()
    }

    @Test func `a bus that does not answer holds up nothing`() async throws {
        bus.freeze()
        defer { bus.thaw() }
        _ = show(by: notifier())
        // A loop that waited for the bus would do nothing else until that has failed.
        try await pass(.milliseconds(5))
        #expect(outcomes.waiting.isEmpty)
    }
}
