import CGLib
import Foundation
import Synchronization

/// The GLib main loop that owns libdbus and every file descriptor that comes over the bus.
///
/// It runs on a thread of its own for as long as the process lives, and it is the executor of ``BusActor``: what is
/// isolated to that actor runs here, one thing after another, with no lock.
public final class MainLoop: SerialExecutor {
    /// The loop of this process.
    public static let shared = MainLoop()

    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable @BusActor () -> Void)
    }

    /// The GLib context of the loop. GLib's contexts may be used from any thread.
    nonisolated(unsafe) let context: OpaquePointer
    private let wakeDescriptor: Int32
    private let thread = Mutex<pthread_t?>(nil)
    private let pending = Mutex<[Work]>([])

    private init() {
        context = g_main_context_new()
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(wakeDescriptor >= 0, "no file descriptor is left for the main loop")
        let started = DispatchSemaphore(value: 0)
        let thread = Thread { [self] in
            self.thread.withLock { $0 = pthread_self() }
            g_main_context_push_thread_default(context)
            installWakeSource()
            started.signal()
            let loop = g_main_loop_new(context, 0)
            g_main_loop_run(loop)
        }
        thread.name = "dbus-loop"
        thread.start()
        started.wait()
    }

    /// Whether the caller is on the loop's thread.
    public var isCurrent: Bool {
        thread.withLock { current in current.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Runs `work` on the loop, after everything that was handed to it before, from whatever thread.
    public func async(_ work: @escaping @Sendable @BusActor () -> Void) {
        append(.closure(work))
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        append(.job(UnownedJob(job)))
    }

    public func checkIsolated() {
        precondition(isCurrent, "this must run on the bus's main loop")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    private func append(_ work: Work) {
        let wasEmpty = pending.withLock { queue in
            queue.append(work)
            return queue.count == 1
        }
        if wasEmpty { wake() }
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, 8)
    }

    private func installWakeSource() {
        let source = g_unix_fd_source_new(wakeDescriptor, G_IO_IN)
        cglib_unix_fd_source_set_callback(
            source,
            { _, _, data in
                if let data { Unmanaged<MainLoop>.fromOpaque(data).takeUnretainedValue().drain() }
                return 1
            },
            Unmanaged.passUnretained(self).toOpaque(), nil)
        g_source_attach(source, context)
        g_source_unref(source)
    }

    /// Runs what is pending now. What that adds waits for the next turn, so that I/O is not starved.
    private func drain() {
        var count: UInt64 = 0
        _ = read(wakeDescriptor, &count, 8)
        let batch = pending.withLock { queue in
            let batch = queue
            queue = []
            return batch
        }
        let executor = asUnownedSerialExecutor()
        for work in batch {
            switch work {
            case .job(let job): job.runSynchronously(on: executor)
            case .closure(let closure): BusActor.assumeIsolated { closure() }
            }
        }
    }
}

/// The actor of everything that touches the bus; its executor is ``MainLoop/shared``.
@globalActor
public actor BusActor {
    public static let shared = BusActor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        MainLoop.shared.asUnownedSerialExecutor()
    }

    /// Runs `operation` as part of this actor; the caller must be on the loop's thread (a C callback of GLib or libdbus).
    public static func assumeIsolated<T>(
        _ operation: @BusActor () throws -> T, file: StaticString = #fileID, line: UInt = #line
    ) rethrows -> T {
        precondition(MainLoop.shared.isCurrent, "this must run on the bus's main loop", file: file, line: line)
        // The isolation is a matter of the type system only; the check above is what it stands for.
        return try withoutActuallyEscaping(operation) { operation in
            try unsafeBitCast(operation, to: (() throws -> T).self)()
        }
    }
}
