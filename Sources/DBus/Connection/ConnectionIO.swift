import CDBus
import MainLoop

/// Drives one libdbus connection from the GLib loop: its watches, its timeouts and the dispatching of what arrived.
@LoopActor
final class ConnectionIO {
    /// Messages that are dispatched in one turn of the loop, so that many messages do not starve everything else.
    private static let messagesPerTurn = 64

    private let connection: OpaquePointer
    private var watches: [OpaquePointer: DescriptorSource] = [:]
    /// Those that libdbus has enabled or disabled in this turn of the loop.
    private var changedWatches: Set<OpaquePointer> = []
    private var timeouts: [OpaquePointer: LoopSource] = [:]
    private var dispatchSource: LoopSource?
    /// Whether `dispatch` is under way, or will be before this turn of the loop ends.
    private var isDispatching = false
    private var isStopped = false

    init(_ connection: OpaquePointer) {
        self.connection = connection
        let context = Unmanaged.passUnretained(self).toOpaque()
        dbus_connection_set_watch_functions(
            connection,
            { watch, data in
                ConnectionIO.with(data) { $0.update(watch: watch) }
                return 1
            }, { watch, data in ConnectionIO.with(data) { $0.remove(watch: watch) } },
            { watch, data in ConnectionIO.with(data) { $0.update(watch: watch) } }, context, nil)
        dbus_connection_set_timeout_functions(
            connection,
            { timeout, data in
                ConnectionIO.with(data) { $0.update(timeout: timeout) }
                return 1
            }, { timeout, data in ConnectionIO.with(data) { $0.remove(timeout: timeout) } },
            { timeout, data in ConnectionIO.with(data) { $0.update(timeout: timeout) } }, context, nil)
        dbus_connection_set_dispatch_status_function(
            connection,
            // @Sendable, or Swift would check for each message that this is the loop; `with` does when it matters.
            { @Sendable _, status, data in
                if status == DBUS_DISPATCH_DATA_REMAINS { ConnectionIO.with(data) { $0.scheduleDispatch() } }
            }, context, nil)
        if dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS { scheduleDispatch() }
    }

    /// Gives up the connection. To be called before this object is released.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
        dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
        watches = [:]
        changedWatches = []
        timeouts = [:]
        dispatchSource = nil
    }

    private nonisolated static func with(_ data: UnsafeMutableRawPointer?, _ body: @LoopActor (ConnectionIO) -> Void) {
        guard let data else { return }
        let io = Unmanaged<ConnectionIO>.fromOpaque(data).takeUnretainedValue()
        LoopActor.assumeIsolated { body(io) }
    }

    // MARK: Watches

    private func update(watch: OpaquePointer?) {
        guard let watch else { return }
        changedWatches.insert(watch)
        guard changedWatches.count == 1 else { return }
        // libdbus enables the watch for writing for every message that it sends, and disables it at once when all has
        // been written. Each would change what the loop polls, and so wake it up.
        MainLoop.shared.async { [weak self] in self?.applyChangedWatches() }
    }

    private func applyChangedWatches() {
        let changed = changedWatches
        changedWatches = []
        guard !isStopped else { return }
        for watch in changed {
            let isEnabled = dbus_watch_get_enabled(watch) != 0
            if let source = watches[watch] {
                if isEnabled { source.resume() } else { source.pause() }
            } else if isEnabled {
                watches[watch] = source(for: watch)
            }
        }
    }

    private func source(for watch: OpaquePointer) -> DescriptorSource {
        let flags = dbus_watch_get_flags(watch)
        var events: DescriptorEvents = .hangUp
        if flags & DBUS_WATCH_READABLE.rawValue != 0 { events.insert(.readable) }
        if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { events.insert(.writable) }
        return .descriptor(dbus_watch_get_unix_fd(watch), events) { [weak self] ready in self?.ready(watch, ready) }
    }

    private func remove(watch: OpaquePointer?) {
        guard let watch else { return }
        changedWatches.remove(watch)
        watches.removeValue(forKey: watch)?.cancel()
    }

    private func ready(_ watch: OpaquePointer, _ events: DescriptorEvents) {
        var flags: UInt32 = 0
        if events.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
        if events.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if events.contains(.hangUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
        let wasDispatching = isDispatching
        isDispatching = true
        _ = dbus_watch_handle(watch, flags)
        isDispatching = wasDispatching
        dispatch()
    }

    // MARK: Timeouts

    private func update(timeout: OpaquePointer?) {
        guard let timeout else { return }
        remove(timeout: timeout)
        guard dbus_timeout_get_enabled(timeout) != 0 else { return }
        let interval = Duration.milliseconds(Int(dbus_timeout_get_interval(timeout)))
        timeouts[timeout] = .timer(after: interval, repeats: true) { [weak self] in
            _ = dbus_timeout_handle(timeout)
            self?.scheduleDispatch()
        }
    }

    private func remove(timeout: OpaquePointer?) {
        guard let timeout else { return }
        timeouts.removeValue(forKey: timeout)?.cancel()
    }

    // MARK: Dispatching

    private func dispatch() {
        guard !isDispatching, !isStopped else { return }
        isDispatching = true
        // A handler may release the connection.
        dbus_connection_ref(connection)
        defer {
            isDispatching = false
            dbus_connection_unref(connection)
        }
        for _ in 0..<Self.messagesPerTurn {
            guard dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS, !isStopped else { return }
        }
        dispatchInNextTurn()
    }

    /// libdbus says that there is something to dispatch. It says so for every message.
    private func scheduleDispatch() {
        if !isDispatching { dispatchInNextTurn() }
    }

    private func dispatchInNextTurn() {
        guard dispatchSource == nil, !isStopped else { return }
        dispatchSource = .idle { [weak self] in
            guard let self else { return false }
            dispatchSource = nil
            dispatch()
            return false
        }
    }
}
