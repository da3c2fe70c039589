import BlueZ
import MainLoop

/// Opening L2CAP channels. They do not wait for requests to the GATT server, nor these for them.
extension PeripheralLink {
    func openL2CAPChannel(_ psm: CBL2CAPPSM) {
        guard phase == .connected, let device, let adapter = device.adapter else { return }
        // The kernel would connect again.
        if device.kernelLink == .absent { return channelIsDecided(.failure(.notConnected)) }
        let local = L2CAPAddress(device: adapter.address, isRandom: adapter.addressType == "random")
        let remote = L2CAPAddress(device: device.address, isRandom: device.addressType == "random", psm: psm)
        lastOpening += 1
        let number = lastOpening
        do throws(BlueZError) {
            channelOpenings[number] = try session.l2cap.connect(local, remote) { [weak self] result in
                guard let self, channelOpenings.removeValue(forKey: number) != nil else { return }
                channelIsDecided(result)
            }
        } catch {
            channelIsDecided(.failure(error))
        }
    }

    private func channelIsDecided(_ result: Result<L2CAPSocket, BlueZError>) {
        post { peripheral in
            switch result {
            case .success(let socket):
                let channel = CBL2CAPChannel(peer: peripheral, socket: socket)
                peripheral.delegate?.peripheral(peripheral, didOpen: channel, error: nil)
            case .failure(let error):
                peripheral.delegate?.peripheral(peripheral, didOpen: nil, error: coreBluetoothError(error))
            }
        }
    }
}
