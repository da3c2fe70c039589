import BlueZ
import Bluejay
import Foundation
import GATTProfiles
import MainLoop

extension CommandContext {
    /// How often the connection is made at most when it is lost before everything is discovered.
    private static let maximumConnections = 3

    /// Finds the device, connects to it and discovers everything that it has.
    ///
    /// A link that is lost meanwhile is made again: it may be one that another program has asked to end, or is at the
    /// edge of its range.
    ///
    /// - Parameter answerTimeout: how long the device may take to answer a request after that, in seconds.
    func open(_ target: DeviceOptions, answerTimeout: Double) async throws -> DirectPeripheral {
        try await open(target.selector, target.device, limit: target.connectTimeout, answerTimeout: answerTimeout)
    }

    /// The same for a device that has been found already, or is known in another way.
    ///
    /// - Parameters:
    ///   - device: the device as the user has named it.
    ///   - limit: how long it may take to find and connect to it, and to discover what it has, in seconds.
    func open(
        _ selector: DeviceSelector, _ device: String, limit: Double, answerTimeout: Double
    ) async throws -> DirectPeripheral {
        let deadline = ContinuousClock.now + .seconds(limit)
        var connections = 1
        while true {
            do {
                try await connect(selector, until: deadline, limit: limit)
                let direct = try takeOver(device)
                direct.answerTimeout = answerTimeout
                try await direct.discoverEverything(until: deadline, limit: limit)
                return direct
            } catch let failure as Failure
                where failure.isLossOfLink && connections < Self.maximumConnections && .now < deadline
            {
                connections += 1
                handBack()
            }
        }
    }

    /// Opens the device and asks it for something.
    ///
    /// bluetoothd (5.66) may lose the request that has made the devices pair. `request` is made once more then, over
    /// another link, which is encrypted from the start.
    func ask<Answer>(
        _ target: DeviceOptions, answerTimeout: Double, _ request: (DirectPeripheral) async throws -> Answer
    ) async throws -> Answer {
        let direct = try await open(target, answerTimeout: answerTimeout)
        do {
            return try await request(direct)
        } catch let silence as Failure where silence.isUnansweredSincePairing {
            guard await direct.hasEnded() else { throw silence }
            handBack()
            do {
                return try await request(open(target, answerTimeout: answerTimeout))
            } catch let failure as Failure where failure.endsEverything {
                throw silence  // It says more.
            }
        }
    }

    /// Finds the device and connects to it.
    ///
    /// - Parameter limit: the time in seconds that ends at `deadline`, for messages.
    @discardableResult
    func connect(
        _ device: DeviceSelector, until deadline: ContinuousClock.Instant, limit: Double
    ) async throws -> PeripheralIdentifier {
        let identifier = try await find(device, timeout: limit)
        let seconds = max((deadline - .now).inSeconds, 0.1)
        return try await withCheckedThrowingContinuation { continuation in
            bluejay.connect(identifier, timeout: .seconds(seconds)) { result in
                let attempt = "cannot connect to \(device.text)"
                switch result {
                case .success(let identifier):
                    continuation.resume(returning: identifier)
                case .failure(BluejayError.connectionTimedOut):
                    let reason = "it was not connected within \(inSeconds(limit)) (--connect-timeout)"
                    continuation.resume(throwing: Failure(.notInTime, attempt: attempt, reason))
                case .failure(let error):
                    let cause = self.pairingProblem ?? error
                    continuation.resume(throwing: Failure(cause, attempt: attempt, device: device.text))
                }
            }
        }
    }

    /// The device's identifier. Only a device that is known by name, or may have several identifiers, is looked for
    /// here; a call that connects to an identifier looks for it anyway.
    func find(_ device: DeviceSelector, timeout: Double) async throws -> PeripheralIdentifier {
        if case .identifiers(let identifiers, let text) = device, identifiers.count == 1 {
            return PeripheralIdentifier(uuid: identifiers[0], name: text)
        }
        if let known = await known(device) { return known }
        do {
            return try await search(for: device, timeout: timeout).peripheralIdentifier
        } catch var failure as Failure where failure.status == .notInTime {
            if let hint = await OwnAdvertisements.hint(adapter: adapter) { failure.reason += "; \(hint)" }
            throw failure
        }
    }

    /// The device's identifier if it need not be looked for: it is connected, or bluetoothd knows of which type its
    /// address is.
    func known(_ device: DeviceSelector) async -> PeripheralIdentifier? {
        await Self.known(device, on: adapter).map { PeripheralIdentifier(uuid: $0, name: device.text) }
    }

    /// The device's identifier if a program on this machine is connected to it. It hardly advertises then.
    func connected(_ device: DeviceSelector) async -> PeripheralIdentifier? {
        await Self.connected(device, on: adapter).map { PeripheralIdentifier(uuid: $0, name: device.text) }
    }

    @LoopActor
    private static func devices(_ selector: DeviceSelector, on adapter: String?) -> [Device] {
        let adapters = BlueZSession.shared.adapters
        let index = AdapterChoice(option: adapter).pick(from: adapters.map(AdapterChoice.Candidate.init))
        return index.map { adapters[$0].devices.filter { selector.names($0) } } ?? []
    }

    @LoopActor
    private static func connected(_ selector: DeviceSelector, on adapter: String?) -> UUID? {
        devices(selector, on: adapter).first(where: \.isConnected).flatMap { identifier($0) }
    }

    @LoopActor
    private static func known(_ selector: DeviceSelector, on adapter: String?) -> UUID? {
        let known = devices(selector, on: adapter)
        let connected = known.first(where: \.isConnected)
        guard case .identifiers(let identifiers, _) = selector else { return connected.flatMap { identifier($0) } }
        return (connected ?? known.first).flatMap { identifier($0) }.flatMap { identifiers.contains($0) ? $0 : nil }
    }

    @LoopActor
    private static func identifier(_ device: Device) -> UUID? {
        CBPeer.identifier(forBluetoothAddress: device.address, isRandom: device.addressType == "random")
    }

    /// Looks for a device.
    ///
    /// - Parameter gathering: how long what it advertises is gathered once it is found, in seconds.
    func search(for device: DeviceSelector, timeout: Double, gathering: Double = 0) async throws -> ScanDiscovery {
        try await withCheckedThrowingContinuation { continuation in
            var others = Sightings()
            TargetSearch(bluejay).start(
                duration: timeout, gathering: gathering,
                isWanted: { discovery in
                    if device.matches(discovery) { return true }
                    others.add(discovery)
                    return false
                },
                ended: { found, error in
                    if let found { return continuation.resume(returning: found) }
                    if let error {
                        continuation.resume(throwing: Failure(error, attempt: "cannot look for \(device.text)"))
                        return
                    }
                    let reason = "no device \(device.text) was found within \(inSeconds(timeout))\(others.text)"
                    continuation.resume(throwing: Failure(.notInTime, reason))
                })
        }
    }
}

extension DeviceSelector {
    /// Whether an advertisement comes from the device.
    func matches(_ discovery: ScanDiscovery) -> Bool {
        matches(
            discovery.peripheralIdentifier.uuid,
            names: [
                discovery.advertisementPacket[CBAdvertisementDataLocalNameKey] as? String,
                discovery.peripheralIdentifier.name,
            ])
    }
}
