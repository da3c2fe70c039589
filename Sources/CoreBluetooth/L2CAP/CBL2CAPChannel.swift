/// The number (protocol/service multiplexer) by which an L2CAP channel is opened.
public typealias CBL2CAPPSM = UInt16

/// A stream connection to a peer beside GATT. Not available on Linux yet: opening or publishing one is answered with
/// `CBError.operationNotSupported`.
// @unchecked: the state of a channel is only touched on its manager's queue.
open class CBL2CAPChannel: NSObject, @unchecked Swift.Sendable {
    /// The other end.
    open internal(set) var peer: CBPeer!
    /// What the peer sends; unopened at first.
    open internal(set) var inputStream: InputStream!
    /// What is sent to the peer; unopened at first.
    open internal(set) var outputStream: OutputStream!
    /// The channel's number.
    open internal(set) var psm: CBL2CAPPSM

    init(peer: CBPeer, inputStream: InputStream, outputStream: OutputStream, psm: CBL2CAPPSM) {
        self.peer = peer
        self.inputStream = inputStream
        self.outputStream = outputStream
        self.psm = psm
        super.init()
    }
}
