import CGLib
import Foundation
import Synchronization

/// The GLib main loop of the process.
///
/// It runs on a thread of its own for as long as the process lives, and it is the executor of ``LoopActor``: what is
/// isolated to that actor runs here, one thing after another, with no lock. The bus connection and every file
/// descriptor that comes over it belong to it.
package final class MainLoop: SerialExecutor, TaskExecutor {
    /// The loop of this process.
    package static let shared = MainLoop()

    private enum Work: Swift.Sendable {
        case job(UnownedJob)
        case closure(@Sendable @LoopActor () -> Void)
    }

    /// What waits to be run.
    private struct Pending {
        var work: [Work] = []
        /// Whether the loop looks at `work` again before it sleeps, so that it need not be woken.
        var willBeSeen = false
    }

    /// How often one turn of the loop looks for work that its own work added, before I/O gets its turn.
    private static let roundsPerTurn = 8

    /// The GLib context of the loop. GLib's contexts may be used from any thread.
    nonisolated(unsafe) let context: OpaquePointer
    let wakeDescriptor: Int32
    private let thread = Atomic<pthread_t>(0)
    private let pending = Mutex(Pending())

    // Touched on the loop's thread only, by `perform` and by what it calls.
    private nonisolated(unsafe) var batch: [Work] = []
    private nonisolated(unsafe) var pacing = Pacing()

    private init() {
        context = g_main_context_new()
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(wakeDescriptor >= 0, "out of file descriptors for the main loop")
        let started = DispatchSemaphore(value: 0)
        let thread = Thread { [self] in
            self.thread.store(pthread_self(), ordering: .relaxed)
            g_main_context_push_thread_default(context)
            installWakeSource()
            started.signal()
            g_main_context_set_poll_func(context) { MainLoop.shared.poll($0, $1, $2) }
            let loop = g_main_loop_new(context, 0)
            g_main_loop_run(loop)
        }
        thread.name = "main-loop"
        thread.start()
        started.wait()
    }

    /// Whether the caller is on the loop's thread.
    package var isCurrent: Bool {
        // Only the loop's own thread can find its own identifier here, and it stored that itself: no ordering needed.
        thread.load(ordering: .relaxed) == pthread_self()
    }

    /// Runs `work` on the loop, after everything that was handed to it before, from whatever thread.
    package func async(_ work: @escaping @Sendable @LoopActor () -> Void) {
        append(.closure(work))
    }

    /// Runs `work` on the loop and waits for its result, from whatever thread. For short work only.
    package func sync<T: Swift.Sendable>(_ work: @escaping @Sendable @LoopActor () -> T) -> T {
        if isCurrent { return LoopActor.assumeIsolated(work) }
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var result: T?
        async {
            result = work()
            done.signal()
        }
        done.wait()
        // The semaphore has been signalled, so the result is there.
        return result.unsafelyUnwrapped
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        append(.job(UnownedJob(job)))
    }

    package func checkIsolated() {
        precondition(isCurrent, "this must run on the main loop")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    private func append(_ work: Work) {
        let mustWake = pending.withLock { pending in
            pending.work.append(work)
            return pending.work.count == 1 && !pending.willBeSeen
        }
        if mustWake { wake() }
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, 8)
    }

    // MARK: Coalescing

    /// To be called when values of a characteristic have come, or others that come by the thousand and are not urgent.
    ///
    /// A value that comes alone is handled at once. When values come in quick succession, the loop pauses for some
    /// milliseconds before it reads again, so that several share the cost of waking it and their receivers. It does not
    /// pause when many came at once: they share the cost already.
    ///
    /// - Parameter count: how many have come together.
    @LoopActor
    package func coalesceReads(_ count: Int = 1) {
        pacing.arrived(count, at: .now)
    }

    /// What GLib calls in place of `poll`.
    private func poll(_ descriptors: UnsafeMutablePointer<GPollFD>?, _ count: UInt32, _ timeout: Int32) -> Int32 {
        guard timeout != 0, pacing.isInBurst else { return g_poll(descriptors, count, timeout) }
        // There may be more than one turn takes.
        let ready = g_poll(descriptors, count, 0)
        guard ready == 0 else { return ready }
        var pause = pacing.endTurn(at: .now)
        guard pause > 0 else { return g_poll(descriptors, count, timeout) }
        if timeout >= 0 { pause = min(pause, timeout) }
        var wake = pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&wake, 1, pause)
        pacing.hasPaused(pause, until: .now)
        return g_poll(descriptors, count, timeout < 0 ? -1 : timeout - pause)
    }

    private func installWakeSource() {
        let source = cglib_descriptor_source_new(
            wakeDescriptor, G_IO_IN,
            { _, data in
                guard let data else { return 0 }
                let loop = Unmanaged<MainLoop>.fromOpaque(data).takeUnretainedValue()
                var count: UInt64 = 0
                _ = read(loop.wakeDescriptor, &count, 8)
                loop.perform {}
                return 1
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
        Self.allowRecursion(source)
        g_source_attach(source, context)
        g_source_unref(source)
    }

    /// This loop never runs inside itself. A source that says it minds is taken out of the poll for each of its calls,
    /// for which GLib wakes the loop up again: one turn in vain for every turn.
    static func allowRecursion(_ source: UnsafeMutablePointer<GSource>?) {
        g_source_set_can_recurse(source, 1)
    }

    /// Runs `callback`, something that the loop calls, and then what is pending, and what that adds, for some rounds;
    /// the rest waits for the next turn, so that I/O is not starved.
    @inline(__always)
    func perform<T>(_ callback: @LoopActor () -> T) -> T {
        // What this adds, and what comes from other threads meanwhile, is found below, with no system call.
        pending.withLock { $0.willBeSeen = true }
        let result = LoopActor.assumeIsolated(callback)
        runPending()
        return result
    }

    private func runPending() {
        let executor = asUnownedSerialExecutor()
        for _ in 0..<Self.roundsPerTurn {
            pending.withLock {
                swap(&$0.work, &batch)
                $0.willBeSeen = !batch.isEmpty
            }
            if batch.isEmpty { return }
            for work in batch {
                switch work {
                case .job(let job): job.runSynchronously(on: executor)
                case .closure(let closure): LoopActor.assumeIsolated { closure() }
                }
            }
            // The memory is used again, unless a burst made it large.
            batch.removeAll(keepingCapacity: batch.count <= 1024)
        }
        let isMore = pending.withLock {
            $0.willBeSeen = false
            return !$0.work.isEmpty
        }
        if isMore { wake() }
    }
}
