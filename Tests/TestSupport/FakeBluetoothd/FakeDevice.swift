package import DBus
import Foundation
package import MainLoop

/// A remote device: what advertises, is connected to, has services; or a central that has connected.
@LoopActor
package final class FakeDevice: FakeObject {
    package unowned let adapter: FakeAdapter
    package var isInRange = true
    package var isAdvertising = true
    /// What it advertises, as 128-bit UUIDs in lower case.
    package var advertisedServices: [String]
    package var rssi: Int16 = -60
    package private(set) var services: [FakeService] = []

    /// How long it takes from the connection until its services are known; nil if they never are.
    package var resolutionTime: Duration? = .zero
    /// Whether the device answers while its services are looked for. If not, bluetoothd says in the end that they are
    /// resolved, and has none.
    package var answersDiscovery = true
    /// Whether its advertisement says that it can be discovered.
    package var isDiscoverable = true
    /// How long bluetoothd takes to end a link.
    package var disconnectionTime: Duration = .zero
    /// How long after its answer bluetoothd reports that the link has ended.
    package var reportTime: Duration = .zero
    /// Whether it is about to end the link.
    private(set) var isDisconnecting = false
    /// Whether it has lost the keys of its pairing: a link to it comes up and ends, because it cannot be encrypted.
    package var hasLostKeys = false
    /// Whether bluetoothd calls such an attempt a success, as it does at times.
    package var succeedsWithoutKeys = false
    /// Whether it wants to pair as soon as it is connected to: it has keys that this machine has lost.
    package var wantsEncryption = false
    /// Whether bluetoothd reports why that link has ended, as newer releases do.
    package var reportsReasons = false
    /// What comes of pairing; nil if nothing does.
    package var pairing: Pairing? = .succeeds

    package enum Pairing {
        case succeeds
        /// With this error of `org.bluez.Error`, such as `AuthenticationFailed`.
        case fails(String, String)
        /// Succeeds if the program's agent confirms this number.
        case confirmation(UInt32)
        /// Succeeds if the program's agent enters this number.
        case passkey(UInt32)
        /// Succeeds if this number, which the program's agent shows, is the right one.
        case display(UInt32, isEntered: Bool)
        /// The agent agrees, but the device does not, which ends the link.
        case refused
    }

    /// Whether what is displayed is entered by ``enter()`` only, and not at once.
    package var waitsForEntry = false
    private var entry: (@LoopActor () -> Void)?

    /// The device's user enters what is displayed.
    package func enter() {
        entry?()
        entry = nil
    }

    /// The number of connections so far. Services of an earlier one are not reported as resolved in a later one.
    private var connection = 0
    private var pendingConnects: [MethodInvocation] = []

    package init(_ address: String, name: String?, advertising services: [String], on adapter: FakeAdapter) {
        self.adapter = adapter
        advertisedServices = services.map(FakeService.fullUUID)
        var values: [String: BusValue] = [
            "Address": .string(address), "AddressType": .string(address.hasPrefix("C") ? "random" : "public"),
            "Alias": .string(name ?? address), "Adapter": .objectPath(adapter.path), "Connected": .boolean(false),
            "ServicesResolved": .boolean(false), "Paired": .boolean(false), "Bonded": .boolean(false),
            "Trusted": .boolean(false), "Blocked": .boolean(false), "LegacyPairing": .boolean(false),
            "UUIDs": services.map(FakeService.fullUUID).busValue,
        ]
        if let name { values["Name"] = .string(name) }
        super.init(
            adapter.path.appending("dev_" + address.replacingOccurrences(of: ":", with: "_")), "org.bluez.Device1",
            values, daemon: adapter.daemon)
    }

    package var address: String { text("Address") }
    package var isConnected: Bool { flag("Connected") }
    package var isPaired: Bool { flag("Paired") }

    // MARK: Services

    /// Gives it a service. It is known to bluetoothd with the next connection, or at once by ``FakeService/appear()``.
    @discardableResult
    package func addService(
        _ uuid: String, handle: UInt16? = nil, isPrimary: Bool = true, _ characteristics: [FakeCharacteristic.Plan] = []
    ) -> FakeService {
        let handle = handle ?? (services.map(\.lastHandle).max() ?? 0x000F) + 1
        let service = FakeService(uuid, handle: handle, isPrimary: isPrimary, characteristics, of: self)
        services.append(service)
        return service
    }

    /// Takes a service away, with the link up or not.
    package func remove(_ service: FakeService) {
        services.removeAll { $0 === service }
        service.disappear()
    }

    /// The first characteristic with this UUID.
    package func characteristic(_ uuid: String) -> FakeCharacteristic? {
        services.lazy.flatMap(\.characteristics).first { $0.uuid == FakeService.fullUUID(uuid) }
    }

    // MARK: Advertising

    /// As with a controller for LE alone (5.87): a filter for the transport is none there.
    func passes(_ filter: [String: BusValue]) -> Bool {
        let isFilter = filter["UUIDs"] != nil || filter["Pattern"] != nil || filter["DuplicateData"] == .boolean(true)
        guard isFilter || isDiscoverable else { return false }
        guard let wanted = filter["UUIDs"].flatMap([String].init(busValue:)), !wanted.isEmpty else { return true }
        return wanted.contains { advertisedServices.contains(FakeService.fullUUID($0)) }
    }

    func sighted() {
        set("RSSI", .int16(rssi), silently: !isShown)
        show()
    }

    // MARK: The link

    /// The link comes up, as bluetoothd reports it.
    package func comeUp() {
        guard !isConnected else { return }
        connection += 1
        let current = connection
        show()
        set("Connected", .boolean(true))
        guard let resolutionTime else { return }
        let resolve: @LoopActor () -> Void = { [weak self] in
            guard let self, current == connection, isConnected else { return }
            if answersDiscovery { for service in services where service.isKnownAtOnce { service.appear() } }
            let always = answersDiscovery ? ["1800", "1801"].map(FakeService.fullUUID) : []
            set("UUIDs", (always + services.map(\.uuid)).busValue)
            set("ServicesResolved", .boolean(true))
        }
        for service in services { service.linkIsUp() }
        resolutionTime == .zero ? resolve() : Later.run(after: resolutionTime, resolve)
    }

    /// The link goes down: the device has ended it, or is out of range.
    ///
    /// - Parameter reason: the end of the name of bluetoothd's reason, such as `Timeout`; nil if it says none.
    package func lose(silently: Bool = false, because reason: String? = nil) {
        for invocation in pendingConnects {
            invocation.fail(.bluez("Failed", "le-connection-abort-by-local"))
        }
        pendingConnects = []
        isDisconnecting = false
        guard isConnected else { return }
        connection += 1
        set("ServicesResolved", .boolean(false), silently: silently)
        for service in services { service.linkIsDown() }
        if !isPaired { for service in services { service.disappear() } }
        if let reason { report(reason) }
        set("Connected", .boolean(false), silently: silently)
        for application in adapter.applications {
            for characteristic in application.characteristics { characteristic.lost(self) }
        }
    }

    /// Ends the link as bluetoothd does when a program asks it to, after ``disconnectionTime``.
    package func disconnect(_ completion: @escaping @LoopActor () -> Void = {}) {
        let end: @LoopActor () -> Void = { [weak self] in
            completion()
            guard let self else { return }
            reportTime == .zero ? lose() : Later.run(after: reportTime) { [weak self] in self?.lose() }
        }
        guard disconnectionTime != .zero else { return end() }
        isDisconnecting = true
        Later.run(after: disconnectionTime, end)
    }

    /// bluetoothd answers before it knows that the link has ended.
    private func failToEncrypt(_ invocation: MethodInvocation) {
        set("Connected", .boolean(true))
        if succeedsWithoutKeys {
            invocation.reply()
        } else {
            invocation.fail(.bluez("Failed", "le-connection-abort-by-local"))
        }
        Later.run(after: .milliseconds(300)) { [weak self] in
            guard let self, isConnected else { return }
            if reportsReasons { report("Authentication") }
            set("Connected", .boolean(false))
        }
    }

    /// Newer releases say why a link has ended.
    private func report(_ reason: String) {
        let words: [BusValue] = [.string("org.bluez.Reason.\(reason)"), .string("Connection terminated")]
        try? daemon.connection.emit("Disconnected", of: interface, from: path, arguments: words)
    }

    func forget(_ client: String) {
        for characteristic in services.flatMap(\.characteristics) { characteristic.forget(client) }
    }

    /// bluetoothd forgets it, with its keys.
    ///
    /// - Parameter silently: whether only the end of the object reports the end of the link.
    package func beForgotten(silently: Bool = false) {
        forgetKeys()
        lose(silently: silently)
        hide()
        set("UUIDs", advertisedServices.busValue)
    }

    func forgetKeys() {
        set("Paired", .boolean(false))
        set("Bonded", .boolean(false))
    }

    // MARK: Pairing

    /// Pairs, with the help of an agent.
    ///
    /// - Parameter client: the program that has asked for it.
    package func pair(for client: String? = nil, _ completion: @escaping @LoopActor (MethodFailure?) -> Void) {
        guard let pairing else { return }
        let finish: @LoopActor (MethodFailure?) -> Void = { [weak self] failure in
            if failure == nil {
                self?.set("Paired", .boolean(true))
                self?.set("Bonded", .boolean(true))
            }
            completion(failure)
        }
        let refused = MethodFailure.bluez("AuthenticationFailed", "Authentication Failed")
        switch pairing {
        case .succeeds: finish(nil)
        case .fails(let name, let message): finish(.bluez(name, message))
        case .confirmation(let number):
            daemon.agents.ask("RequestConfirmation", [path.busValue, .uint32(number)], of: client) { reply in
                finish(reply == nil ? refused : nil)
            }
        case .display(let number, let isEntered):
            let arguments = [path.busValue, .uint32(number), .uint16(0)]
            daemon.agents.ask("DisplayPasskey", arguments, of: client) { [weak self] reply in
                let enter = { @LoopActor in finish(reply == nil || !isEntered ? refused : nil) }
                guard let self, waitsForEntry else { return enter() }
                entry = enter
            }
        case .refused:
            daemon.agents.ask("RequestAuthorization", [path.busValue], of: client) { [weak self] _ in
                self?.lose()
                finish(.bluez("Failed", "Operation failed with ATT error: 0x0e"))
            }
        case .passkey(let number):
            daemon.agents.ask("RequestPasskey", [path.busValue], of: client) { reply in
                finish(reply?.first == .uint32(number) ? nil : refused)
            }
        }
    }

    // MARK: Interface

    override var settable: [String: @LoopActor (BusValue) throws -> Void] {
        [
            "Trusted": { [weak self] in self?.set("Trusted", $0) },
            "Alias": { [weak self] in self?.set("Alias", $0) },
        ]
    }

    override var methods: [ExportedMethod] {
        [
            method("Connect") { [weak self] invocation in
                guard let self else { return }
                guard adapter.isPowered else { throw MethodFailure.bluez("NotReady", "Resource Not Ready") }
                guard isInRange else { return pendingConnects.append(invocation) }
                if hasLostKeys, isPaired, !isConnected { return failToEncrypt(invocation) }
                comeUp()
                invocation.reply()
                if wantsEncryption { pair { _ in } }
            },
            method("Disconnect") { [weak self] invocation in
                guard let self else { return }
                guard isConnected || !pendingConnects.isEmpty else {
                    throw MethodFailure.bluez("NotConnected", "Not Connected")
                }
                disconnect { invocation.reply() }
            },
            method("Pair") { [weak self] invocation in
                guard self?.isPaired == false else { throw MethodFailure.bluez("AlreadyExists", "Already Exists") }
                self?.pair(for: invocation.sender) { failure in
                    if let failure { invocation.fail(failure) } else { invocation.reply() }
                }
            },
            method("CancelPairing") { $0.reply() },
        ]
    }
}
