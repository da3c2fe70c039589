import Foundation
import Synchronization

/// Says goodbye to the agent when the process ends by choice: by `exit`, or by SIGINT, SIGTERM or SIGHUP.
///
/// A process that is killed or crashes runs none of this. That is how the agent knows the difference.
package enum ExitNotice {
    /// How many connections to the agent a process may have.
    private static let capacity = 16

    // A signal handler may use nothing that locks or allocates, so all of this is made before the handler is installed
    // and stays for as long as the process lives. The slots are words of memory that change as a whole.
    nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Int32> = {
        let slots = UnsafeMutablePointer<Int32>.allocate(capacity: capacity)
        slots.initialize(repeating: -1, count: capacity)
        return slots
    }()
    nonisolated(unsafe) private static let notice: UnsafeMutableBufferPointer<UInt8> = {
        let bytes = MessageCoder.encode(AppMessage.goodbye) ?? Data()
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = buffer.initialize(from: bytes)
        return buffer
    }()
    private static let isInstalled = Mutex(false)
    private static let access = Mutex(())

    /// Has the agent at the other end of this socket get the notice.
    package static func add(_ descriptor: Int32) {
        install()
        access.withLock { _ in
            guard let free = (0..<capacity).first(where: { slots[$0] < 0 }) else { return }
            slots[free] = descriptor
        }
    }

    /// To be called before the descriptor is closed.
    package static func remove(_ descriptor: Int32) {
        access.withLock { _ in
            for slot in 0..<capacity where slots[slot] == descriptor { slots[slot] = -1 }
        }
    }

    private static func sayGoodbye() {
        for slot in 0..<capacity where slots[slot] >= 0 {
            _ = send(slots[slot], notice.baseAddress, notice.count, 0x4000 | 0x40)  // MSG_NOSIGNAL, MSG_DONTWAIT
        }
    }

    private static func install() {
        let isFirst = isInstalled.withLock { installed in
            defer { installed = true }
            return !installed
        }
        guard isFirst else { return }
        _ = (slots, notice.count)
        atexit { ExitNotice.sayGoodbye() }
        // If the program handles a signal itself, it ends by `exit`, or not at all.
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var current = sigaction()
            guard sigaction(number, nil, &current) == 0, current.__sigaction_handler.sa_handler == nil else { continue }
            var own = sigaction()
            own.__sigaction_handler.sa_handler = { number in
                ExitNotice.sayGoodbye()
                // The handler is used once: this time the signal does what it does by default.
                raise(number)
            }
            own.sa_flags = Int32(bitPattern: 0x8000_0000) | 0x4000_0000  // SA_RESETHAND, SA_NODEFER
            sigaction(number, &own, nil)
        }
    }
}
