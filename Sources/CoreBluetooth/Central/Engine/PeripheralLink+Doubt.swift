import BlueZ
import MainLoop

/// Telling what the device has answered from what bluetoothd says when the device has not.
///
/// When the link ends, or 30 seconds have passed without an answer, bluetoothd completes the open request with the ATT
/// error 0, which means success on its way to the bus: a read has an empty value then, and a write and a subscription
/// succeed (`disc_att_send_op` in src/shared/att.c, `process_error` in src/shared/gatt-client.c and
/// `async_dbus_op_reply` in src/gatt-client.c, 5.66); other ways end with 0x0E or "Operation failed". After the 30
/// seconds it ends the link, some seconds later.
extension PeripheralLink {
    /// What bluetoothd gives an ATT request (`ATT_TIMEOUT_INTERVAL`), with some allowance for timers.
    private static let attTimeout: Duration = .milliseconds(29_500)
    /// An answer that took longer may be the end of the link.
    private static let promptness: Duration = .seconds(1)

    /// Before an answer that may be none is passed on, makes sure that the link is there. If it is not, the app learns
    /// only that; or that pairing has failed.
    func doubting<T: Swift.Sendable>(
        _ completion: @escaping @LoopActor (Result<T, any Error>) -> Void
    ) -> @LoopActor (Result<T, any Error>) -> Void {
        let start = ContinuousClock.now
        let wasPaired = device?.isPaired
        let completion = watchingPairing(completion)
        return { [weak self] result in
            guard let self, phase == .connected, let device, Self.isDoubtful(result, after: .now - start) else {
                return completion(result)
            }
            Task { [weak self] in
                let isConnected = await device.fetchIsConnected()
                guard let self, phase == .connected, isConnected else {
                    return completion(.failure(BlueZError.noAnswer))
                }
                // Pairing may have taken the time.
                let isLate = ContinuousClock.now - start >= Self.attTimeout && device.isPaired == wasPaired
                if case .success = result, isLate { return completion(.failure(BlueZError.noAnswer)) }
                completion(result)
            }
        }
    }

    private static func isDoubtful<T>(_ result: Result<T, any Error>, after time: Duration) -> Bool {
        switch result {
        case .success(let value as Data): value.isEmpty
        case .success: time > promptness
        case .failure(BlueZError.att(ATT.unlikelyError)), .failure(BlueZError.noAnswer): true
        // The attributes of a device that is not paired are removed with its link, and before that is reported.
        case .failure(BlueZError.gone): true
        case .failure: false
        }
    }
}
