import CGLib
import Foundation
import MainLoop
import Posix
import Synchronization

/// The thread that takes packets out of sockets, all those of the process, as soon as they come.
///
/// bluetoothd writes without waiting, and drops what does not fit. Whatever keeps the loop busy, the sockets are
/// emptied: this thread does nothing else. The loop is woken once, and then takes all that has come meanwhile.
final class PacketReader: Swift.Sendable {
    private struct State {
        /// By the numbers under which they are watched. Numbers are not used again, so that a late report about a
        /// closed socket is not taken for another's.
        var inboxes: [UInt64: PacketInbox] = [:]
        var lastNumber: UInt64 = 0
        /// Those with something for the loop.
        var ready: [PacketInbox] = []
    }

    private let epoll: Int32
    /// An eventfd, on which the loop waits. A descriptor of its own, because the loop's would also wake it from its
    /// pauses.
    private let wakeupEvent: Int32
    private let state = Mutex(State())

    @LoopActor private static var running: (reader: PacketReader, source: LoopSource)?

    /// The reader of this process, which starts when it is first asked for. Without a socket it sleeps.
    @LoopActor
    static func shared() throws(BlueZError) -> PacketReader {
        if let running { return running.reader }
        let reader = try PacketReader()
        let source = LoopSource.descriptor(reader.wakeupEvent, .readable) { _ in reader.announce() }
        running = (reader, source)
        let thread = Thread { reader.run() }
        thread.name = "packet-reader"
        thread.stackSize = 256 << 10
        thread.start()
        return reader
    }

    private init() throws(BlueZError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeupEvent = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        if epoll >= 0, wakeupEvent >= 0 { return }
        let error = BlueZError.failed(
            name: "", message: "out of file descriptors: \(SystemError.reason())")
        for descriptor in [epoll, wakeupEvent] where descriptor >= 0 { close(descriptor) }
        throw error
    }

    /// Begins to read a socket into an inbox.
    ///
    /// - Returns: the number to remove it by.
    func add(_ descriptor: Int32, _ inbox: PacketInbox) throws(BlueZError) -> UInt64 {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.inboxes[state.lastNumber] = inbox
            return state.lastNumber
        }
        guard cglib_mark_packets(descriptor) == 0, cglib_epoll_watch(epoll, descriptor, number) == 0 else {
            let reason = SystemError.reason()
            state.withLock { $0.inboxes[number] = nil }
            throw .failed(name: "", message: "cannot wait for packets: \(reason)")
        }
        return number
    }

    /// Stops reading a socket. Its descriptor can be closed when this returns. May be called on any thread.
    func remove(_ number: UInt64, _ descriptor: Int32, _ inbox: PacketInbox) {
        _ = cglib_epoll_unwatch(epoll, descriptor)
        inbox.close()
        // Not released under the lock.
        _ = state.withLock { $0.inboxes.removeValue(forKey: number) }
    }

    // MARK: The loop

    @LoopActor
    private func announce() {
        var count: UInt64 = 0
        _ = Glibc.read(wakeupEvent, &count, 8)
        let ready = state.withLock { state in
            let ready = state.ready
            state.ready = []
            return ready
        }
        for inbox in ready { inbox.onNews() }
    }

    // MARK: The thread

    private func run() {
        let buffer = PacketBuffer()
        let numbers = UnsafeMutablePointer<UInt64>.allocate(capacity: Int(cglib_epoll_limit))
        var capacity = PacketCapacity()
        var pace = ReaderPace(capacity: capacity.packets(of: PacketBuffer.packetSize))
        while true {
            let count = cglib_epoll_wait(epoll, numbers)
            guard count > 0 else { continue }
            var most = 0
            for index in 0..<Int(count) {
                most = max(most, read(numbers[index], buffer, &capacity))
            }
            if let pause = pace.pause(afterTaking: most, at: .now) { usleep(pause) }
        }
    }

    /// - Returns: how many packets there were.
    private func read(_ number: UInt64, _ buffer: borrowing PacketBuffer, _ capacity: inout PacketCapacity) -> Int {
        guard let inbox = state.withLock({ $0.inboxes[number] }) else { return 0 }
        let outcome = inbox.read(buffer, &capacity)
        if outcome.isAtEnd { inbox.unwatch(epoll) }
        guard outcome.isNews else { return outcome.taken }
        let isFirst = state.withLock { state in
            state.ready.append(inbox)
            return state.ready.count == 1
        }
        if isFirst {
            var one: UInt64 = 1
            _ = write(wakeupEvent, &one, 8)
        }
        return outcome.taken
    }
}

/// When the reader pauses, so that several packets share the cost of waking it.
struct ReaderPace {
    /// A packet that follows the last one this quickly belongs to the same burst.
    private static let burstInterval: Duration = .milliseconds(5)
    /// Microseconds of the first pause in a burst. Each may be twice the one before, as the burst's rate becomes known.
    private static let firstPause = 2000
    private static let longestPause = 8000

    /// As many packets may come in one pause.
    private let limit: Int
    private var last: ContinuousClock.Instant?
    /// Microseconds; 0 where the reader did not pause.
    private var previousPause = 0

    /// - Parameter capacity: how many packets a socket holds at least.
    init(capacity: Int) {
        limit = capacity == .max ? 0 : capacity / 8
    }

    /// - Parameter count: how many packets have come, of the socket that had the most.
    /// - Returns: for how many microseconds to pause; nil for not at all.
    mutating func pause(afterTaking count: Int, at now: ContinuousClock.Instant) -> UInt32? {
        defer { last = now }
        guard count > 0, count <= limit, let last,
            now - last < Self.burstInterval + .microseconds(previousPause)
        else {
            previousPause = 0
            return nil
        }
        let untilLimit = previousPause * limit / count
        previousPause =
            previousPause == 0 ? Self.firstPause : min(2 * previousPause, untilLimit, Self.longestPause)
        return UInt32(previousPause)
    }
}
