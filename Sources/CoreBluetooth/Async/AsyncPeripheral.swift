/// A peripheral of an ``AsyncCentral`` over one connection, whose requests wait for their answers.
///
/// Several requests may be under way. The peripheral answers them in the order of the calls. Limits are in seconds.
@MainActor
package final class AsyncPeripheral: NSObject {
    /// What happens by itself.
    package enum Event {
        /// A value was notified or indicated.
        case value(Data, CBCharacteristic)
        /// Values of a characteristic were lost, or may have been: see ``CBCharacteristic/notificationLoss``.
        case loss(CBCharacteristic)
        /// The services have changed; these were removed.
        case servicesChanged(removed: [CBService])
        /// The connection has ended.
        case end(CentralError)
    }

    /// How soon a connection that is lost is taken for a refusal of what was asked.
    private static let atOnce: Duration = .seconds(2)
    /// How long bluetoothd may take to end a link: up to 3 s (5.66).
    package static let endTimeout: TimeInterval = 4

    package let peripheral: CBPeripheral
    /// Called on the main queue, at once: nothing else happens in between.
    package var onEvent: ((Event) -> Void)?
    /// Why the connection has ended; nil while it has not.
    package private(set) var end: CentralError?
    /// An intended cycle: a connection keeps its central until it ends.
    private let central: AsyncCentral
    private let calls = PendingCalls()
    private var waitingForRoom: [PendingCalls.Finish<Void>] = []
    private var waitingForEnd: [PendingCalls.Finish<Void>] = []

    /// Becomes the delegate of a peripheral that is connected.
    init(_ peripheral: CBPeripheral, of central: AsyncCentral) {
        self.peripheral = peripheral
        self.central = central
        super.init()
        peripheral.delegate = self
    }

    // MARK: Discovery

    /// Discovers all services, those that they include, characteristics and descriptors.
    ///
    /// - Returns: the services, each once.
    package func discoverEverything(within limit: TimeInterval) async throws(CentralError) -> [CBService] {
        let deadline = ContinuousClock.now + .seconds(limit)
        try await ask([{ .discoverServices(nil, $0) }], until: deadline, limit)
        var services: [CBService] = []
        var found = peripheral.services ?? []
        while !found.isEmpty {
            services += found
            try await ask(
                found.map { service in { .discoverIncludedServices(nil, of: service, $0) } }, until: deadline, limit)
            let included = found.flatMap { $0.includedServices ?? [] }
            found = []
            for service in included where !(services + found).contains(where: { $0 === service }) {
                found.append(service)
            }
        }
        try await ask(
            services.map { service in { .discoverCharacteristics(nil, of: service, $0) } }, until: deadline, limit)
        let characteristics = services.flatMap { $0.characteristics ?? [] }
        try await ask(
            characteristics.map { characteristic in { .discoverDescriptors(of: characteristic, $0) } },
            until: deadline, limit)
        return services
    }

    // MARK: Values

    /// Reads a value.
    package func read(_ attribute: ValueAttribute, within limit: TimeInterval) async throws(CentralError) -> Data {
        try await ask(.value, within: limit) { .readValue(of: attribute, $0) }
    }

    /// Writes a value and waits for the answer.
    package func write(
        _ value: Data, to attribute: ValueAttribute, within limit: TimeInterval
    ) async throws(CentralError) {
        try await ask(.answer, within: limit) { .writeValue(value, to: attribute, $0) }
    }

    /// Writes a value without response, as soon as there is room for it.
    ///
    /// - Parameter limit: how long there may be no room.
    package func writeWithoutResponse(
        _ value: Data, to characteristic: CBCharacteristic, within limit: TimeInterval
    ) async throws(CentralError) {
        try await waitForRoom(within: limit)
        peripheral.writeValue(value, for: characteristic, type: .withoutResponse)
    }

    /// Waits until there is room for a write without response.
    package func waitForRoom(within limit: TimeInterval) async throws(CentralError) {
        guard !peripheral.canSendWriteWithoutResponse else { return }
        try checkConnection()
        try await calls.wait(within: limit) { waitingForRoom.append($0) }
    }

    /// Turns notifications or indications on: ``Event/value(_:_:)`` has the values.
    package func subscribe(to characteristic: CBCharacteristic, within limit: TimeInterval) async throws(CentralError) {
        try await ask(.value, within: limit) { .setNotifying(true, for: characteristic, $0) }
    }

    /// Turns notifications or indications off.
    package func unsubscribe(
        from characteristic: CBCharacteristic, within limit: TimeInterval
    ) async throws(CentralError) {
        try await ask(.answer, within: limit) { .setNotifying(false, for: characteristic, $0) }
    }

    // MARK: Channels

    /// Opens an L2CAP channel.
    package func openL2CAPChannel(
        _ psm: CBL2CAPPSM, within limit: TimeInterval
    ) async throws(CentralError) -> CBL2CAPChannel {
        try await ask(.answer, within: limit) { .openL2CAPChannel(psm, $0) }
    }

    // MARK: The end

    /// Ends the connection, and waits for that.
    package func disconnect() async {
        guard end == nil else { return }
        central.manager.cancelPeripheralConnection(peripheral)
        await waitForEnd(within: Self.endTimeout)
    }

    /// Waits for the end of the connection.
    ///
    /// - Parameter limit: nil for no limit.
    /// - Returns: whether it has ended.
    @discardableResult
    package func waitForEnd(within limit: TimeInterval?) async -> Bool {
        if end == nil { try? await calls.wait(for: .state, within: limit) { waitingForEnd.append($0) } }
        return end != nil
    }

    /// The connection has ended.
    func ended(_ reason: CentralError) {
        guard end == nil else { return }
        end = reason
        waitingForRoom = []
        calls.fail { kind, time in
            switch (kind, reason) {
            case (.state, _): nil
            case (.value, .linkLost(let error)) where time < Self.atOnce && error?.code != .connectionTimeout:
                .linkLostAtOnce
            default: reason
            }
        }
        let waiting = waitingForEnd
        waitingForEnd = []
        for finish in waiting { finish(.success(())) }
        onEvent?(.end(reason))
    }

    // MARK: Requests

    private func checkConnection() throws(CentralError) {
        if let end { throw end }
        guard central.manager.state == .poweredOn else { throw .bluetoothOff }
        // The program has asked for the end.
        guard peripheral.state == .connected else { throw .linkLost(nil) }
    }

    private func perform(_ request: GATTRequest) {
        central.manager.engine?.perform(request, on: peripheral)
    }

    private func ask<Answer: Swift.Sendable>(
        _ kind: PendingCalls.Kind, within limit: TimeInterval, _ request: (RequestCompletion<Answer>) -> GATTRequest
    ) async throws(CentralError) -> Answer {
        try checkConnection()
        return try await calls.wait(for: kind, within: limit) { finish in
            let completion = RequestCompletion<Answer> { result in
                // The end of the connection says why.
                if result.failure is RequestDropped { return }
                MainActor.assumeIsolated { finish(result.mapError { CentralError($0) }) }
            }
            perform(request(completion))
        }
    }

    /// Makes requests at once, and waits until all are answered.
    ///
    /// - Throws: the first failure.
    private func ask(
        _ requests: [(RequestCompletion<Void>) -> GATTRequest], until deadline: ContinuousClock.Instant,
        _ limit: TimeInterval
    ) async throws(CentralError) {
        try checkConnection()
        guard !requests.isEmpty else { return }
        do throws(CentralError) {
            try await calls.wait(within: deadline.secondsLeft) { finish in
                let answers = AnswerCount(of: requests.count, finish)
                for request in requests { perform(request(answers.completion)) }
            }
        } catch {
            if case .noAnswer = error { throw .noAnswer(within: limit) }
            throw error
        }
    }
}

/// Waits for the answers to several requests.
@MainActor
private final class AnswerCount {
    private var missing: Int
    private var failure: CentralError?
    private let finish: PendingCalls.Finish<Void>

    init(of count: Int, _ finish: @escaping PendingCalls.Finish<Void>) {
        missing = count
        self.finish = finish
    }

    var completion: RequestCompletion<Void> {
        RequestCompletion { result in
            // The end of the connection says why.
            if result.failure is RequestDropped { return }
            MainActor.assumeIsolated { self.answered(result.failure) }
        }
    }

    private func answered(_ error: (any Error)?) {
        if failure == nil { failure = error.map { CentralError($0) } }
        missing -= 1
        if missing == 0 { finish(failure.map { .failure($0) } ?? .success(())) }
    }
}

extension AsyncPeripheral: @preconcurrency CBPeripheralDelegate {
    package func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        onEvent?(.value(characteristic.value ?? Data(), characteristic))
    }

    package func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationLossFor characteristic: CBCharacteristic) {
        onEvent?(.loss(characteristic))
    }

    package func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        onEvent?(.servicesChanged(removed: invalidatedServices))
    }

    package func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        let waiting = waitingForRoom
        waitingForRoom = []
        for finish in waiting { finish(.success(())) }
    }
}
