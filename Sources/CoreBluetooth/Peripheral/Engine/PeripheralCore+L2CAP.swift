import BlueZ
import MainLoop

/// Offering L2CAP channels.
extension PeripheralCore {
    /// - Parameter psm: nil for the first that is free.
    func publishL2CAPChannel(_ psm: CBL2CAPPSM?, encrypted: Bool, in call: CallEpochs.Call) {
        guard isCurrent(call), let adapter else { return answerPublish(0, CBError(.operationCancelled)) }
        let local = L2CAPAddress(
            device: adapter.address, isRandom: adapter.addressType == "random", psm: psm ?? 0)
        do {
            let (psm, offer) = try session.l2cap.listen(local, encrypted) { [weak self] in self?.opened($0) }
            channelOffers[psm] = offer
            answerPublish(psm, nil)
        } catch {
            answerPublish(psm ?? 0, CBError(peripheralRole: error))
        }
    }

    private func answerPublish(_ psm: CBL2CAPPSM, _ error: CBError?) {
        deliver { $0.delegate?.peripheralManager($0, didPublishL2CAPChannel: psm, error: error) }
    }

    func unpublishL2CAPChannel(_ psm: CBL2CAPPSM) {
        let wasOffered = channelOffers.removeValue(forKey: psm) != nil
        let text = "No L2CAP channel is published at PSM \(psm)."
        let error = wasOffered ? nil : CBError(.invalidParameters, userInfo: [NSLocalizedDescriptionKey: text])
        deliver { $0.delegate?.peripheralManager($0, didUnpublishL2CAPChannel: psm, error: error) }
    }

    private func opened(_ socket: L2CAPSocket) {
        let peer = socket.peer
        let device = adapter?.devices.first { device in
            device.address.caseInsensitiveCompare(peer.device) == .orderedSame
        }
        let identifier = PeerIdentifier(addressText: peer.device, isRandom: peer.isRandom)?.uuid ?? UUID()
        let central = device.map { self.central(at: $0.path, mtu: nil).central } ?? CBCentral(identifier: identifier)
        deliver { manager in
            let channel = CBL2CAPChannel(peer: central, socket: socket)
            manager.delegate?.peripheralManager(manager, didOpen: channel, error: nil)
        }
    }
}
