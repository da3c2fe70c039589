import CGLib

/// Something that the main loop watches: a timer or a file descriptor. It is watched until it is cancelled or released.
@LoopActor
package class LoopSource {
    @LoopActor
    fileprivate final class Callback<Argument: Swift.Sendable> {
        let run: @LoopActor (Argument) -> Bool
        init(_ run: @escaping @LoopActor (Argument) -> Bool) { self.run = run }
    }

    // Destroying a GLib source is safe from any thread, so `deinit` may do it wherever the last reference is released.
    fileprivate nonisolated(unsafe) var source: UnsafeMutablePointer<GSource>?

    fileprivate init(_ source: UnsafeMutablePointer<GSource>?) {
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
    package func cancel() {
        guard let source else { return }
        self.source = nil
        g_source_destroy(source)
        g_source_unref(source)
    }

    /// Calls `action` once after `delay`, or every `delay` when `repeats` is true.
    package static func timer(
        after delay: Duration, repeats: Bool = false, _ action: @escaping @LoopActor () -> Void
    ) -> LoopSource {
        simple(g_timeout_source_new(delay.wholeMilliseconds)) {
            action()
            return repeats
        }
    }

    /// Calls `action` in the loop's next turns until it answers false.
    package static func idle(_ action: @escaping @LoopActor () -> Bool) -> LoopSource {
        let source = g_idle_source_new()
        g_source_set_priority(source, G_PRIORITY_DEFAULT)
        return simple(source, action)
    }

    /// Calls `action` as long as `descriptor` is ready for one of `events`. The descriptor stays the caller's.
    package static func descriptor(
        _ descriptor: Int32, _ events: DescriptorEvents, _ action: @escaping @LoopActor (DescriptorEvents) -> Void
    ) -> DescriptorSource {
        DescriptorSource(descriptor, events, action)
    }

    private static func simple(
        _ source: UnsafeMutablePointer<GSource>?, _ action: @escaping @LoopActor () -> Bool
    ) -> LoopSource {
        g_source_set_callback(
            source, { @Sendable data in LoopSource.run(data, ()) },
            Unmanaged.passRetained(Callback<Void> { action() }).toOpaque(),
            { @Sendable data in LoopSource.release(data, Void.self) })
        return LoopSource(source)
    }

    fileprivate nonisolated static func run<Argument: Swift.Sendable>(
        _ data: UnsafeMutableRawPointer?, _ argument: Argument
    ) -> Int32 {
        guard let data else { return 0 }
        // Kept for the call: the action may cancel its own source.
        let callback = Unmanaged<Callback<Argument>>.fromOpaque(data).takeUnretainedValue()
        return MainLoop.shared.perform { callback.run(argument) ? 1 : 0 }
    }

    // The closures that call this are @Sendable, or they would insist on the loop's thread: see `deinit`.
    fileprivate nonisolated static func release<Argument: Swift.Sendable>(
        _ data: UnsafeMutableRawPointer?, _: Argument.Type
    ) {
        if let data { Unmanaged<Callback<Argument>>.fromOpaque(data).release() }
    }
}

/// A file descriptor that the loop watches, and does not watch while it is paused.
@LoopActor
package final class DescriptorSource: LoopSource {
    fileprivate init(
        _ descriptor: Int32, _ events: DescriptorEvents, _ action: @escaping @LoopActor (DescriptorEvents) -> Void
    ) {
        let callback = Callback<DescriptorEvents> { events in
            action(events)
            return true
        }
        super.init(
            cglib_descriptor_source_new(
                descriptor, events.condition,
                { @Sendable condition, data in LoopSource.run(data, DescriptorEvents(condition)) },
                Unmanaged.passRetained(callback).toOpaque(),
                { @Sendable data in LoopSource.release(data, DescriptorEvents.self) }))
    }

    /// Does not watch the descriptor until ``resume()``, not even for its end. What is there to be read stays there.
    package func pause() {
        if let source { cglib_descriptor_source_pause(source) }
    }

    /// Watches again after ``pause()``.
    package func resume() {
        if let source { cglib_descriptor_source_resume(source) }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, within what GLib and libdbus take.
    package var wholeMilliseconds: UInt32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return UInt32(seconds) * 1000 + UInt32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
