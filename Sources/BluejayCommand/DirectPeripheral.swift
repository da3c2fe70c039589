import Bluejay
import CoreBluetooth
import LineOutput
import MainLoop

/// A connected peripheral used without Bluejay, for what Bluejay's API cannot do: discover everything, use one of
/// several characteristics that are alike, write without response no faster than the link takes it.
///
/// One request at a time. Each has a limit; the errors are ``Failure``, which names the attempt and the device.
@MainActor
final class DirectPeripheral: NSObject, @preconcurrency CBPeripheralDelegate, @preconcurrency CBCentralManagerDelegate {
    /// Why a request has no answer.
    enum Problem: Error {
        /// The time is up, in seconds.
        case noAnswer(within: Double)
        /// The link has ended, for this reason if it is known.
        case linkLost(CBError?)
        /// The link was lost because it could not be encrypted.
        case unencrypted(CBError)
        /// The link was lost as soon as the device was asked for a value, or for notifications.
        case linkLostAtOnce
        case bluetoothOff
    }

    /// The answer to a request.
    private enum Answer: Hashable {
        case services
        case included(ObjectIdentifier)
        case characteristics(ObjectIdentifier)
        case descriptors(ObjectIdentifier)
        case value(ObjectIdentifier)
        case written(ObjectIdentifier)
        case notifying(ObjectIdentifier)
        case room
        case channel
    }

    private struct Exchange {
        var outstanding: Set<Answer>
        let limit: Double
        let begin = ContinuousClock.now
        let end: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
        var firstError: (any Error)?

        var isForValues: Bool {
            outstanding.contains { answer in
                switch answer {
                case .value, .notifying: true
                default: false
                }
            }
        }
    }

    private static let atOnce: Duration = .seconds(2)
    /// How long bluetoothd may take to end a link: up to 3 s (5.66).
    private static let endTimeout: Duration = .seconds(4)

    let peripheral: CBPeripheral
    /// The device as the user has named it.
    let device: String
    private(set) var table = AttributeTable([])
    /// How long the device may take to answer a request, in seconds.
    var answerTimeout = AnswerOptions.defaultTimeout
    /// Whether notifications come from sockets.
    var usesSockets = false
    private static var hasWarned = false
    /// Called with each value of a characteristic that is listened to.
    var onValue: ((CBCharacteristic, Result<Data, any Error>) -> Void)?
    /// Called when values of a characteristic were lost, or may have been.
    var onLoss: ((CBCharacteristic) -> Void)?
    /// Called when services were removed.
    var onRemoval: (([CBService]) -> Void)?
    /// Called when the connection has ended.
    var onEnd: ((Problem) -> Void)?

    private var channel: CBL2CAPChannel?
    private let manager: CBCentralManager
    private var exchange: Exchange?
    /// Why the connection has ended, if it has.
    private(set) var endReason: Problem?
    private let timer = DispatchSource.makeTimerSource(queue: .main)

    /// Takes the delegates of the peripheral and of its manager until ``release()``.
    init(_ peripheral: CBPeripheral, manager: CBCentralManager, device: String) {
        self.peripheral = peripheral
        self.manager = manager
        self.device = device
        super.init()
        peripheral.delegate = self
        manager.delegate = self
        timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.timeIsUp() } }
        timer.activate()
    }

    /// Gives the delegates back.
    func release() {
        timer.cancel()
        if peripheral.delegate === self { peripheral.delegate = nil }
        if manager.delegate === self { manager.delegate = nil }
        finish(Problem.linkLost(nil))
    }

    // MARK: Requests

    /// Discovers all services, those that they include, characteristics and descriptors.
    ///
    /// - Parameter limit: the time in seconds that ends at `deadline`, for the message.
    func discoverEverything(until deadline: ContinuousClock.Instant, limit: Double) async throws {
        do {
            try await discover(until: deadline)
        } catch Problem.noAnswer {
            throw Failure(
                .notInTime, attempt: "cannot discover the services of \(device)",
                "connecting and discovery took longer than \(inSeconds(limit)) (--connect-timeout)")
        } catch {
            var failure = Failure(error, attempt: "cannot discover the services of \(device)", device: device)
            // A connection without services is of no use.
            if failure.status != .bluetoothUnavailable { failure.status = .connectionFailed }
            throw failure
        }
    }

    private func discover(until deadline: ContinuousClock.Instant) async throws {
        func left() -> Double { max((deadline - .now).inSeconds, 0) }
        try await exchange([.services], within: left()) { peripheral.discoverServices(nil) }
        var services = peripheral.services ?? []
        var fresh = services
        while !fresh.isEmpty {
            try await exchange(Set(fresh.map { .included(ObjectIdentifier($0)) }), within: left()) {
                for service in fresh { peripheral.discoverIncludedServices(nil, for: service) }
            }
            let included = fresh.flatMap { $0.includedServices ?? [] }
            fresh = []
            for service in included where !(services + fresh).contains(where: { $0 === service }) {
                fresh.append(service)
            }
            services += fresh
        }
        try await exchange(Set(services.map { .characteristics(ObjectIdentifier($0)) }), within: left()) {
            for service in services { peripheral.discoverCharacteristics(nil, for: service) }
        }
        table = AttributeTable(services)
        let characteristics = table.characteristics
        try await exchange(Set(characteristics.map { .descriptors(ObjectIdentifier($0)) }), within: left()) {
            for characteristic in characteristics { peripheral.discoverDescriptors(for: characteristic) }
        }
    }

    /// Reads a value.
    func read(_ target: AttributeTarget) async throws -> Data {
        try await attempt("read", target) {
            try await exchange([.value(ObjectIdentifier(target.attribute))], within: answerTimeout) {
                switch target {
                case .characteristic(let characteristic): peripheral.readValue(for: characteristic)
                case .descriptor(let descriptor): peripheral.readValue(for: descriptor)
                }
            }
        }
        switch target {
        case .characteristic(let characteristic): return characteristic.value ?? Data()
        case .descriptor(let descriptor): return descriptor.bytes ?? Data()
        }
    }

    /// Writes a value and waits for the answer.
    func write(_ value: Data, to target: AttributeTarget) async throws {
        try await attempt("write", target) {
            try await exchange([.written(ObjectIdentifier(target.attribute))], within: answerTimeout) {
                switch target {
                case .characteristic(let characteristic):
                    peripheral.writeValue(value, for: characteristic, type: .withResponse)
                case .descriptor(let descriptor): peripheral.writeValue(value, for: descriptor)
                }
            }
        }
    }

    /// Writes a value without response as soon as there is room for it.
    func writeCommand(_ value: Data, to characteristic: CBCharacteristic) async throws {
        try await waitForRoom(characteristic)
        peripheral.writeValue(value, for: characteristic, type: .withoutResponse)
    }

    /// Waits until there is room for a write without response.
    func waitForRoom(_ characteristic: CBCharacteristic) async throws {
        guard !peripheral.canSendWriteWithoutResponse else { return }
        try await attempt("write", .characteristic(characteristic)) {
            try await exchange([.room], within: answerTimeout) {}
        }
    }

    /// Turns notifications or indications on. What notification sockets lose then is said on standard error, once.
    func subscribe(to characteristic: CBCharacteristic) async throws {
        try await attempt("listen to", .characteristic(characteristic)) {
            try await exchange([.notifying(ObjectIdentifier(characteristic))], within: answerTimeout) {
                peripheral.setNotifyValue(true, for: characteristic)
            }
        }
        guard usesSockets, !Self.hasWarned else { return }
        Self.hasWarned = true
        StandardError.write(
            "bluejay: values sent before the device confirms the subscription are lost: bluetoothd passes them to no "
                + "socket (--sockets)")
    }

    /// Opens an L2CAP channel.
    func openChannel(_ psm: CBL2CAPPSM) async throws -> CBL2CAPChannel {
        let attempt = "cannot open the L2CAP channel at PSM \(psm) of \(device)"
        do {
            try await exchange([.channel], within: answerTimeout) { peripheral.openL2CAPChannel(psm) }
        } catch {
            throw Failure(error, attempt: attempt, device: device)
        }
        defer { channel = nil }
        guard let channel else { throw Failure(.connectionFailed, attempt: attempt, "no channel was opened") }
        return channel
    }

    private func attempt(_ verb: String, _ target: AttributeTarget, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            throw Failure(error, attempt: "cannot \(verb) \(name(of: target))", device: device)
        }
    }

    /// The attribute in words, with the device: `body-sensor-location of Dittojay`, with the path where it is one of
    /// several.
    func name(of target: AttributeTarget) -> String {
        let path = table.path(of: target)
        switch target {
        case .characteristic(let characteristic):
            return "\(path.contains("#") ? path : characteristic.label) of \(device)"
        case .descriptor: return "\(path) of \(device)"
        }
    }

    // MARK: Waiting

    private func exchange(_ answers: Set<Answer>, within limit: Double, _ request: () -> Void) async throws {
        // It may have ended between two requests; then nothing is known any longer that could be asked for.
        if let endReason, peripheral.state != .connected { throw endReason }
        guard manager.state == .poweredOn else { throw Problem.bluetoothOff }
        guard peripheral.state == .connected else { throw Problem.linkLost(nil) }
        guard !answers.isEmpty else { return }
        try await withCheckedThrowingContinuation { continuation in
            exchange = Exchange(
                outstanding: answers, limit: limit, end: .now + .seconds(limit), continuation: continuation)
            timer.schedule(deadline: .now() + limit)
            request()
        }
    }

    private func timeIsUp() {
        // A former exchange's timer may come late.
        guard let exchange, exchange.end <= .now else { return }
        finish(Problem.noAnswer(within: exchange.limit))
    }

    private func answered(_ answer: Answer, _ error: (any Error)?) {
        guard exchange?.outstanding.remove(answer) != nil else { return }
        if exchange?.firstError == nil { exchange?.firstError = error }
        if exchange?.outstanding.isEmpty == true { finish(exchange?.firstError) }
    }

    private func finish(_ error: (any Error)?) {
        guard let exchange else { return }
        self.exchange = nil
        if let error { exchange.continuation.resume(throwing: error) } else { exchange.continuation.resume() }
    }

    /// Ends the connection, if it is still there, and waits for that.
    func disconnect() async {
        guard peripheral.state == .connected else { return }
        let end = FirstOutcome<Void>()
        onEnd = { _ in end.report() }
        manager.cancelPeripheralConnection(peripheral)
        await end.wait(within: Self.endTimeout)
        onEnd = nil
    }

    /// Waits for the end of a connection that is being ended; whether it has come. Takes ``onEnd`` for it.
    func hasEnded() async -> Bool {
        let end = FirstOutcome<Bool>()
        onEnd = { _ in end.report(true) }
        defer { onEnd = nil }
        if peripheral.state != .connected { return true }
        return await end.value(within: Self.endTimeout, otherwise: false)
    }

    // MARK: Delegates

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        answered(.services, error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {
        answered(.included(ObjectIdentifier(service)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        answered(.characteristics(ObjectIdentifier(service)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        answered(.descriptors(ObjectIdentifier(characteristic)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let onValue {
            onValue(characteristic, error.map { .failure($0) } ?? .success(characteristic.value ?? Data()))
        }
        answered(.value(ObjectIdentifier(characteristic)), error)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        answered(.value(ObjectIdentifier(descriptor)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        answered(.written(ObjectIdentifier(characteristic)), error)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        answered(.written(ObjectIdentifier(descriptor)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        answered(.notifying(ObjectIdentifier(characteristic)), error)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationLossFor characteristic: CBCharacteristic) {
        onLoss?(characteristic)
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        answered(.room, nil)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.channel = channel
        answered(.channel, error)
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        onRemoval?(invalidatedServices)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state != .poweredOn { end(.bluetoothOff) }
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        let error = error as? CBError
        if let error, error.isAboutPairing { return end(.unencrypted(error)) }
        // Not by a write: the value that is written may be why.
        let isAtOnce = exchange.map { $0.begin + Self.atOnce > .now && $0.isForValues } ?? false
        end(isAtOnce && error?.code != .connectionTimeout ? .linkLostAtOnce : .linkLost(error))
    }

    private func end(_ problem: Problem) {
        endReason = problem
        finish(problem)
        onEnd?(problem)
    }
}
