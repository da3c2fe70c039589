import Bluejay
import ResidentCode
import GATTProfiles

extension Session {
    /// Finds the device and connects to it.
    ///
    /// - Parameter timeout: for both together, in seconds.
    @discardableResult
    func connect(_ device: DeviceSelector, timeout: Double) async throws -> PeripheralIdentifier {
        let deadline = ContinuousClock.now + .seconds(timeout)
        let identifier = try await find(device, timeout: timeout)
        let rest = deadline - .now
        let seconds = max(Double(rest.components.seconds) + Double(rest.components.attoseconds) / 1e18, 0.5)
        return try await withCheckedThrowingContinuation { continuation in
            bluejay.connect(identifier, timeout: .seconds(seconds)) { result in
                switch result {
                case .success(let identifier):
                    // Finding and connecting is done.
                    ResidentCode.release()
                    continuation.resume(returning: identifier)
                case .failure(let error):
                    continuation.resume(throwing: Failure(error, attempt: "cannot connect to \(device.text)"))
                }
            }
        }
    }

    /// What identifies the device. Only what is known by name, or may have several identifiers, is looked for here; who
    /// connects to an identifier looks for it anyway.
    func find(_ device: DeviceSelector, timeout: Double) async throws -> PeripheralIdentifier {
        if case .identifiers(let identifiers, let text) = device, identifiers.count == 1 {
            return PeripheralIdentifier(uuid: identifiers[0], name: text)
        }
        return try await withCheckedThrowingContinuation { continuation in
            var found: PeripheralIdentifier?
            bluejay.scan(
                duration: timeout, serviceIdentifiers: nil,
                discovery: { discovery, _ in
                    guard device.matches(discovery) else { return .continue }
                    found = discovery.peripheralIdentifier
                    return .stop
                },
                stopped: { _, error in
                    if let found { return continuation.resume(returning: found) }
                    let failure = error.map { Failure($0, attempt: "cannot look for \(device.text)") }
                    continuation.resume(
                        throwing: failure
                            ?? Failure(.notInTime, "no device \(device.text) was found within \(timeout) s"))
                })
        }
    }

    /// The services with everything in them, as the device has them. Bluejay must be connected.
    func discoverEverything() async throws -> DirectPeripheral {
        let state = bluejay.stopAndExtractBluetoothState()
        guard let peripheral = state.peripheral else {
            startBluejay(peripheral: nil)
            throw Failure(.connectionFailed, "the connection was lost")
        }
        let direct = DirectPeripheral(peripheral, manager: manager)
        defer {
            direct.release()
            startBluejay(peripheral: peripheral)
        }
        try await direct.discoverEverything()
        return direct
    }
}

extension DeviceSelector {
    /// Whether an advertisement comes from the device.
    func matches(_ discovery: ScanDiscovery) -> Bool {
        switch self {
        case .identifiers(let identifiers, _): identifiers.contains(discovery.peripheralIdentifier.uuid)
        case .name(let name):
            discovery.advertisementPacket[CBAdvertisementDataLocalNameKey] as? String == name
                || discovery.peripheralIdentifier.name == name
        }
    }
}
