/// What is between a host and its controller, or a controller and its host.
protocol HCITransport: AnyObject {
    /// To wait for packets of the host.
    var descriptor: Int32 { get }
    /// Whether the host has not taken yet what it was given.
    var isWaitingForRoom: Bool { get }
    /// Whether the host, or the way to it, was removed.
    var isOver: Bool { get }

    /// Calls `body` with packets of the host that have arrived, their type first. Some at a time, so that a host that
    /// has much to say does not keep the others waiting.
    func read(_ buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void)
    /// Gives the host a packet, its type first.
    func write(_ packet: UnsafeRawBufferPointer)
    /// Gives the host what it has not taken yet, as far as there is room.
    func writeWaiting()
}
