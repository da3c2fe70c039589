import BlueZ
import CoreBluetooth
import Foundation
import GATTProfiles
import MainLoop
import ProfileWriting

/// A device that was read, and the connection to it.
@MainActor
struct OpenedDevice {
    struct Characteristic {
        let attribute: CBCharacteristic
        let place: ClonedDevice.Place
    }

    let device: ClonedDevice
    let connection: DeviceConnection
    /// What became characteristics of ``device``.
    let characteristics: [Characteristic]
}

/// Reads everything of a device that a profile file can say. A connection that a read has ended, or that waits for the
/// answer to one, is made again.
@MainActor
final class DeviceReader {
    private let context: CommandContext
    private let target: DeviceOptions
    private let answerTimeout: Double
    private var device = ClonedDevice()
    /// The places of characteristics that are not read again: a read of them has ended the connection.
    private var faults: [Int: ClonedDevice.ReadFault] = [:]
    /// The places of what is read again over the next connection: the first read has made the devices pair.
    private var pairings: Set<Int> = []
    private var characteristics: [OpenedDevice.Characteristic] = []
    /// The device as it was found.
    private var known: DeviceSelector?

    /// How often the connection is made again.
    private static let maximumConnections = 20
    /// How long what is advertised is gathered once the device is found: a scan response comes by itself.
    private static let gatheringTime = 1.0
    /// How long an advertisement of a device that is connected is waited for, in seconds: few send one.
    private static let timeBesideLink = 3.0

    init(_ context: CommandContext, _ target: DeviceOptions, answerTimeout: Double) {
        self.context = context
        self.target = target
        self.answerTimeout = answerTimeout
    }

    func read() async throws -> OpenedDevice {
        let selector = target.selector
        try? await BlueZSession.shared.forgetSeenDevices(on: context.adapter) { selector.names($0) }
        let connected = await context.connected(selector)
        // What is not here yet is found by what it advertises, even if it advertises Generic Access.
        let hiding = try? await BlueZSession.shared.devicesHidingAdvertisedServices(on: context.adapter)
        let advertisement = try await advertisement(of: selector, isConnected: connected != nil)
        guard let identifier = advertisement?.peripheral.identifier ?? connected else {
            throw CommandError(.failed, "\(target.device) is no longer connected")
        }
        let address = CBPeer.bluetoothAddress(forIdentifier: identifier) ?? ""
        let adapter = context.adapter
        let appearance = await Self.appearance(of: address, on: adapter)
        var hidesServices = hiding?.contains(address) ?? false
        // Another program may have connected to it meanwhile.
        if !hidesServices { hidesServices = await Self.areServicesResolved(address, on: adapter) }
        known = .identifiers([identifier], text: target.device)
        var readings: [Int: Reading] = [:]
        var connections = 0
        while true {
            connections += 1
            let connection = try await open()
            if connections == 1, await Self.isPaired(address, on: adapter) {
                device.losses.append("what needs pairing: this machine is already paired with the device")
            }
            let failure = await readValues(connection, address, &readings)
            guard let failure else {
                describe(connection, readings)
                if let advertisement { add(advertisement.data, appearance, hidesServices: hidesServices) }
                device.fitAdvertisement()
                return OpenedDevice(device: device, connection: connection, characteristics: characteristics)
            }
            guard failure.status != .bluetoothUnavailable, connections < Self.maximumConnections else { throw failure }
            // One with a request that was not answered takes no other.
            await connection.link.disconnect()
        }
    }

    private func open() async throws -> DeviceConnection {
        try await context.open(
            known ?? target.selector, target.device, limit: target.connectTimeout, answerTimeout: answerTimeout)
    }

    /// The same device over another connection.
    func open(again opened: OpenedDevice) async throws -> OpenedDevice {
        let former = opened.connection.table.characteristics
        await opened.connection.link.disconnect()
        let connection = try await open()
        let present = connection.table.characteristics
        guard present.map(\.uuid) == former.map(\.uuid) else {
            throw CommandError(.noSuchCharacteristic, "\(target.device) no longer has the characteristics that it had")
        }
        let places = Dictionary(uniqueKeysWithValues: zip(former.map { ObjectIdentifier($0) }, present))
        let characteristics = opened.characteristics.compactMap { characteristic in
            places[ObjectIdentifier(characteristic.attribute)].map { attribute in
                OpenedDevice.Characteristic(attribute: attribute, place: characteristic.place)
            }
        }
        return OpenedDevice(device: opened.device, connection: connection, characteristics: characteristics)
    }

    // MARK: The advertisement

    /// What it advertises; nil if it is connected, and does not.
    private func advertisement(of selector: DeviceSelector, isConnected: Bool) async throws
        -> AsyncCentral.Advertisement?
    {
        let time = isConnected ? min(Self.timeBesideLink, target.connectTimeout) : target.connectTimeout
        do {
            return try await context.search(for: selector, timeout: time, gathering: Self.gatheringTime)
        } catch let failure as CommandError where isConnected && failure.status == .notInTime {
            device.losses.append("what it advertises: a program is connected to it, and it did not advertise")
            return nil
        }
    }

    /// - Parameter hidesServices: whether the services in `packet` are not those that it advertises.
    private func add(_ packet: [String: Any], _ appearance: UInt16?, hidesServices: Bool) {
        device.advertisement.localName = packet[CBAdvertisementDataLocalNameKey] as? String
        device.advertisement.appearance = appearance
        device.advertisement.manufacturers = packet[CBAdvertisementDataAllManufacturerDataKey] as? [Data] ?? []
        if let power = (packet[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue {
            device.advertisement.txPower = power
            device.losses.append("the transmit power of \(power) dBm: dittojay's controller advertises its own")
        }
        for (uuid, data) in packet[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:] {
            device.advertisement.serviceData[uuid.uuidString] = data
        }
        guard !hidesServices else {
            return device.losses.append(
                "which services it advertises: bluetoothd reports all of a connection instead, because the device is "
                    + "paired, connected or trusted")
        }
        for uuid in packet[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? [] {
            if let index = device.services.firstIndex(where: { $0.uuid == uuid.uuidString }) {
                device.services[index].isAdvertised = true
            } else {
                device.losses.append("the service \(uuid.uuidString), which is advertised but does not exist")
            }
        }
    }

    @LoopActor
    private static func appearance(of address: String, on adapter: String?) async -> UInt16? {
        try? BlueZSession.shared.device(address, on: adapter)?.appearance
    }

    @LoopActor
    private static func areServicesResolved(_ address: String, on adapter: String?) -> Bool {
        (try? BlueZSession.shared.device(address, on: adapter)?.areServicesResolved) ?? false
    }

    // MARK: Values

    /// The result of a read.
    private struct Reading {
        var result: Result<Data, CommandError>
        /// Whether the link was encrypted for it.
        var hasPaired = false
    }

    /// Reads everything that was not read yet.
    ///
    /// - Returns: why the connection is no longer of use; nil if everything is read.
    private func readValues(_ connection: DeviceConnection, _ address: String, _ readings: inout [Int: Reading]) async
        -> CommandError?
    {
        for (place, target) in Self.readable(connection.table).enumerated() {
            guard readings[place] == nil, faults[place] == nil else { continue }
            let wasEncrypted = await Self.isEncrypted(address, on: context.adapter)
            do {
                readings[place] = Reading(result: .success(try await connection.read(target)))
            } catch {
                let failure = CommandError(
                    error, attempt: "cannot read \(connection.name(of: target))", device: self.target.device)
                // A request that has made the devices pair may get no answer, or its link is ended.
                if failure.status == .connectionFailed || failure.isAboutPairing, !wasEncrypted,
                    await Self.isPaired(address, on: context.adapter), pairings.insert(place).inserted,
                    await connection.hasEnded()
                {
                    return failure
                }
                if failure.endsEverything {
                    faults[place] = failure.status == .notInTime ? .noAnswer : .disconnect
                    return failure
                }
                if failure.attError == Self.lastWord, await connection.hasEnded() {
                    faults[place] = .disconnect
                    return failure
                }
                readings[place] = Reading(result: .failure(failure))
            }
            if pairings.contains(place) {
                readings[place]?.hasPaired = true
            } else if !wasEncrypted {
                readings[place]?.hasPaired = await Self.isEncrypted(address, on: context.adapter)
            }
        }
        return nil
    }

    /// What a device with bluetoothd answers when it ends the link: unlikely error.
    private static let lastWord = 0x0E

    /// What is read, in an order that is the same over each connection.
    private static func readable(_ table: AttributeTable) -> [ValueAttribute] {
        table.characteristics.flatMap { characteristic in
            let own = characteristic.properties.contains(.read) ? [ValueAttribute.characteristic(characteristic)] : []
            let descriptors = (characteristic.descriptors ?? []).filter {
                !ClonedDevice.Characteristic.impliedDescriptors.contains($0.uuid.uuidString)
            }
            return own + descriptors.map(ValueAttribute.descriptor)
        }
    }

    @LoopActor
    private static func isEncrypted(_ address: String, on adapter: String?) async -> Bool {
        guard let device = try? BlueZSession.shared.device(address, on: adapter) else { return false }
        return device.kernelLink.map { $0 == .encrypted } ?? device.isPaired
    }

    @LoopActor
    private static func isPaired(_ address: String, on adapter: String?) async -> Bool {
        (try? BlueZSession.shared.device(address, on: adapter)?.isPaired) ?? false
    }

    // MARK: Services

    private func describe(_ connection: DeviceConnection, _ readings: [Int: Reading]) {
        let places = Dictionary(
            uniqueKeysWithValues: Self.readable(connection.table).enumerated().map { ($1.attribute.place, $0) })
        for service in connection.table.services where !isOwnedByBlueZ(service, places, readings) {
            if !service.isPrimary {
                device.losses.append("the service \(service.uuid.uuidString), which others include")
                continue
            }
            var cloned = ClonedDevice.Service(uuid: service.uuid.uuidString)
            for characteristic in service.characteristics ?? [] {
                guard let copy = clone(characteristic, places, readings) else { continue }
                let place = ClonedDevice.Place(
                    service: device.services.count, characteristic: cloned.characteristics.count)
                characteristics.append(.init(attribute: characteristic, place: place))
                cloned.characteristics.append(copy)
            }
            device.services.append(cloned)
        }
        if readings.values.contains(where: \.hasPaired) {
            device.losses.append("what else needs pairing, which cannot be seen once the device is paired")
        }
    }

    private func isOwnedByBlueZ(
        _ service: CBService, _ places: [ObjectIdentifier: Int], _ readings: [Int: Reading]
    ) -> Bool {
        let characteristics = service.characteristics ?? []
        var identity: [UInt8]?
        if let only = characteristics.first,
            case .success(let value)? = places[only.place].flatMap({ readings[$0] })?.result
        {
            identity = [UInt8](value)
        }
        return OwnServices.contain(
            uuid: service.uuid.uuidString, characteristics: characteristics.map(\.uuid.uuidString), identity: identity)
    }

    private func clone(
        _ characteristic: CBCharacteristic, _ places: [ObjectIdentifier: Int], _ readings: [Int: Reading]
    ) -> ClonedDevice.Characteristic? {
        let path = "\(characteristic.service?.uuid.uuidString ?? "?")/\(characteristic.uuid.uuidString)"
        let names = characteristic.properties.names
        let possible = names.filter { Self.properties.contains($0) }
        let others = names.filter { !Self.properties.contains($0) }
        if !others.isEmpty { device.losses.append("\(others.joined(separator: ", ")) of \(path)") }
        guard !possible.isEmpty else {
            device.losses.append("\(path), which has no property that a profile can have")
            return nil
        }
        var cloned = ClonedDevice.Characteristic(uuid: characteristic.uuid.uuidString, properties: possible)
        if let place = places[characteristic.place] {
            cloned.readFault = faults[place]
            if readings[place]?.hasPaired == true { cloned.encrypted = ["read"] }
            switch readings[place]?.result {
            case .success(let value): cloned.value = value
            case .failure(let failure): cloned.readError = failure.attError.map { UInt8(truncatingIfNeeded: $0) }
            case nil: break
            }
        }
        for descriptor in characteristic.descriptors ?? [] {
            let uuid = descriptor.uuid.uuidString
            var value: Data?
            if case .success(let read)? = places[descriptor.place].flatMap({ readings[$0] })?.result { value = read }
            if cloned.add(descriptor: uuid, value: value) { continue }
            device.losses.append(
                "the descriptor \(uuid) of \(path)" + (value.map { ", which is \(ValueText.hex($0))" } ?? ""))
        }
        return cloned
    }

    private static let properties = ["read", "write", "write-without-response", "notify", "indicate"]
}

extension CBAttribute {
    fileprivate var place: ObjectIdentifier { ObjectIdentifier(self) }
}
