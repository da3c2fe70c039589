import BlueZ
import CoreBluetooth
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
    func open(_ target: DeviceOptions, answerTimeout: Double) async throws -> DeviceConnection {
        try await open(target.selector, target.device, limit: target.connectTimeout, answerTimeout: answerTimeout)
    }

    /// The same for a device that has been found already, or is known in another way.
    ///
    /// - Parameters:
    ///   - device: the device as the user has named it.
    ///   - limit: how long it may take to find and connect to it, and to discover what it has, in seconds.
    func open(
        _ selector: DeviceSelector, _ device: String, limit: Double, answerTimeout: Double
    ) async throws -> DeviceConnection {
        let deadline = ContinuousClock.now + .seconds(limit)
        var connections = 1
        while true {
            do {
                let link = try await connect(selector, until: deadline, limit: limit)
                let services = try await discover(link, device, until: deadline, limit: limit)
                return DeviceConnection(
                    link: link, table: AttributeTable(services), device: device, answerTimeout: answerTimeout,
                    usesSockets: usesSockets)
            } catch let failure as CommandError
                where failure.isLossOfLink && connections < Self.maximumConnections && .now < deadline
            {
                connections += 1
            }
        }
    }

    private func discover(
        _ link: AsyncPeripheral, _ device: String, until deadline: ContinuousClock.Instant, limit: Double
    ) async throws -> [CBService] {
        let attempt = "cannot discover the services of \(device)"
        do throws(CentralError) {
            return try await link.discoverEverything(within: deadline.secondsLeft)
        } catch {
            if case .noAnswer = error {
                throw CommandError(
                    .notInTime, attempt: attempt,
                    "connecting and discovery took longer than \(inSeconds(limit)) (--connect-timeout)")
            }
            var failure = CommandError(error, attempt: attempt, device: device)
            // A connection without services is of no use.
            if failure.status != .bluetoothUnavailable { failure.status = .connectionFailed }
            throw failure
        }
    }

    /// Opens the device and asks it for something.
    ///
    /// bluetoothd (5.66) may lose the request that has made the devices pair. `request` is made once more then, over
    /// another link, which is encrypted from the start.
    func ask<Answer>(
        _ target: DeviceOptions, answerTimeout: Double, _ request: (DeviceConnection) async throws -> Answer
    ) async throws -> Answer {
        let connection = try await open(target, answerTimeout: answerTimeout)
        do {
            return try await request(connection)
        } catch let silence as CommandError where silence.isUnansweredSincePairing {
            guard await connection.hasEnded() else { throw silence }
            do {
                return try await request(open(target, answerTimeout: answerTimeout))
            } catch let failure as CommandError where failure.endsEverything {
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
    ) async throws -> AsyncPeripheral {
        let identifier = try await find(device, timeout: limit)
        do throws(CentralError) {
            return try await central.connect(identifier, within: max(deadline.secondsLeft, 0.1))
        } catch {
            throw CommandError(
                error, connectingTo: device.text,
                tooLate: "it was not connected within \(inSeconds(limit)) (--connect-timeout)")
        }
    }

    /// The device's identifier. Only a device that is known by name, or may have several identifiers, is looked for
    /// here; a call that connects to an identifier looks for it anyway.
    func find(_ device: DeviceSelector, timeout: Double) async throws -> UUID {
        if let only = device.onlyIdentifier { return only }
        if let known = await known(device) { return known }
        do {
            return try await search(for: device, timeout: timeout).peripheral.identifier
        } catch var failure as CommandError where failure.status == .notInTime {
            if let hint = await OwnAdvertisements.hint(adapter: adapter) { failure.reason += "; \(hint)" }
            throw failure
        }
    }

    /// The device's identifier if it need not be looked for: it is connected, or bluetoothd knows of which type its
    /// address is.
    func known(_ device: DeviceSelector) async -> UUID? { await Self.known(device, on: adapter) }

    /// The device's identifier if a program on this machine is connected to it. It hardly advertises then.
    func connected(_ device: DeviceSelector) async -> UUID? { await Self.connected(device, on: adapter) }

    /// Whether bluetoothd knows of a service of a device, which it may show to no program.
    ///
    /// - Parameter service: in 36 characters and lower case, as bluetoothd has it.
    func hasService(_ service: String, of device: UUID) async -> Bool {
        await Self.hasService(service, of: device, on: adapter)
    }

    @LoopActor
    private static func hasService(_ service: String, of device: UUID, on adapter: String?) -> Bool {
        devices(on: adapter).contains { identifier($0) == device && $0.serviceUUIDs.contains(service) }
    }

    @LoopActor
    private static func devices(on adapter: String?) -> [Device] {
        let adapters = BlueZSession.shared.adapters
        let index = AdapterChoice(option: adapter).pick(from: adapters.map(AdapterChoice.Candidate.init))
        return index.map { adapters[$0].devices } ?? []
    }

    @LoopActor
    private static func devices(_ selector: DeviceSelector, on adapter: String?) -> [Device] {
        devices(on: adapter).filter { selector.names($0) }
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
    func search(
        for device: DeviceSelector, timeout: Double, gathering: Double = 0
    ) async throws -> AsyncCentral.Advertisement {
        var others = Sightings()
        let found: AsyncCentral.Advertisement?
        do {
            found = try await central.search(within: timeout, gathering: gathering) { advertisement in
                if device.matches(advertisement) { return true }
                others.add(advertisement)
                return false
            }
        } catch {
            throw CommandError(error, attempt: "cannot look for \(device.text)")
        }
        guard let found else {
            let reason = "no device \(device.text) was found within \(inSeconds(timeout))\(others.text)"
            throw CommandError(.notInTime, reason)
        }
        return found
    }
}

extension DeviceSelector {
    /// The identifier, if the device can have one only.
    var onlyIdentifier: UUID? {
        if case .identifiers(let identifiers, _) = self, identifiers.count == 1 { identifiers[0] } else { nil }
    }

    /// Whether an advertisement comes from the device.
    func matches(_ advertisement: AsyncCentral.Advertisement) -> Bool {
        let peripheral = advertisement.peripheral
        return matches(peripheral.identifier, names: [advertisement.localName, peripheral.name])
    }
}
