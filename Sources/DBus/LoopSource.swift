import CGLib
import Foundation

/// What a file descriptor on the loop can be ready for.
public struct DescriptorEvents: OptionSet, Swift.Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let readable = DescriptorEvents(rawValue: 1)
    public static let writable = DescriptorEvents(rawValue: 2)
    /// The other end is gone, or the descriptor has an error. Reported whether or not it is asked for.
    public static let hangUp = DescriptorEvents(rawValue: 4)

    init(_ condition: GIOCondition) {
        var events: DescriptorEvents = []
        if condition.rawValue & G_IO_IN.rawValue != 0 { events.insert(.readable) }
        if condition.rawValue & G_IO_OUT.rawValue != 0 { events.insert(.writable) }
        if condition.rawValue & (G_IO_HUP.rawValue | G_IO_ERR.rawValue | G_IO_NVAL.rawValue) != 0 {
            events.insert(.hangUp)
        }
        self = events
    }

    var condition: GIOCondition {
        var bits: UInt32 = 0
        if contains(.readable) { bits |= G_IO_IN.rawValue }
        if contains(.writable) { bits |= G_IO_OUT.rawValue }
        if contains(.hangUp) { bits |= G_IO_HUP.rawValue | G_IO_ERR.rawValue }
        return GIOCondition(rawValue: bits)
    }
}

/// Something that the main loop watches: a timer or a file descriptor. It is watched until it is cancelled or released.
@BusActor
public final class LoopSource {
    @BusActor
    private final class Callback {
        let run: @BusActor (DescriptorEvents) -> Bool
        init(_ run: @escaping @BusActor (DescriptorEvents) -> Bool) { self.run = run }
    }

    // Destroying a GLib source is safe from any thread, so `deinit` may do it wherever the last reference goes.
    private nonisolated(unsafe) var source: UnsafeMutablePointer<GSource>?

    private init(_ source: UnsafeMutablePointer<GSource>?) {
        self.source = source
        MainLoop.allowRecursion(source)
        g_source_attach(source, MainLoop.shared.context)
    }

    deinit {
        if let source {
            g_source_destroy(source)
            g_source_unref(source)
        }
    }

    /// Stops watching. Does nothing the second time.
    public func cancel() {
        guard let source else { return }
        self.source = nil
        g_source_destroy(source)
        g_source_unref(source)
    }

    /// Calls `action` once after `delay`, or every `delay` when `repeats` is true.
    public static func timer(
        after delay: Duration, repeats: Bool = false, _ action: @escaping @BusActor () -> Void
    ) -> LoopSource {
        let source = g_timeout_source_new(delay.wholeMilliseconds)
        let callback = Callback { _ in
            action()
            return repeats
        }
        g_source_set_callback(
            source, { data in LoopSource.run(data, []) }, Unmanaged.passRetained(callback).toOpaque(),
            { @Sendable data in LoopSource.release(data) })
        return LoopSource(source)
    }

    /// Calls `action` as long as `descriptor` is ready for one of `events`. The descriptor stays the caller's.
    public static func descriptor(
        _ descriptor: Int32, _ events: DescriptorEvents, _ action: @escaping @BusActor (DescriptorEvents) -> Void
    ) -> LoopSource {
        let source = g_unix_fd_source_new(descriptor, events.condition)
        let callback = Callback { events in
            action(events)
            return true
        }
        cglib_unix_fd_source_set_callback(
            source, { _, condition, data in LoopSource.run(data, DescriptorEvents(condition)) },
            Unmanaged.passRetained(callback).toOpaque(), { @Sendable data in LoopSource.release(data) })
        return LoopSource(source)
    }

    /// Calls `action` in the loop's next turns until it answers false.
    static func idle(_ action: @escaping @BusActor () -> Bool) -> LoopSource {
        let source = g_idle_source_new()
        g_source_set_priority(source, G_PRIORITY_DEFAULT)
        g_source_set_callback(
            source, { data in LoopSource.run(data, []) },
            Unmanaged.passRetained(Callback { _ in action() }).toOpaque(),
            { @Sendable data in LoopSource.release(data) })
        return LoopSource(source)
    }

    private nonisolated static func run(_ data: UnsafeMutableRawPointer?, _ events: DescriptorEvents) -> Int32 {
        guard let data else { return 0 }
        // Kept for the call: the action may cancel its own source.
        let callback = Unmanaged<Callback>.fromOpaque(data).takeUnretainedValue()
        return MainLoop.shared.perform { callback.run(events) ? 1 : 0 }
    }

    // The closures that call this are @Sendable, or they would insist on the loop's thread: see `deinit`.
    private nonisolated static func release(_ data: UnsafeMutableRawPointer?) {
        if let data { Unmanaged<Callback>.fromOpaque(data).release() }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, within what GLib and libdbus take.
    var wholeMilliseconds: UInt32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return UInt32(seconds) * 1000 + UInt32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
