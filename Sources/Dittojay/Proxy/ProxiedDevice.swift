import BlueZ
package import CoreBluetooth
import GATTProfiles
import MainLoop

/// The device that a virtual peripheral proxies, instead of having a profile. Used on the peripheral's queue only.
// @unchecked: the state is only used on the peripheral's queue, to which tasks come back.
package final class ProxiedDevice: @unchecked Swift.Sendable {
    /// How a device is to be reached, and what is to be changed on the way.
    package struct Options {
        /// Which device.
        package var selector: DeviceSelector
        /// The controller to reach it with, by its name or address. Nil: the first powered one that the peripheral
        /// does not use.
        package var adapter: String?
        /// How long it may take to find the device and all that it offers, in seconds.
        package var timeout: Double
        /// What is given in place of what really is sent.
        package var replacements: [Replacement]
        /// Makes the scenario for what the device offers, once that is known.
        package var scenario: (PeripheralProfile) throws(DittojayError) -> [ScenarioStep]

        package init(
            _ selector: DeviceSelector, adapter: String? = nil, timeout: Double = 20, replacements: [Replacement] = [],
            scenario: @escaping (PeripheralProfile) throws(DittojayError) -> [ScenarioStep] = { _ in [] }
        ) {
            self.selector = selector
            self.adapter = adapter
            self.timeout = timeout
            self.replacements = replacements
            self.scenario = scenario
        }
    }

    /// A value in place of those that really are sent.
    package struct Replacement: Hashable {
        package enum Direction: Hashable {
            /// Of what is read, notified and indicated.
            case fromDevice
            /// Of what is written.
            case toDevice
        }

        package var direction: Direction
        /// As a user names it.
        package var characteristic: String
        package var value: [UInt8]

        package init(_ direction: Direction, of characteristic: String, by value: [UInt8]) {
            self.direction = direction
            self.characteristic = characteristic
            self.value = value
        }
    }

    /// What happens to the device.
    enum Event {
        /// It is connected for the first time. `losses` cannot be offered.
        case opened(PeripheralProfile, losses: [String])
        /// It is connected again.
        case returned
        /// Its link has ended.
        case lost
        /// These services were removed, by their names, and these were added.
        case changed(removed: [String], added: [ServiceProfile])
        /// It has sent a value.
        case value(CharacteristicPath, Data)
        case failed(DittojayError)
    }

    let options: Options
    var onEvent: ((Event) -> Void)?
    /// The controller that it is reached with.
    private(set) var adapter: AdapterLease.Description?
    private var link: DeviceLink?
    private var names = ProxiedNames()
    private var isOpen = false
    /// Whether all services are advertised, as those that the device advertises are not known.
    private var advertisesAll = false
    /// The addresses of the devices whose advertised services bluetoothd did not report before they were looked for.
    private var hiding: Set<String> = []

    package init(_ options: Options) {
        self.options = options
    }

    /// Finds the device and connects to it; what comes of it is reported by ``onEvent``.
    func open(on adapter: AdapterLease.Description, clock: any Clock, session: BlueZSession) {
        self.adapter = adapter
        let link = DeviceLink(
            to: options.selector, timeout: options.timeout, clock: clock, session: session,
            onEvent: { [weak self] event in self?.handle(event) })
        self.link = link
        let (selector, queue) = (options.selector, clock.queue)
        // What bluetoothd has seen of the device before may no longer be so.
        Task {
            try? await session.forgetSeenDevices(on: adapter.address) { device in
                selector.matches(device)
            }
            let hiding = try? await session.devicesHidingAdvertisedServices(on: adapter.address)
            queue.async { [weak self] in
                self?.hiding = hiding ?? []
                link.open(on: adapter.address)
            }
        }
        self.session = session
        self.queue = queue
    }

    private var session: BlueZSession?
    private var queue: DispatchQueue?

    func close(_ done: @escaping () -> Void) {
        guard let link else { return done() }
        link.close(done)
    }

    var isConnected: Bool { link?.isReady ?? false }
    var address: String? { link?.peripheral?.bluetoothAddress }
    /// As it is advertised, or as the device calls itself.
    var name: String? { link.flatMap { $0.advertisement.localName ?? $0.peripheral?.name } }

    // MARK: What happens

    private func handle(_ event: DeviceLink.Event) {
        switch event {
        case .ready(let table):
            let change = names.update(table, isNewLink: true)
            guard isOpen else {
                isOpen = true
                return reportOpened(change.added, table.losses)
            }
            onEvent?(.changed(removed: change.removed, added: advertised(change.added)))
            onEvent?(.returned)
        case .changed(let table):
            let change = names.update(table, isNewLink: false)
            onEvent?(.changed(removed: change.removed, added: advertised(change.added)))
        case .lost: onEvent?(.lost)
        case .value(let characteristic, let value):
            if let path = names.path(of: characteristic) { onEvent?(.value(path, value)) }
        case .failed(let error): onEvent?(.failed(error))
        }
    }

    /// The appearance is bluetoothd's knowledge alone.
    private func reportOpened(_ services: [ServiceProfile], _ losses: [String]) {
        guard let session, let queue, let address, let adapter else { return }
        Task { @LoopActor [weak self] in
            let appearance = try? session.device(address, on: adapter.address)?.appearance
            queue.async { [weak self] in self?.opened(services, losses, appearance: appearance) }
        }
    }

    private func opened(_ services: [ServiceProfile], _ losses: [String], appearance: UInt16?) {
        guard let link else { return }
        // bluetoothd does not forget what is paired, connected or trusted, and reports services of an earlier
        // connection as those that are advertised.
        advertisesAll = address.map(hiding.contains) ?? false
        var advertisement = link.advertisement
        advertisement.appearance = appearance
        let profile = PeripheralProfile(
            name: "proxy", localName: name ?? "Dittojay", advertisement: advertisement.extra,
            services: advertised(services))
        var losses = losses
        if advertisesAll {
            losses.append(
                "which services the device advertises: bluetoothd reports all of a connection instead, because the device "
                    + "is paired, connected or trusted; all that fit are advertised")
        }
        for uuid in advertisedUUIDs.subtracting(services.map(\.uuid)).sorted() {
            losses.append("the service \(uuid), which is advertised but does not exist")
        }
        onEvent?(.opened(profile, losses: losses))
    }
}

extension ProxiedDevice {
    private var advertisedUUIDs: Set<String> {
        advertisesAll ? [] : Set(link?.advertisement.serviceUUIDs.map(\.profileText) ?? [])
    }

    /// The services, those of them advertised that the device advertises.
    private func advertised(_ services: [ServiceProfile]) -> [ServiceProfile] {
        let uuids = advertisedUUIDs
        return services.map { service in
            var service = service
            service.isAdvertised = advertisesAll || uuids.contains(service.uuid)
            return service
        }
    }
}

extension ProxiedDevice: AnswerSource {
    func read(_ path: CharacteristicPath, _ done: @escaping (Answer) -> Void) {
        withCharacteristic(path, done) { link, characteristic in link.requests.read(characteristic, done) }
    }

    func write(_ value: Data, to path: CharacteristicPath, wantsResponse: Bool?, _ done: @escaping (Answer) -> Void) {
        withCharacteristic(path, done) { link, characteristic in
            link.requests.write(value, to: characteristic, wantsResponse: wantsResponse, done)
        }
    }

    func setNotifying(_ isOn: Bool, of path: CharacteristicPath, _ done: @escaping (Answer) -> Void) {
        withCharacteristic(path, done) { link, characteristic in
            link.requests.setNotifying(isOn, of: characteristic, done)
        }
    }

    private func withCharacteristic(
        _ path: CharacteristicPath, _ done: (Answer) -> Void, _ body: (DeviceLink, CBCharacteristic) -> Void
    ) {
        guard let link, let characteristic = names.characteristic(at: path) else {
            return done(Answer(.refused(CBATTError(.attributeNotFound))))
        }
        body(link, characteristic)
    }
}

extension DeviceSelector {
    /// Whether a device that bluetoothd knows is meant.
    @LoopActor
    fileprivate func matches(_ device: Device) -> Bool {
        let identifier = CBPeer.identifier(
            forBluetoothAddress: device.address, isRandom: device.addressType == "random")
        return identifier.map { matches($0, names: [device.name]) } ?? false
    }
}
