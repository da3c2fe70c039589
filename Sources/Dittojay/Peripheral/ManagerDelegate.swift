import CoreBluetooth

/// Passes each report of a peripheral's manager to the part that handles it.
final class ManagerDelegate: NSObject, CBPeripheralManagerDelegate {
    private let stateChanged: (CBManagerState) -> Void
    private let becameReady: () -> Void
    private let services: SimulatedServices
    private let publication: ServicePublication
    private let requests: RequestHandler
    private let commands: CommandHandler
    private let replay: Replay?
    private let channels: SimulatedChannels

    /// - Parameters:
    ///   - stateChanged: called with each state of Bluetooth.
    ///   - becameReady: called when the peripheral advertises, or has failed to.
    init(
        services: SimulatedServices, publication: ServicePublication, requests: RequestHandler,
        commands: CommandHandler, replay: Replay?, channels: SimulatedChannels,
        stateChanged: @escaping (CBManagerState) -> Void, becameReady: @escaping () -> Void
    ) {
        self.services = services
        self.publication = publication
        self.requests = requests
        self.commands = commands
        self.replay = replay
        self.channels = channels
        self.stateChanged = stateChanged
        self.becameReady = becameReady
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        stateChanged(peripheral.state)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        publication.published(service, error: error)
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        publication.advertisingStarted(error: error)
        becameReady()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        requests.subscribed(central, to: characteristic)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        requests.unsubscribed(central, from: characteristic)
        commands.resumeBurst()
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        requests.read(request)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite all: [CBATTRequest]) {
        requests.write(all)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        channels.published(PSM, error: error)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {
        if let channel { channels.opened(channel) }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        services.sendWaiting()
        replay?.resume()
        commands.resumeBurst()
    }
}
