import BlueZ

/// What the peer of an L2CAP channel sends.
final class ChannelInputStream: InputStream {
    let core: StreamCore?

    init(_ core: StreamCore) {
        self.core = core
        super.init(data: Data())
        core.attach(self)
    }

    /// Reads what has come, and waits if that is nothing.
    ///
    /// - Returns: how many bytes; 0 when the peer has closed the channel, -1 after an error or while it is not open.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        guard let core, length >= 0 else { return -1 }
        let target = UnsafeMutableRawBufferPointer(start: buffer, count: length)
        while true {
            switch core.status {
            case .open: break
            case .atEnd: return 0
            default: return -1
            }
            guard length > 0 else { return 0 }
            switch core.socket.receive(into: target) {
            case .bytes(let count):
                core.wasUsed()
                return count
            case .nothing: core.socket.waitUntilReady(for: .receiving)
            case .end(let end): core.end(end)
            }
        }
    }

    override var hasBytesAvailable: Bool { core?.isReady ?? false }

    /// There is none that would be valid until the next call.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override func open() { core?.open() }
    override func close() { core?.close() }
    override var streamStatus: Status { core?.status ?? .closed }
    override var streamError: (any Error)? { core?.error }
    override var delegate: (any StreamDelegate)? {
        get { core?.delegate }
        set { core?.delegate = newValue }
    }
    override func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) { core?.schedule(.runLoop(loop, mode)) }
    override func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) { core?.unschedule(loop, mode) }
    override func property(forKey key: PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: PropertyKey) -> Bool { false }
}

/// What is sent to the peer of an L2CAP channel.
final class ChannelOutputStream: OutputStream {
    let core: StreamCore?

    init(_ core: StreamCore) {
        self.core = core
        super.init(toMemory: ())
        core.attach(self)
    }

    /// Foundation requires it. Such a stream is closed.
    required init(toMemory: ()) {
        core = nil
        super.init(toMemory: ())
    }

    /// Writes as much as there is room for, and waits if that is nothing.
    ///
    /// - Returns: how many bytes; -1 after the end, after an error or while it is not open.
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        guard let core, length >= 0 else { return -1 }
        let source = UnsafeRawBufferPointer(start: buffer, count: length)
        var written = 0
        while true {
            guard core.status == .open else {
                core.failAfterEnd()
                return written > 0 ? written : -1
            }
            guard written < length else { break }
            switch core.socket.send(UnsafeRawBufferPointer(rebasing: source[written...])) {
            case .bytes(let count): written += count
            case .noRoom where written > 0:
                core.wasUsed()
                return written
            case .noRoom: core.socket.waitUntilReady(for: .sending)
            case .end(let end): core.end(end)
            }
        }
        core.wasUsed()
        return written
    }

    override var hasSpaceAvailable: Bool { core?.isReady ?? false }

    override func open() { core?.open() }
    override func close() { core?.close() }
    override var streamStatus: Status { core?.status ?? .closed }
    override var streamError: (any Error)? { core?.error }
    override var delegate: (any StreamDelegate)? {
        get { core?.delegate }
        set { core?.delegate = newValue }
    }
    override func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) { core?.schedule(.runLoop(loop, mode)) }
    override func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) { core?.unschedule(loop, mode) }
    override func property(forKey key: PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: PropertyKey) -> Bool { false }
}
