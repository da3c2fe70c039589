import BlueZ
import MainLoop

/// Opening L2CAP channels. They do not wait for requests to the GATT server, nor these for them.
extension PeripheralLink {
    func openL2CAPChannel(_ psm: CBL2CAPPSM, _ completion: RequestCompletion<CBL2CAPChannel>) {
        let notConnected = BlueZError.notConnected
        guard phase == .connected, let device, let adapter = device.adapter else {
            return answer(completion, .failure(notConnected))
        }
        // The kernel would connect again.
        if device.kernelLink == .absent { return answer(completion, .failure(notConnected)) }
        let local = L2CAPAddress(device: adapter.address, isRandom: adapter.addressType == "random")
        let remote = L2CAPAddress(device: device.address, isRandom: device.addressType == "random", psm: psm)
        lastOpening += 1
        let number = lastOpening
        do throws(BlueZError) {
            channelOpenings[number] = try session.l2cap.connect(local, remote) { [weak self] result in
                guard let self, channelOpenings.removeValue(forKey: number) != nil else { return }
                answer(
                    completion, result.map { CBL2CAPChannel(peer: peripheral, socket: $0) }.mapError { $0 as any Error }
                )
            }
        } catch {
            answer(completion, .failure(error))
        }
    }
}
