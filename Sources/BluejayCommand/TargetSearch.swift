import Bluejay
import Foundation

/// A search for a device to connect to.
///
/// What cannot be connected to may have the name of what can: Linux gives such an advertisement the adapter's name and
/// a non-resolvable private address. A device with such an address is taken only if no other one is found soon.
@MainActor
final class TargetSearch {
    /// Longer than any usual advertising interval.
    private static let timeout: Duration = .seconds(3)

    private let bluejay: Bluejay
    private var found: ScanDiscovery?
    private var secondChoice: ScanDiscovery?
    private var isOver = false

    init(_ bluejay: Bluejay) { self.bluejay = bluejay }

    /// - Parameters:
    ///   - duration: how long it may take, in seconds; 0 for no limit.
    ///   - gathering: how long what the device advertises is gathered once it is found, in seconds: the response to a
    ///     scan comes by itself.
    ///   - isWanted: whether an advertisement is of the device.
    ///   - ended: called once with the device's last advertisement, or with nil and why the scan has failed, if it has.
    func start(
        duration: Double, gathering: Double = 0, serviceIdentifiers: [ServiceIdentifier]? = nil,
        isWanted: @escaping (ScanDiscovery) -> Bool,
        ended: @escaping (ScanDiscovery?, (any Error)?) -> Void
    ) {
        bluejay.scan(
            duration: duration, allowDuplicates: gathering > 0, throttleRSSIDelta: gathering > 0 ? 0 : 5,
            serviceIdentifiers: serviceIdentifiers,
            discovery: { discovery, _ in
                guard isWanted(discovery) else { return .continue }
                if discovery.peripheralIdentifier.hasNonResolvableAddress {
                    self.keep(discovery)
                    return .continue
                }
                if let found = self.found {
                    if found.peripheralIdentifier == discovery.peripheralIdentifier { self.found = discovery }
                    return .continue
                }
                self.found = discovery
                guard gathering > 0 else { return .stop }
                self.stop(after: gathering)
                return .continue
            },
            stopped: { _, error in
                self.isOver = true
                ended(self.found ?? (error == nil ? self.secondChoice : nil), error)
            })
    }

    private func keep(_ discovery: ScanDiscovery) {
        if secondChoice == nil { stop(after: Self.timeout.inSeconds) }
        secondChoice = discovery
    }

    private func stop(after seconds: Double) {
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
            MainActor.assumeIsolated {
                if !self.isOver { self.bluejay.stopScanning() }
            }
        }
    }
}

extension PeripheralIdentifier {
    /// Core Specification, Vol 6, Part B, 1.3.2.2: the two most significant bits are 0.
    var hasNonResolvableAddress: Bool {
        guard let address = CBPeer.bluetoothAddress(forIdentifier: uuid),
            CBPeer.identifier(forBluetoothAddress: address, isRandom: true) == uuid,
            let digit = address.first?.hexDigitValue
        else { return false }
        return digit < 4
    }
}
