import BlueZ
import MainLoop

/// A subscription whose values come from a socket of its own, past the bus (AcquireNotify). No other program can have
/// one meanwhile, and what the socket does not take is lost.
@LoopActor
final class SocketSubscription: Subscription {
    let remote: RemoteCharacteristic
    let characteristic: CBCharacteristic
    private weak var link: PeripheralLink?
    private var early = EarlyValues()
    private var socket: PacketSocket?
    /// Reports what the socket has lost, not more often than the app can use it.
    private let losses: LossReports

    init(_ remote: RemoteCharacteristic, _ characteristic: CBCharacteristic, of link: PeripheralLink) {
        self.remote = remote
        self.characteristic = characteristic
        self.link = link
        losses = LossReports { [weak link] in link?.lost($0, of: characteristic) }
    }

    /// Whether the result of ``start(completion:)`` says that there is no socket to be had, but signals may be: another
    /// program has turned notifications on already, or this bluetoothd has no sockets.
    static func isUnavailable(after result: Result<Void, any Error>) -> Bool {
        switch result {
        case .failure(BlueZError.acquired), .failure(BlueZError.notSupported), .failure(BlueZError.att(0x06)): true
        default: false
        }
    }

    func start(completion: @escaping Completion<Void>) {
        remote.acquireNotify { [weak self] result in
            completion(result.flatMap { socket in Result { try self?.listen(to: socket) } })
        }
    }

    private func listen(to socket: PacketSocket) throws(BlueZError) {
        try socket.receive({ [weak self] in self?.received($0) }, onLoss: { [weak self] in self?.losses.add($0) })
        self.socket = socket
    }

    func stop(completion: @escaping Completion<Void>) {
        // Closing it is what turns notifications off.
        socket?.close()
        socket = nil
        losses.end()
        MainLoop.shared.async { completion(.success(())) }
    }

    func isOn() {
        deliver(early.open())
    }

    func end() {
        // The bus may be quicker to report the end of the connection than the socket to hand on its last values.
        socket?.finish()
        socket = nil
        losses.end()
        early = EarlyValues()
    }

    private func received(_ values: [Data]) {
        deliver(early.pass(values))
    }

    private func deliver(_ values: [Data]) {
        if !values.isEmpty { link?.received(values, of: characteristic) }
    }
}
