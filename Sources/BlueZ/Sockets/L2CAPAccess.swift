import MainLoop

/// How L2CAP channels are opened and offered: by the kernel's sockets.
package struct L2CAPAccess: Swift.Sendable {
    package typealias Connect =
        @LoopActor @Sendable (
            _ local: L2CAPAddress, _ peer: L2CAPAddress,
            _ completion: @escaping @LoopActor (Result<L2CAPSocket, BlueZError>) -> Void
        ) throws(BlueZError) -> AnyObject
    package typealias Listen =
        @LoopActor @Sendable (
            _ local: L2CAPAddress, _ isEncrypted: Bool, _ onChannel: @escaping @LoopActor (L2CAPSocket) -> Void
        ) throws(BlueZError) -> (psm: UInt16, offer: AnyObject)

    /// Opens a channel. The release of what it returns gives that up.
    package var connect: Connect = { (local, peer, completion) throws(BlueZError) in
        try L2CAPConnection(from: local, to: peer, completion: completion)
    }
    /// Offers a channel until what it returns is released.
    package var listen: Listen = { (local, isEncrypted, onChannel) throws(BlueZError) in
        let listener = try L2CAPListener(at: local, isEncrypted: isEncrypted, onChannel: onChannel)
        return (listener.psm, listener)
    }
}
