package import CoreBluetooth
import Foundation

/// The Bluetooth part of the agent. Used on the agent's queue only, and calls back there.
package protocol AgentBackend: AnyObject {
    /// Gets reports of what happens.
    var observer: (any AgentBackendObserver)? { get set }

    /// Connects to a peripheral, or takes up its connection, and keeps it until ``release(_:disconnecting:)``. Called
    /// again, it reports again that the peripheral is connected, if it is.
    func keep(_ request: PeripheralRequest)

    /// Keeps the peripheral no longer.
    ///
    /// - Parameter disconnecting: whether to end the link, too.
    func release(_ peripheral: UUID, disconnecting: Bool)

    /// Scans for the services of all these scans, and for nothing if there are none.
    func scan(_ scans: [ScanRecord])

    /// Turns notifications on, as soon as the peripheral is connected.
    ///
    /// - Parameter completion: called once, with where the characteristic really is.
    func subscribe(
        _ peripheral: UUID, _ key: CharacteristicKey, usesSocket: Bool?,
        completion: @escaping (Result<CharacteristicKey, AgentFailure>) -> Void)

    /// Turns notifications off.
    func unsubscribe(
        _ peripheral: UUID, _ key: CharacteristicKey, completion: @escaping (Result<Void, AgentFailure>) -> Void)
}

/// What the Bluetooth part reports to the agent about the peripherals that it keeps.
package protocol AgentBackendObserver: AnyObject {
    /// The peripheral is connected and its services are known.
    func connected(_ peripheral: UUID)
    /// The link was lost.
    ///
    /// - Parameter isComing: whether the backend connects again by itself.
    func disconnected(_ peripheral: UUID, isComing: Bool)
    /// A device was found that advertises these services, by a controller.
    func discovered(_ services: Set<String>, on adapter: String)
    /// Bluetooth is off or bluetoothd has ended: no link is up, and the backend makes all of them again.
    func bluetoothIsGone()
    /// A value was notified.
    func received(_ value: Data, from peripheral: UUID, path: String)
    /// Services were removed or added.
    ///
    /// - Parameters:
    ///   - invalidated: the UUIDs of those that were removed.
    ///   - paths: the ends of their object paths, `service0010`.
    func servicesChanged(_ peripheral: UUID, invalidated: [String], paths: [String])
}
