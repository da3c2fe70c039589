import Foundation
package import MainLoop

/// Offers an L2CAP channel on LE at a controller, until it is closed or released.
@LoopActor
package final class L2CAPListener {
    /// The number by which peers open the channel.
    package let psm: UInt16
    private let descriptor: L2CAPDescriptor
    private var source: LoopSource?

    /// How many peers may wait to be accepted, which takes one turn of the loop.
    private static let backlog: Int32 = 16

    /// - Parameters:
    ///   - local: the controller. Its number is the one to offer; if it is 0, the first dynamic one that is free.
    ///   - isEncrypted: whether peers have to pair.
    ///   - onChannel: called with each channel that a peer opens.
    package init(
        at local: L2CAPAddress, isEncrypted: Bool, onChannel: @escaping @LoopActor (L2CAPSocket) -> Void
    ) throws(BlueZError) {
        (descriptor, psm) = try Self.bind(to: local)
        guard !isEncrypted || descriptor.requireEncryption(), listen(descriptor.raw, Self.backlog) == 0 else {
            let error = errno
            Glibc.close(descriptor.raw)
            throw L2CAPDescriptor.failure("publish an L2CAP channel", error)
        }
        source = .descriptor(descriptor.raw, .readable) { [weak self] _ in self?.accept(onChannel) }
    }

    isolated deinit { close() }

    /// Stops offering the channel. Those that are open stay open.
    package func close() {
        guard let source else { return }
        self.source = nil
        source.cancel()
        Glibc.close(descriptor.raw)
    }

    private static func bind(to local: L2CAPAddress) throws(BlueZError) -> (L2CAPDescriptor, UInt16) {
        if local.psm != 0 { return (try L2CAPDescriptor(boundTo: local), local.psm) }
        var last: BlueZError?
        for psm in L2CAPAddress.dynamicPSMs {
            let address = L2CAPAddress(device: local.device, isRandom: local.isRandom, psm: psm)
            do throws(BlueZError) {
                return (try L2CAPDescriptor(boundTo: address), psm)
            } catch {
                // The others would fail in the same way.
                guard case .inProgress = error else { throw error }
                last = error
            }
        }
        throw last ?? .notPermitted("no free PSM for an L2CAP channel")
    }

    private func accept(_ onChannel: @LoopActor (L2CAPSocket) -> Void) {
        while source != nil {
            var raw: Int32 = -1
            let peer = L2CAPAddress.returned { address, length in
                raw = Glibc.accept(descriptor.raw, address, length)
                return raw
            }
            guard raw >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            let isReady = fcntl(raw, F_SETFD, FD_CLOEXEC) == 0 && fcntl(raw, F_SETFL, O_NONBLOCK) == 0
            guard let peer, isReady else {
                Glibc.close(raw)
                continue
            }
            onChannel(L2CAPSocket(L2CAPDescriptor(accepted: raw), peer: peer, psm: psm))
        }
    }
}
