/// The number (protocol/service multiplexer) by which an L2CAP channel is opened.
public typealias CBL2CAPPSM = UInt16

/// A stream connection to a peer beside GATT. Not available on Linux yet: opening or publishing one is answered with
/// `CBError.operationNotSupported`.
// @unchecked: nothing changes; the streams are the program's to protect, as all of Foundation's.
open class CBL2CAPChannel: NSObject, @unchecked Swift.Sendable {
    /// The other end.
    open var peer: CBPeer! { storedPeer }
    /// What the peer sends; unopened at first.
    open var inputStream: InputStream! { storedInputStream }
    /// What is sent to the peer; unopened at first.
    open var outputStream: OutputStream! { storedOutputStream }
    /// The channel's number.
    open var psm: CBL2CAPPSM { storedPSM }

    private let storedPeer: CBPeer
    private let storedInputStream: InputStream
    private let storedOutputStream: OutputStream
    private let storedPSM: CBL2CAPPSM

    init(peer: CBPeer, inputStream: InputStream, outputStream: OutputStream, psm: CBL2CAPPSM) {
        storedPeer = peer
        storedInputStream = inputStream
        storedOutputStream = outputStream
        storedPSM = psm
        super.init()
    }
}
