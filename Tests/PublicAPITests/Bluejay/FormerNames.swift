import Bluejay
import Foundation

// The names of version 0.7, which the README of the original still has.

@available(*, deprecated, message: "uses what is deprecated")
private func instance() {
    let _: (Bluejay) -> (StartMode, (any ConnectionObserver)?, (any DisconnectHandler)?) -> Void =
        Bluejay.start(mode:connectionObserver:disconnectHandler:)
    let _: (Bluejay) -> (any ConnectionObserver) -> Void = Bluejay.register(observer:)
    let _: (Bluejay) -> (any ConnectionObserver) -> Void = Bluejay.unregister(observer:)
    let _: StartOptions = .bluejayDefault
}

@available(*, deprecated, message: "uses what is deprecated")
private func requests() {
    let _: (Bluejay) -> (CharacteristicIdentifier, @escaping (ReadResult<UInt8>) -> Void) -> Void =
        Bluejay.restoreListen(to:completion:)
    let _: (Bluejay) -> () -> Void = Bluejay.clearListenCaches
    let _: (ScanDiscovery, @escaping (ConnectionResult) -> Void) -> ScanAction = ScanAction.connect
    let _: (SynchronizedPeripheral) -> (CharacteristicIdentifier, Int, @escaping () -> Void) throws -> Void =
        SynchronizedPeripheral.flushListen(to:idleWindow:completion:)
}

@available(*, deprecated, message: "uses what is deprecated")
private func identifiers() {
    let _: (UUID) -> PeripheralIdentifier = PeripheralIdentifier.init(uuid:)
    let _: KeyPath<PeripheralIdentifier, String> = \.string
}
