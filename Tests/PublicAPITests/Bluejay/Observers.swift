import Bluejay
import Foundation

private func registration() {
    let _: (Bluejay) -> (any ConnectionObserver) -> Void = Bluejay.register(connectionObserver:)
    let _: (Bluejay) -> (any ConnectionObserver) -> Void = Bluejay.unregister(connectionObserver:)
    let _: (Bluejay) -> (any RSSIObserver) -> Void = Bluejay.register(rssiObserver:)
    let _: (Bluejay) -> (any RSSIObserver) -> Void = Bluejay.unregister(rssiObserver:)
    let _: (Bluejay) -> (any ServiceObserver) -> Void = Bluejay.register(serviceObserver:)
    let _: (Bluejay) -> (any ServiceObserver) -> Void = Bluejay.unregister(serviceObserver:)
    let _: (Bluejay) -> (any LogObserver) -> Void = Bluejay.register(logObserver:)
    let _: (Bluejay) -> (any LogObserver) -> Void = Bluejay.unregister(logObserver:)
    let _: (Bluejay) -> (any DisconnectHandler) -> Void = Bluejay.registerDisconnectHandler(handler:)
    let _: (Bluejay) -> () -> Void = Bluejay.unregisterDisconnectHandler
}

private func methods(
    _ connection: any ConnectionObserver, _ rssi: any RSSIObserver, _ service: any ServiceObserver,
    _ log: any LogObserver, _ handler: any DisconnectHandler
) {
    // All are held weakly, so all are classes.
    let _: [AnyObject] = [connection, rssi, service, log, handler]
    let _: (Bool) -> Void = connection.bluetoothAvailable
    let _: (PeripheralIdentifier) -> Void = connection.connected(to:)
    let _: (PeripheralIdentifier) -> Void = connection.disconnected(from:)
    let _: (PeripheralIdentifier, NSNumber, (any Error)?) -> Void = rssi.didReadRSSI(from:RSSI:error:)
    let _: (PeripheralIdentifier, [ServiceIdentifier]) -> Void = service.didModifyServices(from:invalidatedServices:)
    let _: (String) -> Void = log.debug
    let _: (PeripheralIdentifier, (any Error)?, Bool) -> AutoReconnectMode =
        handler.didDisconnect(from:with:willReconnect:)
}

/// All methods of the protocol are optional.
private final class NothingRequired: ConnectionObserver {}

private func answers(_ mode: AutoReconnectMode) {
    switch mode {
    case .noChange: break
    case .change(let shouldAutoReconnect):
        let _: Bool = shouldAutoReconnect
    }
    let _: AutoReconnectMode = .change(shouldAutoReconnect: true)
    let _: any Swift.Sendable = mode
}
