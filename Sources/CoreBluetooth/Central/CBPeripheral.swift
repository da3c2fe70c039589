/// A remote peripheral. Central managers create them: by scanning, by retrieving and by restoring.
///
/// Every method returns at once; what comes of it is reported to the delegate on the manager's queue. The requests to
/// one peripheral are executed in the order of the calls; a call while it is not connected is ignored and reported on
/// standard error.
open class CBPeripheral: CBPeer, @unchecked Swift.Sendable {
    /// Receives what happens. Stays across connections.
    open var delegate: (any CBPeripheralDelegate)? {
        get { stored.withLock { $0.delegate } }
        set { stored.withLock { $0.delegate = newValue } }
    }

    /// The device's name: the one it has in its GAP service if known, else the advertised one.
    open internal(set) var name: String? {
        get { stored.withLock { $0.name } }
        set { stored.withLock { $0.name = newValue } }
    }

    /// The state of the peripheral's connection to its manager.
    open internal(set) var state: CBPeripheralState {
        get { stored.withLock { $0.state } }
        set { stored.withLock { $0.state = newValue } }
    }

    /// The services discovered so far; nil before, and again after a disconnect.
    open internal(set) var services: [CBService]? {
        get { stored.withLock { $0.services } }
        set { stored.store(newValue) { swap(&$0.services, &$1) } }
    }

    /// Whether there is room for another write without response. After it was false, `peripheralIsReady` announces
    /// room.
    open internal(set) var canSendWriteWithoutResponse: Bool {
        get { stored.withLock { $0.commands.hasRoom } }
        set { stored.withLock { $0.commands.hasRoom = newValue } }
    }

    /// Always false: Linux has no Apple Notification Center Service.
    open var ancsAuthorized: Bool { false }

    /// The signal strength last read, in dBm.
    @available(*, deprecated, message: "Use readRSSI()")
    open var rssi: NSNumber? { lastRSSI }

    /// The manager that created the peripheral, and the only one that accepts it.
    var manager: CBCentralManager? { stored.withLock { $0.manager } }
    /// The ATT MTU of the connection in bytes, if known.
    var mtu: Int? {
        get { stored.withLock { $0.mtu } }
        set { stored.withLock { $0.mtu = newValue } }
    }
    var lastRSSI: NSNumber? {
        get { stored.withLock { $0.lastRSSI } }
        set { stored.store(newValue) { swap(&$0.lastRSSI, &$1) } }
    }

    private struct Stored {
        weak var manager: CBCentralManager?
        weak var delegate: (any CBPeripheralDelegate)?
        var name: String?
        var state = CBPeripheralState.disconnected
        /// How often the program has asked for a connection, and how many of these requests it has taken back.
        var requests = 0
        var cancelledRequests = 0
        var services: [CBService]?
        var mtu: Int?
        var lastRSSI: NSNumber?
        var commands = CommandWindow()
    }

    private let stored: Locked<Stored>

    init(identifier: UUID, manager: CBCentralManager?) {
        stored = Locked(Stored(manager: manager))
        super.init(identifier: identifier)
    }

    /// Reads the signal strength; answered by `peripheral(_:didReadRSSI:error:)`.
    open func readRSSI() {
        perform(
            .readRSSI(
                reporting { peripheral, delegate, result in
                    let rssi = NSNumber(value: (try? result.get()) ?? CBPeripheral.unknownRSSI)
                    delegate.peripheral(peripheral, didReadRSSI: rssi, error: result.failure)
                }))
    }

    /// Discovers primary services; answered by `peripheral(_:didDiscoverServices:)`.
    ///
    /// - Parameter serviceUUIDs: which ones; if nil or empty, all but Generic Access (1800) and Generic Attribute
    ///   (1801), which the system uses.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        perform(
            .discoverServices(
                serviceUUIDs?.nilIfEmpty,
                reporting { $1.peripheral($0, didDiscoverServices: $2.failure) }))
    }

    /// Discovers the services that a service refers to; answered by
    /// `peripheral(_:didDiscoverIncludedServicesFor:error:)`.
    ///
    /// - Parameter includedServiceUUIDs: which ones; all if nil or empty.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        perform(
            .discoverIncludedServices(
                includedServiceUUIDs?.nilIfEmpty, of: service,
                reporting { $1.peripheral($0, didDiscoverIncludedServicesFor: service, error: $2.failure) }))
    }

    /// Discovers the characteristics of a service; answered by `peripheral(_:didDiscoverCharacteristicsFor:error:)`.
    ///
    /// - Parameter characteristicUUIDs: which ones; all if nil or empty.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        perform(
            .discoverCharacteristics(
                characteristicUUIDs?.nilIfEmpty, of: service,
                reporting { $1.peripheral($0, didDiscoverCharacteristicsFor: service, error: $2.failure) }))
    }

    /// Discovers all descriptors of a characteristic; answered by `peripheral(_:didDiscoverDescriptorsFor:error:)`.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {
        perform(
            .discoverDescriptors(
                of: characteristic,
                reporting { $1.peripheral($0, didDiscoverDescriptorsFor: characteristic, error: $2.failure) }))
    }

    /// Reads a value of up to 512 bytes; answered by `peripheral(_:didUpdateValueFor:error:)`.
    open func readValue(for characteristic: CBCharacteristic) {
        perform(
            .readValue(
                of: .characteristic(characteristic),
                reporting { $1.peripheral($0, didUpdateValueFor: characteristic, error: $2.failure) }))
    }

    /// Reads a descriptor's value; answered by `peripheral(_:didUpdateValueFor:error:)` for descriptors.
    open func readValue(for descriptor: CBDescriptor) {
        perform(
            .readValue(
                of: .descriptor(descriptor),
                reporting { $1.peripheral($0, didUpdateValueFor: descriptor, error: $2.failure) }))
    }

    /// How many bytes can be written at once: with response 512; without response what fits into one packet (20 until
    /// the size of packets is known), but at most 510, because peripherals on BlueZ may drop 511 and 512 silently.
    /// Such values are sent all the same where they fit.
    @discardableResult
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        switch type {
        case .withResponse: ATT.maximumValueLength
        case .withoutResponse: min(commandCapacity, ATT.maximumCommandValueLength)
        }
    }

    /// The longest value that a write without response carries over this link, in bytes.
    package var commandCapacity: Int { min((mtu ?? ATT.minimumMTU) - ATT.valueHeaderLength, ATT.maximumValueLength) }

    /// Writes a value. With response, it is answered by `peripheral(_:didWriteValueFor:error:)`, and a value that does
    /// not fit into one packet is sent in parts. Without response, nothing is reported, and a value is dropped that
    /// does not fit into one packet. While ``canSendWriteWithoutResponse`` is false, values wait, up to 4,096 of them;
    /// those beyond are dropped.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        switch type {
        case .withResponse:
            perform(
                .writeValue(
                    data, to: .characteristic(characteristic),
                    reporting { $1.peripheral($0, didWriteValueFor: characteristic, error: $2.failure) }))
        case .withoutResponse: perform(.writeWithoutResponse(data, to: characteristic))
        }
    }

    /// Writes a descriptor; answered by `peripheral(_:didWriteValueFor:error:)` for descriptors. The client
    /// configuration (2902) is written by ``setNotifyValue(_:for:)`` only.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        perform(
            .writeValue(
                data, to: .descriptor(descriptor),
                reporting { $1.peripheral($0, didWriteValueFor: descriptor, error: $2.failure) }))
    }

    /// Turns notifications, or indications if the characteristic has only those, on or off; answered by
    /// `peripheral(_:didUpdateNotificationStateFor:error:)`.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        perform(
            .setNotifying(
                enabled, for: characteristic,
                reporting { $1.peripheral($0, didUpdateNotificationStateFor: characteristic, error: $2.failure) }))
    }

    /// Opens an L2CAP channel; answered by `peripheral(_:didOpen:error:)`. If the peripheral wants it encrypted, the
    /// system pairs.
    ///
    /// - Parameter PSM: the channel's number, 1 to 255.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
        perform(
            .openL2CAPChannel(
                PSM, reporting { $1.peripheral($0, didOpen: try? $2.get(), error: $2.failure) }))
    }

    open override var description: String {
        "<\(type(of: self)): identifier = \(identifier), name = \(name ?? "none"), state = \(state)>"
    }

    // MARK: Changes of several values in one step

    /// The program has asked for a connection, on whatever thread.
    ///
    /// - Returns: the number of the request.
    @discardableResult
    func connectionIsWanted() -> Int {
        stored.withLock {
            if $0.state != .connected { $0.state = .connecting }
            $0.requests += 1
            return $0.requests
        }
    }

    /// The program has asked for the end of the connection, on whatever thread.
    func connectionIsUnwanted() {
        stored.withLock {
            if $0.state == .connected { $0.state = .disconnecting }
            $0.cancelledRequests = $0.requests
        }
    }

    /// To be called on the manager's queue.
    func connectionIsUp(name: String?) {
        stored.withLock {
            if let name { $0.name = name }
            $0.state = .connected
            $0.commands.open()
        }
    }

    /// To be called on the manager's queue.
    ///
    /// - Parameters:
    ///   - request: the number of the last request for the connection that has ended. What the program has asked for
    ///     since is pending.
    ///   - isReconnecting: whether the connection is made again without a request.
    func connectionIsDown(request: Int, isReconnecting: Bool = false) {
        var ended: [CBService]?
        let loss = stored.withLock { stored in
            let isPending = stored.requests > max(request, stored.cancelledRequests)
            stored.state = isReconnecting || isPending ? .connecting : .disconnected
            swap(&stored.services, &ended)
            stored.mtu = nil
            return stored.commands.close()
        }
        for service in (ended ?? []).withIncluded {
            for characteristic in service.characteristics ?? [] { characteristic.isNotifying = false }
        }
        if let loss { Diagnostics.warning("\(loss)") }
    }

    /// The program has written without response, on whatever thread.
    ///
    /// - Returns: whether there was room to keep the write.
    func commandBegins() -> Bool {
        stored.withLock { $0.commands.add() }
    }

    /// bluetoothd has taken a write without response, or has refused it.
    func commandEnds(failure: String?) -> CommandWindow.Outcome {
        stored.withLock { $0.commands.remove(failure: failure, reopens: $0.state == .connected) }
    }

    // MARK: Requests

    /// Hands a request to the manager's engine, if the peripheral is connected.
    func perform(_ request: GATTRequest, _ call: String = #function) {
        guard state == .connected else {
            Diagnostics.misuse("\(call) while the peripheral \(identifier) is not connected (its state is \(state))")
            return drop(request)
        }
        guard let engine = manager?.engine else { return drop(request) }
        engine.perform(request, on: self)
    }

    private func drop(_ request: GATTRequest) {
        guard let completion = request.completion else { return }
        (manager?.queue ?? .main).async { completion.drop() }
    }

    /// A completion that calls the delegate; not for what was dropped.
    private func reporting<Answer: Swift.Sendable>(
        _ call: @escaping @Sendable (CBPeripheral, any CBPeripheralDelegate, Result<Answer, any Error>) -> Void
    ) -> RequestCompletion<Answer> {
        RequestCompletion { [self] result in
            guard !(result.failure is RequestDropped), let delegate else { return }
            call(self, delegate, result)
        }
    }

    /// Core Specification, Vol 4, Part E, 7.5.4: not available.
    private static let unknownRSSI = 127
}
