/// A remote peripheral. Central managers create them: by scanning, by retrieving and by restoring.
///
/// Every method returns at once; what comes of it is reported to the delegate on the manager's queue. The requests to one
/// peripheral are executed in the order of the calls; a call while it is not connected is ignored and reported on
/// standard error.
open class CBPeripheral: CBPeer, @unchecked Swift.Sendable {
    /// Receives what happens. Stays across connections.
    open weak var delegate: (any CBPeripheralDelegate)?

    /// The device's name: the one it has in its GAP service if known, else the advertised one.
    open internal(set) var name: String?

    /// How the peripheral stands with its manager.
    open internal(set) var state: CBPeripheralState = .disconnected

    /// The services discovered so far; nil before, and again after a disconnect.
    open internal(set) var services: [CBService]?

    /// Whether there is room for another write without response. After it was false, `peripheralIsReady` announces room.
    open internal(set) var canSendWriteWithoutResponse = false

    /// Always false: Linux has no Apple Notification Center Service.
    open var ancsAuthorized: Bool { false }

    /// The signal strength last read, in dBm.
    @available(*, deprecated, message: "Use readRSSI()")
    open var rssi: NSNumber? { lastRSSI }

    /// The manager that created the peripheral, and the only one that accepts it.
    weak var manager: CBCentralManager?
    /// The ATT MTU of the connection in bytes, if known.
    var mtu: Int?
    var lastRSSI: NSNumber?
    /// Writes without response that bluetoothd has yet to take.
    var commandsUnderWay = 0

    init(identifier: UUID, manager: CBCentralManager?) {
        self.manager = manager
        super.init(identifier: identifier)
    }

    /// Reads the signal strength; answered by `peripheral(_:didReadRSSI:error:)`.
    open func readRSSI() {
        engine(#function)?.readRSSI(of: self)
    }

    /// Discovers primary services; answered by `peripheral(_:didDiscoverServices:)`.
    ///
    /// - Parameter serviceUUIDs: which ones; all if nil or empty.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        engine(#function)?.discoverServices(serviceUUIDs?.nilIfEmpty, of: self)
    }

    /// Discovers the services that a service refers to; answered by
    /// `peripheral(_:didDiscoverIncludedServicesFor:error:)`.
    ///
    /// - Parameter includedServiceUUIDs: which ones; all if nil or empty.
    open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
        engine(#function)?.discoverIncludedServices(includedServiceUUIDs?.nilIfEmpty, of: service, on: self)
    }

    /// Discovers the characteristics of a service; answered by `peripheral(_:didDiscoverCharacteristicsFor:error:)`.
    ///
    /// - Parameter characteristicUUIDs: which ones; all if nil or empty.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        engine(#function)?.discoverCharacteristics(characteristicUUIDs?.nilIfEmpty, of: service, on: self)
    }

    /// Discovers all descriptors of a characteristic; answered by `peripheral(_:didDiscoverDescriptorsFor:error:)`.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {
        engine(#function)?.discoverDescriptors(of: characteristic, on: self)
    }

    /// Reads a value of up to 512 bytes; answered by `peripheral(_:didUpdateValueFor:error:)`.
    open func readValue(for characteristic: CBCharacteristic) {
        engine(#function)?.readValue(of: characteristic, on: self)
    }

    /// Reads a descriptor's value; answered by `peripheral(_:didUpdateValueFor:error:)` for descriptors.
    open func readValue(for descriptor: CBDescriptor) {
        engine(#function)?.readValue(of: descriptor, on: self)
    }

    /// How many bytes can be written at once: with response 512; without response what fits into one packet (20 until the
    /// size of packets is known), but at most 510, because peripherals on BlueZ may drop 511 and 512 in silence.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        switch type {
        case .withResponse: ATT.maximumValueLength
        case .withoutResponse: min((mtu ?? ATT.minimumMTU) - ATT.valueHeaderLength, ATT.maximumCommandValueLength)
        }
    }

    /// Writes a value. With response, it is answered by `peripheral(_:didWriteValueFor:error:)`, and a value that does not
    /// fit into one packet is sent in parts. Without response, nothing is reported, and a value is dropped that is longer
    /// than ``maximumWriteValueLength(for:)`` or comes while ``canSendWriteWithoutResponse`` is false.
    open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
        engine(#function)?.writeValue(data, to: characteristic, type: type, on: self)
    }

    /// Writes a descriptor; answered by `peripheral(_:didWriteValueFor:error:)` for descriptors. The client configuration
    /// (2902) is written by ``setNotifyValue(_:for:)`` only.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        engine(#function)?.writeValue(data, to: descriptor, on: self)
    }

    /// Turns notifications, or indications if the characteristic has only those, on or off; answered by
    /// `peripheral(_:didUpdateNotificationStateFor:error:)`.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        engine(#function)?.setNotifying(enabled, for: characteristic, on: self)
    }

    /// Opens an L2CAP channel; answered by `peripheral(_:didOpen:error:)`.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
        engine(#function)?.openL2CAPChannel(PSM, on: self)
    }

    open override var description: String {
        "<\(type(of: self)): identifier = \(identifier), name = \(name ?? "none"), state = \(state)>"
    }

    /// The manager's engine, if the peripheral is connected.
    private func engine(_ call: String) -> (any CentralEngine)? {
        if state == .connected { return manager?.engine }
        Diagnostics.misuse("\(call) while the peripheral \(identifier) is not connected (its state is \(state))")
        return nil
    }
}
