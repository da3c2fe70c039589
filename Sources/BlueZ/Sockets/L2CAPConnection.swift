import Foundation
package import MainLoop

/// The opening of an L2CAP channel on LE, over the link that is up.
@LoopActor
package final class L2CAPConnection {
    private let descriptor: L2CAPDescriptor
    private let peer: L2CAPAddress
    private let completion: @LoopActor (Result<L2CAPSocket, BlueZError>) -> Void
    private var source: LoopSource?
    private var isOver = false

    /// Begins to open a channel.
    ///
    /// If the peer wants an encrypted one, the kernel pairs. It gives up after 40 s without an answer.
    ///
    /// - Parameters:
    ///   - local: the controller whose link is used.
    ///   - peer: the device, and the channel's number.
    ///   - completion: called once, but not after ``cancel()``.
    package init(
        from local: L2CAPAddress, to peer: L2CAPAddress,
        completion: @escaping @LoopActor (Result<L2CAPSocket, BlueZError>) -> Void
    ) throws(BlueZError) {
        guard L2CAPAddress.psms.contains(peer.psm) else {
            throw .invalidArguments("an L2CAP channel on LE has a PSM of 1 to 255, not \(peer.psm)")
        }
        descriptor = try L2CAPDescriptor(boundTo: local)
        self.peer = peer
        self.completion = completion
        let result: Int32
        do throws(BlueZError) {
            result = try peer.pass { connect(descriptor.raw, $0, $1) }
        } catch {
            Glibc.close(descriptor.raw)
            throw error
        }
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
            let error = errno
            Glibc.close(descriptor.raw)
            throw Self.error(error, peer)
        }
        source = .descriptor(descriptor.raw, [.writable, .hangUp]) { [weak self] _ in self?.decided() }
    }

    isolated deinit { cancel() }

    /// Gives up.
    package func cancel() {
        guard !isOver else { return }
        finish()
        Glibc.close(descriptor.raw)
    }

    private func finish() {
        isOver = true
        source?.cancel()
        source = nil
    }

    private func decided() {
        guard !isOver else { return }
        let error = descriptor.takeError()
        finish()
        // A peer may have closed the channel already, and may have sent something before.
        guard error == 0 || descriptor.isClosedByPeer else {
            Glibc.close(descriptor.raw)
            return completion(.failure(Self.error(error, peer)))
        }
        completion(.success(L2CAPSocket(descriptor, peer: peer, psm: peer.psm)))
    }

    private static func error(_ number: Int32, _ peer: L2CAPAddress) -> BlueZError {
        switch number {
        case ECONNREFUSED:
            .connectionFailed(
                "the device refused an L2CAP channel at PSM \(peer.psm): nothing listens there, it has no free "
                    + "channel, or pairing failed")
        case ETIMEDOUT: .timedOut("an L2CAP channel at PSM \(peer.psm)")
        case ENOTCONN, ECONNRESET, ECONNABORTED, EHOSTDOWN, EHOSTUNREACH, ENETDOWN: .notConnected
        default: L2CAPDescriptor.failure("open an L2CAP channel at PSM \(peer.psm)", number)
        }
    }
}
