import DBus
package import Foundation
import MainLoop
import Synchronization

/// Lines that are noted on any thread and waited for on another.
package final class Journal: Sendable {
    private struct State {
        var lines: [String] = []
        var waiters: [Int: Waiter] = [:]
        var waiterCount = 0
    }

    private struct Waiter {
        let condition: @Sendable ([String]) -> Bool
        let found: @LoopActor (Bool) -> Void
    }

    private let state = Mutex(State())

    package init() {}

    package var lines: [String] { state.withLock { $0.lines } }

    package func note(_ line: String) {
        let found = state.withLock { state in
            state.lines.append(line)
            return state.waiters.values.filter { $0.condition(state.lines) }.map(\.found)
        }
        guard !found.isEmpty else { return }
        MainLoop.shared.async { for found in found { found(true) } }
    }

    /// Waits until a line has been noted this many times.
    ///
    /// - Throws: ``NotSeen``.
    package func saw(_ line: String, count: Int = 1, within limit: Duration = .seconds(30)) async throws {
        try await saw(line, within: limit) { lines in lines.count { $0 == line } >= count }
    }

    /// Waits until the lines are as they should be.
    ///
    /// - Throws: ``NotSeen``.
    package func saw(
        _ what: String, within limit: Duration = .seconds(30), _ condition: @escaping @Sendable ([String]) -> Bool
    ) async throws {
        let key = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        defer { state.withLock { $0.waiters[key] = nil } }
        do {
            let _: Bool = try await event(what, within: limit) { [self] found in
                let isSo = state.withLock { state in
                    state.waiters[key] = Waiter(condition: condition, found: found)
                    return condition(state.lines)
                }
                if isSo { found(true) }
            }
        } catch {
            throw NotSeen(line: what, lines: lines)
        }
    }
}

/// What a test waited for in vain, and what was noted.
package struct NotSeen: Error, CustomStringConvertible {
    package let line: String
    package let lines: [String]

    package init(line: String, lines: [String]) {
        self.line = line
        self.lines = lines
    }

    package var description: String { "no \"\(line)\" among \(lines)" }
}

package struct Missing: Error {}

package func required<T>(_ value: T?) throws -> T {
    guard let value else { throw Missing() }
    return value
}

/// Two digits for each byte.
package func hex(_ value: Data?) -> String {
    (value ?? Data()).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

/// The code in the answer of a program's ATT server, by bluetoothd's reading of the error (src/gatt-database.c,
/// dbus_error_to_att_ecode); nil if it has answered without one.
package func attError(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async -> UInt8? {
    do {
        try await body()
        return nil
    } catch let BusError.remote(name, message, _) {
        switch name {
        case "org.bluez.Error.NotSupported": return 0x06
        case "org.bluez.Error.InvalidOffset": return 0x07
        case "org.bluez.Error.NotAuthorized": return 0x08
        case "org.bluez.Error.InvalidValueLength": return 0x0D
        case "org.bluez.Error.InProgress": return 0xFE
        case "org.bluez.Error.NotPermitted": return 0x02
        case "org.bluez.Error.Failed":
            return message.hasPrefix("0x") ? UInt8(message.dropFirst(2), radix: 16) ?? 0x0E : 0x0E
        default: return 0x0E
        }
    } catch {
        return 0x0E
    }
}
