import BlueZ

/// The number (protocol/service multiplexer) by which an L2CAP channel is opened.
public typealias CBL2CAPPSM = UInt16

/// A stream connection to a peer beside GATT: bytes in both directions, as fast as each reader takes them.
///
/// It is open as long as this object is kept and its streams are not both closed. The streams' delegates are called in
/// the run loops that the streams are scheduled in; that is not needed to read and write, which wait for the peer.
// @unchecked: nothing changes; the streams are the program's to protect, as all of Foundation's.
open class CBL2CAPChannel: NSObject, @unchecked Swift.Sendable {
    /// The other end.
    open var peer: CBPeer! { storedPeer }
    /// What the peer sends; unopened at first. It ends with `endEncountered` when the peer closes the channel, and with
    /// `errorOccurred` when the link is lost.
    open var inputStream: InputStream! { storedInputStream }
    /// What is sent to the peer; unopened at first. A write goes out in pieces (SDUs) of up to 2048 bytes, or of what
    /// the peer takes if that is less; one that fits is one piece.
    open var outputStream: OutputStream! { storedOutputStream }
    /// The channel's number.
    open var psm: CBL2CAPPSM { socket.psm }

    private let storedPeer: CBPeer
    private let storedInputStream: ChannelInputStream
    private let storedOutputStream: ChannelOutputStream
    private let socket: L2CAPSocket

    init(peer: CBPeer, socket: L2CAPSocket) {
        self.socket = socket
        storedPeer = peer
        // Both directions of an L2CAP channel end together: when neither stream is in use.
        let openStreams = Locked(2)
        let closed: @Sendable () -> Void = {
            let isLast = openStreams.withLock { count in
                count -= 1
                return count == 0
            }
            if isLast { socket.close() }
        }
        let receiving = StreamCore(socket, .receiving, onClose: closed)
        storedInputStream = ChannelInputStream(receiving)
        storedOutputStream = ChannelOutputStream(StreamCore(socket, .sending, after: receiving, onClose: closed))
        super.init()
    }

    deinit { socket.close() }

    /// Closes the channel, and returns when the peer has everything that was written, or can no longer get it.
    package func finish() async {
        await withCheckedContinuation { continuation in
            // First: the end of the streams would close it without waiting for the peer.
            socket.close { continuation.resume() }
            storedInputStream.close()
            storedOutputStream.close()
        }
    }

    /// Has the streams' delegates called on a serial queue, for programs whose threads have no run loop.
    package func schedule(on queue: DispatchQueue) {
        storedInputStream.core?.schedule(.queue(queue))
        storedOutputStream.core?.schedule(.queue(queue))
    }
}
