package import DBus
package import MainLoop

/// A controller of the fake bluetoothd.
@LoopActor
package final class FakeAdapter: FakeObject {
    package let index: Int
    /// What can be found and connected to. Bluetoothd has an object for a device only once it was found.
    package private(set) var air: [FakeDevice] = []
    /// The services that programs offer here.
    package private(set) var applications: [FakeApplication] = []
    package private(set) var advertisements: [FakeAdvertisement] = [] { didSet { advertisingChanged() } }
    /// How many advertisements other programs have; there is room for four.
    package var advertisementsOfOthers = 0 { didSet { advertisingChanged() } }
    /// Whether the controller has extended advertising.
    package var isExtended = false
    /// Called once, when a program asks whether it has.
    package var onExtendedQuestion: (() -> Void)?
    /// The discovery filters of those that scan, by the client's unique name.
    package private(set) var scans: [String: [String: BusValue]] = [:]
    private var filters: [String: [String: BusValue]] = [:]
    /// Whether a discovery filter may have a pattern.
    package var knowsPatterns = true
    package var offersServices = true
    package var offersAdvertising = true
    /// How long the controller takes to be switched on or off.
    package var powerDelay: Duration = .zero
    var nextHandle: UInt16 = 0x0400

    package var name: String { "hci\(index)" }
    package var address: String { text("Address") }

    init(index: Int, daemon: FakeBluetoothd) {
        self.index = index
        super.init(
            .root.appending("org").appending("bluez").appending("hci\(index)"), "org.bluez.Adapter1",
            [
                "Address": .string("00:AA:01:0\(index):00:0\(index)"), "AddressType": .string("public"),
                "Name": .string("fake-\(index)"), "Alias": .string("fake-\(index)"), "Powered": .boolean(true),
                "Discovering": .boolean(false), "Discoverable": .boolean(false), "Pairable": .boolean(true),
                "Roles": ["central", "peripheral"].busValue, "Modalias": .string("usb:v1D6Bp0246d0542"),
            ], daemon: daemon)
    }

    package var isPowered: Bool { flag("Powered") }

    /// The characteristic with this UUID that a program offers.
    package func characteristic(_ uuid: String) -> FakeLocalCharacteristic? {
        applications.lazy.compactMap { $0.characteristic(uuid) }.first
    }

    /// The UUIDs of the services that programs offer.
    package var offeredServices: [String] { applications.flatMap { $0.services.map(\.uuid) } }
    /// The first handles that programs want for them.
    package var offeredHandles: [UInt16?] { applications.flatMap { $0.services.map(\.handle) } }

    // MARK: Life

    func begin() {
        show()
        for device in air where device.isPaired { device.show() }
    }

    func forgetEverything() {
        for device in air { device.lose(silently: true) }
        for application in applications { application.end() }
        applications = []
        advertisements = []
        scans = [:]
        filters = [:]
        set("Discovering", .boolean(false), silently: true)
    }

    func forget(_ client: String) {
        for application in applications where application.client == client { remove(application) }
        advertisements.removeAll { $0.client == client }
        filters[client] = nil
        if scans[client] != nil { stopScan(of: client) }
        for device in air { device.forget(client) }
    }

    /// How long the kernel takes to switch it off once it is reported to be off. A command to switch it on that comes
    /// in that time has no effect, and bluetoothd refuses further ones.
    package var switchingOffTime: Duration = .zero
    private var offSince: ContinuousClock.Instant?
    private var isStuck = false

    /// Switches the controller on or off.
    package func power(_ isOn: Bool) {
        guard isOn != isPowered else { return }
        if !isOn {
            let former = kernelFilter
            scans = [:]
            scansChanged(from: former)
            for device in air { device.lose() }
        }
        offSince = isOn ? nil : .now
        set("Powered", .boolean(isOn))
    }

    // MARK: Devices

    /// Puts a device into the air. A scan that is on finds it.
    @discardableResult
    package func add(_ device: FakeDevice) -> FakeDevice {
        air.append(device)
        if !scans.isEmpty { report(device) }
        return device
    }

    /// Puts a new device into the air.
    @discardableResult
    package func addDevice(
        _ address: String = "C0:00:00:00:00:01", name: String? = "Sensor", advertising services: [String] = ["180D"]
    ) -> FakeDevice {
        add(FakeDevice(address, name: name, advertising: services, on: self))
    }

    /// Takes a device away for good.
    package func removeFromAir(_ device: FakeDevice) {
        air.removeAll { $0 === device }
        device.lose()
    }

    /// The object of a central that has connected to this machine.
    @discardableResult
    package func connectCentral(_ address: String = "C0:00:00:00:00:02") -> FakeDevice {
        let device =
            air.first { $0.address == address } ?? add(FakeDevice(address, name: nil, advertising: [], on: self))
        device.show()
        device.set("Connected", .boolean(true))
        return device
    }

    // MARK: Scanning

    /// Another program begins to scan, for anything.
    package func startOtherScan() {
        startScan(of: Self.otherProgram, ["Transport": .string("le"), "Pattern": .string("")])
    }

    package func stopOtherScan() { stopScan(of: Self.otherProgram) }

    private static let otherProgram = ":0.0"

    /// What the kernel is asked for: nothing, any device, or those that advertise these services.
    private var kernelFilter: Set<String>? {
        guard !scans.isEmpty else { return nil }
        let wanted = scans.values.map { $0["UUIDs"].flatMap([String].init(busValue:)) ?? [] }
        return wanted.contains { $0.isEmpty } ? [] : Set(wanted.joined())
    }

    private func startScan(of client: String, _ filter: [String: BusValue]) {
        let former = kernelFilter
        scans[client] = filter
        scansChanged(from: former)
    }

    private func stopScan(of client: String) {
        let former = kernelFilter
        scans[client] = nil
        scansChanged(from: former)
    }

    /// The controller reports each device once in a scan of the kernel's, and that begins again only if something else
    /// is looked for.
    private func scansChanged(from former: Set<String>?) {
        set("Discovering", .boolean(!scans.isEmpty))
        // bluetoothd takes the signal strength back when the last scan has ended.
        if scans.isEmpty { for device in air where device.isShown { device.set("RSSI", nil) } }
        if kernelFilter != former { reportAll() }
    }

    /// Every device that a scan would report at this moment.
    package func reportAll() {
        for device in air { report(device) }
    }

    package func report(_ device: FakeDevice) {
        guard isPowered, device.isInRange, device.isAdvertising, !device.flag("Connected"),
            scans.values.contains(where: device.passes)
        else { return }
        device.sighted()
    }

    func remove(_ application: FakeApplication) {
        applications.removeAll { $0 === application }
        application.end()
    }

    // MARK: Interface

    override var settable: [String: @LoopActor (BusValue) throws -> Void] {
        [
            "Powered": { [weak self] value in
                let isOn = Bool(busValue: value) ?? false
                guard let self else { return }
                guard !isStuck else { throw MethodFailure.bluez("Busy", "") }
                if isOn, let offSince, .now - offSince < switchingOffTime {
                    isStuck = true
                    return
                }
                powerDelay == .zero ? power(isOn) : Later.run(after: powerDelay) { [weak self] in self?.power(isOn) }
            },
            "Alias": { [weak self] value in
                guard let self else { return }
                set("Alias", text("Alias").isEmpty || value == .string("") ? .string(text("Name")) : value)
            },
            "Discoverable": { [weak self] value in self?.set("Discoverable", value) },
        ]
    }

    override var methods: [ExportedMethod] {
        [
            method("SetDiscoveryFilter", inputs: [.options]) { [weak self] invocation in
                let filter: [String: BusValue] = try invocation.argument(0)
                guard self?.knowsPatterns == true || filter["Pattern"] == nil else {
                    throw MethodFailure.bluez("InvalidArguments", "Invalid arguments in method call")
                }
                self?.filters[invocation.sender] = filter
                invocation.reply()
            },
            method("StartDiscovery") { [weak self] invocation in
                guard let self else { return }
                guard isPowered else { throw MethodFailure.bluez("NotReady", "Resource Not Ready") }
                guard scans[invocation.sender] == nil else {
                    throw MethodFailure.bluez("InProgress", "Operation already in progress")
                }
                invocation.reply()
                startScan(of: invocation.sender, filters[invocation.sender] ?? [:])
            },
            method("StopDiscovery") { [weak self] invocation in
                guard let self else { return }
                guard scans[invocation.sender] != nil else {
                    throw MethodFailure.bluez("Failed", "No discovery started")
                }
                invocation.reply()
                stopScan(of: invocation.sender)
            },
            method("RemoveDevice", inputs: [.object]) { [weak self] invocation in
                let path: ObjectPath = try invocation.argument(0)
                guard let device = self?.air.first(where: { $0.path == path && $0.isShown }) else {
                    throw MethodFailure.bluez("DoesNotExist", "Does Not Exist")
                }
                device.beForgotten()
                invocation.reply()
            },
        ]
    }

    override var otherInterfaces: [(interface: ExportedInterface, values: [String: BusValue])] {
        var others: [(ExportedInterface, [String: BusValue])] = []
        if offersServices { others.append((ExportedInterface("org.bluez.GattManager1", methods: serviceMethods), [:])) }
        if offersAdvertising {
            let properties = [
                ExportedProperty("ActiveInstances", get: { [weak self] in self?.advertisementCount ?? 0 }),
                ExportedProperty("SupportedInstances", get: { [weak self] in 4 - (self?.advertisementCount ?? 0) }),
                ExportedProperty(
                    "SupportedSecondaryChannels",
                    get: { [weak self] in
                        let question = self?.onExtendedQuestion
                        self?.onExtendedQuestion = nil
                        question?()
                        return self?.isExtended == true ? ["1M"] : nil
                    }),
            ]
            others.append(
                (
                    ExportedInterface(Self.advertisingManager, methods: advertisingMethods, properties: properties),
                    advertisingValues
                ))
        }
        return others
    }

    private static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    private var advertisementCount: UInt8 { UInt8(min(4, advertisements.count + advertisementsOfOthers)) }
    private var advertisingValues: [String: BusValue] {
        ["ActiveInstances": .byte(advertisementCount), "SupportedInstances": .byte(4 - advertisementCount)]
    }

    private func advertisingChanged() {
        guard daemon.isShown(self) else { return }
        try? daemon.connection.emit(
            "PropertiesChanged", of: "org.freedesktop.DBus.Properties", from: path,
            arguments: [.string(Self.advertisingManager), advertisingValues.busValue, [String]().busValue])
    }

    private var serviceMethods: [ExportedMethod] {
        [
            method("RegisterApplication", inputs: [.object, .options]) { [weak self] invocation in
                guard let self else { return }
                let root: ObjectPath = try invocation.argument(0)
                FakeApplication.load(root, of: invocation.sender, on: self) { [weak self] application in
                    guard let self, let application else {
                        return invocation.fail(.bluez("Failed", "Failed to create entry in database"))
                    }
                    applications.append(application)
                    invocation.reply()
                }
            },
            method("UnregisterApplication", inputs: [.object]) { [weak self] invocation in
                let root: ObjectPath = try invocation.argument(0)
                guard
                    let application = self?.applications.first(where: {
                        $0.root == root && $0.client == invocation.sender
                    })
                else { throw MethodFailure.bluez("DoesNotExist", "Does Not Exist") }
                self?.remove(application)
                invocation.reply()
            },
        ]
    }

    private var advertisingMethods: [ExportedMethod] {
        [
            method("RegisterAdvertisement", inputs: [.object, .options]) { [weak self] invocation in
                guard let self else { return }
                let path: ObjectPath = try invocation.argument(0)
                guard isPowered else { throw MethodFailure.bluez("NotReady", "Resource Not Ready") }
                guard !advertisements.contains(where: { $0.path == path && $0.client == invocation.sender }) else {
                    throw MethodFailure.bluez("AlreadyExists", "Already Exists")
                }
                guard advertisementCount < 4 else {
                    throw MethodFailure.bluez("NotPermitted", "Maximum advertisements reached")
                }
                FakeAdvertisement.load(path, of: invocation.sender, on: self) { [weak self] advertisement in
                    guard let self, let advertisement else {
                        return invocation.fail(.bluez("Failed", "Failed to parse advertisement."))
                    }
                    advertisements.append(advertisement)
                    invocation.reply()
                }
            },
            method("UnregisterAdvertisement", inputs: [.object]) { [weak self] invocation in
                let path: ObjectPath = try invocation.argument(0)
                guard
                    let index = self?.advertisements.firstIndex(where: {
                        $0.path == path && $0.client == invocation.sender
                    })
                else { throw MethodFailure.bluez("DoesNotExist", "Does Not Exist") }
                self?.advertisements.remove(at: index)
                invocation.reply()
            },
        ]
    }

    /// Takes an advertisement down by itself, as when the controller has no room for it any longer.
    package func release(_ advertisement: FakeAdvertisement) {
        advertisements.removeAll { $0 === advertisement }
        try? daemon.connection.callWithoutReply(
            MethodCall(
                destination: advertisement.client, path: advertisement.path, interface: "org.bluez.LEAdvertisement1",
                method: "Release"))
    }
}
