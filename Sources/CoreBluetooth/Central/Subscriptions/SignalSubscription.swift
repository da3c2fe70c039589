import BlueZ
import MainLoop

/// A subscription whose values come as signals on the bus (StartNotify). Other programs may have one as well.
@LoopActor
final class SignalSubscription: Subscription {
    let remote: RemoteCharacteristic
    private let characteristic: CBCharacteristic
    private weak var link: PeripheralLink?
    private var early = EarlyValues()
    /// bluetoothd reports the value that a read yields like a notification, just before it answers the read. So while a
    /// read is under way the last value is held back until it is clear which of the two it was.
    private var isReading = false
    private var held: Data?

    init(_ remote: RemoteCharacteristic, _ characteristic: CBCharacteristic, of link: PeripheralLink) {
        self.remote = remote
        self.characteristic = characteristic
        self.link = link
    }

    func start(completion: @escaping Completion<Void>) {
        remote.onValue = { [weak self] in self?.received($0) }
        remote.startNotify(completion: completion)
    }

    func stop(completion: @escaping Completion<Void>) {
        remote.stopNotify(completion: completion)
    }

    func isOn() {
        deliver(early.open())
    }

    func end() {
        remote.onValue = nil
        early = EarlyValues()
        held = nil
    }

    /// bluetoothd (5.66) keeps what StartNotify has asked for, and turns notifications on again by itself while the
    /// next link is set up. What a peripheral sends as soon as they are on would come before anybody listens.
    func linkHasEnded() {
        end()
        remote.stopNotify { _ in }
    }

    func readBegins() {
        isReading = true
    }

    func readEnds(with value: Data?) {
        isReading = false
        guard let held else { return }
        self.held = nil
        if held != value { deliver([held]) }
    }

    private func received(_ value: Data) {
        let values = early.pass([value])
        guard isReading else { return deliver(values) }
        for value in values {
            if let held { deliver([held]) }
            held = value
        }
    }

    private func deliver(_ values: [Data]) {
        if !values.isEmpty { link?.received(values, of: characteristic) }
    }
}
