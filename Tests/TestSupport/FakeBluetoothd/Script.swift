package import DBus
package import MainLoop

/// What the fake bluetoothd does when it is called.
package enum FakeReaction: Sendable {
    /// What bluetoothd does, but later.
    case late(Duration)
    /// Nothing, and no answer ever.
    case silent
    /// This error of `org.bluez.Error`, such as `Failed`, with this message.
    case refuse(String, String = "refused by the test")
    /// This answer, right or wrong, and nothing else.
    case answer([BusValue])
    /// Whatever the test does; ``FakeCall/resume`` is what bluetoothd does.
    case handler(@Sendable @LoopActor (FakeCall) -> Void)
}

/// What a test has scripted.
@LoopActor
struct Script {
    struct Rule {
        let method: String?
        let path: ObjectPath?
        var left: Int?
        let reaction: FakeReaction

        func concerns(_ call: FakeCall) -> Bool {
            left != 0 && (method == nil || method == call.method) && (path == nil || path == call.path)
        }
    }

    private var rules: [Rule] = []
    /// How often setting a property is refused yet.
    var refusedProperties: [String: Int] = [:]
    /// Calls that are never answered: a released invocation would answer by itself.
    private var unanswered: [FakeCall] = []

    nonisolated init() {}

    mutating func add(_ rule: Rule) { rules.insert(rule, at: 0) }

    /// - Throws: the refusal to set a property, if that is scripted.
    mutating func checkSetting(of property: String) throws {
        guard let left = refusedProperties[property], left > 0 else { return }
        refusedProperties[property] = left - 1
        throw MethodFailure.bluez("Failed", "refused by the test")
    }

    mutating func perform(_ call: FakeCall) {
        guard let index = rules.firstIndex(where: { $0.concerns(call) }) else { return call.resume() }
        rules[index].left = rules[index].left.map { $0 - 1 }
        switch rules[index].reaction {
        case .late(let delay): Later.run(after: delay, call.resume)
        case .silent: unanswered.append(call)
        case .refuse(let name, let message): call.invocation.fail(.bluez(name, message))
        case .answer(let values): call.invocation.reply(values)
        case .handler(let handler): handler(call)
        }
    }
}

extension MethodFailure {
    /// An error of bluetoothd.
    package static func bluez(_ name: String, _ message: String) -> MethodFailure {
        MethodFailure(name: "org.bluez.Error.\(name)", message: message)
    }

    /// The answer of a remote device's ATT server, as bluetoothd puts it.
    package static func att(_ code: UInt8) -> MethodFailure {
        switch code {
        case 0x02: .bluez("NotPermitted", "Read not permitted")
        case 0x03: .bluez("NotPermitted", "Write not permitted")
        case 0x05, 0x0F: .bluez("NotPermitted", "Not paired")
        case 0x06: .bluez("NotSupported", "Operation is not supported")
        case 0x07: .bluez("InvalidArguments", "Invalid offset")
        case 0x08: .bluez("NotAuthorized", "Operation Not Authorized")
        case 0x0D: .bluez("InvalidArguments", "Invalid Length")
        default:
            .bluez("Failed", "Operation failed with ATT error: 0x" + (code < 16 ? "0" : "") + String(code, radix: 16))
        }
    }
}

/// Timers that nobody has to keep.
@LoopActor
package enum Later {
    private static var timers: [Int: LoopSource] = [:]
    private static var count = 0

    package static func run(after delay: Duration, _ work: @escaping @LoopActor () -> Void) {
        count += 1
        let key = count
        timers[key] = .timer(after: delay) {
            timers[key] = nil
            work()
        }
    }
}

/// What did not happen in time.
package struct NotInTime: Error, CustomStringConvertible {
    let what: String
    let limit: Duration

    package var description: String { "not within \(limit): \(what)" }
}

/// Waits for the first value that `begin` hands to its argument, at once or later.
///
/// - Throws: ``NotInTime``.
@LoopActor
package func event<T: Sendable>(
    _ what: String, within limit: Duration = .seconds(30),
    _ begin: @LoopActor (@escaping @LoopActor (T) -> Void) -> Void
) async throws -> T {
    var timer: LoopSource?
    defer { timer?.cancel() }
    return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
        var waiting: CheckedContinuation<T, any Error>? = continuation
        timer = .timer(after: limit) {
            waiting?.resume(throwing: NotInTime(what: what, limit: limit))
            waiting = nil
        }
        begin { value in
            waiting?.resume(returning: value)
            waiting = nil
        }
    }
}

/// Waits until `condition` holds, looking again whenever the loop has nothing else to do.
///
/// - Throws: ``NotInTime``.
@LoopActor
package func eventually(
    _ what: String, within limit: Duration = .seconds(30), _ condition: @escaping @LoopActor () -> Bool
) async throws {
    var poll: LoopSource?
    defer { poll?.cancel() }
    let _: Bool = try await event(what, within: limit) { found in
        guard !condition() else { return found(true) }
        poll = .timer(after: .milliseconds(1), repeats: true) { if condition() { found(true) } }
    }
}
