import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ

/// A session that notes its events as lines.
@LoopActor
private final class Mirror {
    let session: BlueZSession
    private(set) var lines: [String] = []
    private var observation: Registration?

    init(_ connect: @escaping @LoopActor () async throws(BusError) -> BusConnection) {
        var timing = BlueZSession.Timing()
        timing.retry = .milliseconds(20)
        session = BlueZSession(timing: timing, handleFolder: "/dev/null", connect: connect)
        observation = session.observe { [weak self] event in self?.note(event) }
    }

    convenience init(on daemon: FakeBluetoothd) {
        self.init { [bus = daemon.bus] () throws(BusError) in try bus.connect() }
    }

    private func note(_ event: BlueZEvent) {
        let line: String? =
            switch event {
            case .stateChanged(.available): "available"
            case .stateChanged(.lost): "lost"
            case .stateChanged(.unavailable): "unavailable"
            case .stateChanged(.starting): "starting"
            case .adapterAdded(let adapter): "+ \(adapter.name)"
            case .adapterRemoved(let adapter): "- \(adapter.name)"
            case .deviceAdded(let device): "+ device \(device.address.suffix(2))"
            case .deviceRemoved(let device): "- device \(device.address.suffix(2))"
            case .serviceAdded(let service): "+ service \(service.uuid.prefix(8).suffix(4))"
            case .serviceRemoved(let service): "- service \(service.uuid.prefix(8).suffix(4))"
            case .deviceChanged(let device, let changes):
                changes.contains(Device1.connected) ? "connected \(device.isConnected)" : nil
            default: nil
            }
        if let line { lines.append(line) }
    }

    /// Returns when all that the daemon has sent is handled.
    func fence(_ daemon: FakeBluetoothd) async throws {
        try await daemon.connection.fence()
        try await session.connection?.fence()
    }
}

/// The mirror of bluetoothd's objects, with a bluetoothd that comes and goes, or is wrong.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct SessionTests {
    private let daemon: FakeBluetoothd
    private let mirror: Mirror
    private var session: BlueZSession { mirror.session }

    init() async throws {
        daemon = try await .start()
        mirror = Mirror(on: daemon)
    }

    @Test func `adapters are in the order of their numbers`() async throws {
        for index in [11, 2, 10] { daemon.addAdapter(index) }
        session.start()
        try await eventually("all") { session.adapters.count == 4 }
        #expect(session.adapters.map(\.name) == ["hci0", "hci2", "hci10", "hci11"])
        daemon.remove(daemon.adapters[2])
        try await eventually("one less") { session.adapters.map(\.name) == ["hci0", "hci10", "hci11"] }
    }

    @Test func `the tree is mirrored as it is and as it changes`() async throws {
        let device = daemon.adapter.addDevice()
        device.addService("180D", [.init("2A37", ["notify"])])
        device.show()
        try await session.waitUntilAvailable()
        device.comeUp()
        try await mirror.fence(daemon)
        #expect(session.adapters.first?.devices.first?.services.first?.characteristics.first?.flags == .notify)
        daemon.adapter.removeFromAir(device)
        device.hide()
        daemon.remove(daemon.adapter)
        try await mirror.fence(daemon)
        #expect(mirror.lines.prefix(5) == ["+ hci0", "+ device 01", "available", "connected true", "+ service 180d"])
        #expect(mirror.lines.suffix(2) == ["- device 01", "- hci0"] && session.adapters.isEmpty)
    }

    @Test func `a bluetoothd that dies takes its objects and brings new ones`() async throws {
        try await session.waitUntilAvailable()
        let former = try #require(session.adapters.first)
        try await daemon.restart()
        try await eventually("the new one") { session.state == .available && session.adapters.first !== former }
        #expect(mirror.lines == ["+ hci0", "available", "- hci0", "lost", "+ hci0", "available"])
        #expect(!former.isValid && session.adapters.first?.isValid == true)
        await #expect(throws: BlueZError.objectRemoved("/org/bluez/hci0")) { try await former.setPowered(true) }
    }

    @Test func `a bluetoothd that is not there is said to be missing and found later`() async throws {
        daemon.die()
        await #expect(throws: BlueZError.notRunning) { try await session.waitUntilAvailable() }
        try await daemon.restart()
        try await eventually("it is found") { session.state == .available }
        #expect(mirror.lines == ["unavailable", "+ hci0", "available"])
    }

    @Test func `a bus that does not answer is reported and used when it does`() async throws {
        let bus = daemon.bus
        let mirror = Mirror { () throws(BusError) in
            try await BusConnection.open(address: bus.address, within: .milliseconds(50))
        }
        bus.freeze()
        let reason = "cannot reach the system bus at \(bus.address): the bus does not answer"
        await #expect(throws: BlueZError.failed(name: "", message: reason)) {
            try await mirror.session.waitUntilAvailable()
        }
        bus.thaw()
        try await eventually("it is used") { mirror.session.state == .available }
        #expect(mirror.lines == ["unavailable", "+ hci0", "available"])
    }

    @Test func `a bluetoothd that does not answer is given up by whoever waits`() async throws {
        daemon.react(to: "GetManagedObjects", times: 1, with: .silent)
        await #expect(throws: BlueZError.notRunning) {
            try await session.waitUntilAvailable(timeout: .milliseconds(50))
        }
        #expect(session.state == .starting)
        try await daemon.restart()
        try await eventually("the next one answers") { session.state == .available }
    }

    @Test func `the answer of a bluetoothd that has died is nobody's`() async throws {
        daemon.react(to: "GetManagedObjects", with: .refuse("Failed"))
        session.start()
        try await eventually("the refusal") { mirror.lines == ["unavailable"] }
        daemon.die()
        daemon.reactOrdinarily()
        try await daemon.restart()
        try await eventually("the new one") { session.state == .available }
        #expect(mirror.lines.filter { $0 == "+ hci0" }.count == 1)
    }

    @Test func `a bus that dies is replaced by the next`() async throws {
        let next = try await FakeBluetoothd.start(adapters: 2)
        var buses = [daemon.bus, next.bus]
        let mirror = Mirror { () throws(BusError) in
            guard !buses.isEmpty else { throw .cannotConnect(address: "nowhere", reason: "none is left") }
            return try buses.removeFirst().connect()
        }
        try await mirror.session.waitUntilAvailable()
        daemon.bus.kill()
        try await eventually("the next bus") { mirror.session.adapters.count == 2 }
        #expect(mirror.lines == ["+ hci0", "available", "- hci0", "lost", "+ hci0", "+ hci1", "available"])
        next.bus.kill()
        try await eventually("no bus is left") { mirror.lines.last == "unavailable" }
        #expect(mirror.session.connection == nil && mirror.session.adapters.isEmpty)
    }

    // MARK: Nonsense

    @Test func `signals of wrong types are ignored`() async throws {
        try await session.waitUntilAvailable()
        let manager = "org.freedesktop.DBus.ObjectManager"
        let adapter = daemon.adapter.path.busValue
        let nothing = [String: BusValue]().busValue
        for arguments: [BusValue] in [
            [], [.uint32(1)], [adapter], [adapter, .string("x")], [.string("x"), nothing], [adapter, nothing, nothing],
        ] {
            for member in ["InterfacesAdded", "InterfacesRemoved", "InterfacesChanged"] {
                try daemon.connection.emit(member, of: manager, from: .root, arguments: arguments)
            }
            try daemon.connection.emit(
                "PropertiesChanged", of: "org.freedesktop.DBus.Properties", from: daemon.adapter.path,
                arguments: arguments)
            try daemon.connection.emit(
                "PropertiesChanged", of: "org.freedesktop.DBus.Properties", from: daemon.adapter.path,
                arguments: [.string(Adapter1.name)] + arguments)
        }
        try await mirror.fence(daemon)
        #expect(mirror.lines == ["+ hci0", "available"] && session.adapters.first?.isPowered == true)
    }

    @Test func `objects without parents and unknown interfaces are ignored`() async throws {
        try await session.waitUntilAvailable()
        for (name, interface) in [
            ("/org/bluez/hci7/dev_00_00_00_00_00_00", Device1.name), ("/", Device1.name),
            ("/org/bluez/hci0/dev_01/service0001", GattService1.name),
            ("/org/bluez/hci0/dev_01/service0001/char0002", GattCharacteristic1.name),
            ("/org/bluez/hci0/dev_01/service0001/char0002/desc0003", GattDescriptor1.name),
            ("/org/bluez/hci7", GattManager1.name), ("/org/bluez/hci0", "org.bluez.Unknown1"),
        ] {
            try daemon.connection.emit(
                "InterfacesAdded", of: "org.freedesktop.DBus.ObjectManager", from: .root,
                arguments: [path(name).busValue, [interface: [String: BusValue]()].busValue])
        }
        try await mirror.fence(daemon)
        #expect(mirror.lines == ["+ hci0", "available"])
    }

    @Test func `properties of wrong types are as good as absent`() async throws {
        let device = daemon.adapter.addDevice()
        for name in ["Address", "Connected", "ServicesResolved", "UUIDs", "Name", "Paired"] {
            device.set(name, .double(1))
        }
        device.show()
        try await session.waitUntilAvailable()
        let mirrored = try #require(session.adapters.first?.devices.first)
        #expect(mirrored.address.isEmpty && !mirrored.isConnected && !mirrored.areServicesResolved)
        #expect(mirrored.serviceUUIDs.isEmpty && mirrored.name == nil && !mirrored.isPaired)
        device.set("Connected", .boolean(true))
        try await mirror.fence(daemon)
        #expect(mirrored.isConnected)
    }

    @Test func `a signal of somebody else is not bluetoothd's`() async throws {
        try await session.waitUntilAvailable()
        let other = try daemon.bus.connect()
        try other.emit(
            "InterfacesRemoved", of: "org.freedesktop.DBus.ObjectManager", from: .root,
            arguments: [daemon.adapter.path.busValue, [Adapter1.name].busValue])
        try await other.fence()
        try await session.connection?.fence()
        #expect(session.adapters.count == 1)
    }

    // MARK: Connections that are not reported

    private func silentlyConnected() async throws -> (FakeDevice, Device) {
        let device = daemon.adapter.addDevice()
        device.show()
        try await session.waitUntilAvailable()
        device.set("Connected", .boolean(true), silently: true)
        return (device, try #require(session.adapters.first?.devices.first))
    }

    private func confirm(_ path: ObjectPath) async throws -> Bool? {
        try await event("an answer") { found in session.confirmConnection(of: path) { found(try? $0.get()) } }
    }

    @Test func `a connection is noted once it is asked for`() async throws {
        let (device, mirrored) = try await silentlyConnected()
        #expect(!mirrored.isConnected)
        #expect(try await confirm(device.path) == true)
        #expect(mirrored.isConnected && mirror.lines.last == "connected true")
        device.lose()
        try await mirror.fence(daemon)
        #expect(try await confirm(device.path) == false)
        #expect(try await confirm(path("/nowhere")) == nil)
        #expect(mirror.lines.suffix(2) == ["connected true", "connected false"])
    }

    @Test func `a connection that ends right after the answer is over`() async throws {
        let (device, mirrored) = try await silentlyConnected()
        var answers: [Bool] = []
        session.confirmConnection(of: device.path) { if let answer = try? $0.get() { answers.append(answer) } }
        try await session.connection?.fence()
        // The answer is on its way, and the end of the link right behind it.
        try await daemon.connection.fence()
        device.lose()
        try await mirror.fence(daemon)
        #expect(answers == [true])
        #expect(!mirrored.isConnected && mirror.lines.suffix(2) == ["connected true", "connected false"])
    }

    @Test func `connecting notes a connection that is not reported`() async throws {
        let (_, mirrored) = try await silentlyConnected()
        daemon.react(to: "Connect", with: .answer([]))
        try await mirrored.connect()
        #expect(mirrored.isConnected)
    }

    @Test func `a link that ends and is back before bluetoothd reports it has ended`() async throws {
        try await session.waitUntilAvailable()
        let device = daemon.adapter.addDevice("C0:00:00:00:00:02")
        device.comeUp()
        try await mirror.fence(daemon)
        device.lose(silently: true)
        device.comeUp()
        try await mirror.fence(daemon)
        #expect(mirror.lines.suffix(3) == ["connected true", "connected false", "connected true"])
    }

    @Test func `without a bus nothing is confirmed`() async throws {
        daemon.bus.kill()
        try await eventually("the loss is known") { session.connection == nil }
        #expect(try await confirm(daemon.adapter.path) == nil)
    }

    @Test func `work after a burst comes after it`() async throws {
        try await session.waitUntilAvailable()
        daemon.adapter.addDevice().show()
        let names: Int = try await event("the work") { found in
            session.afterPendingSignals { found(session.adapters.first?.devices.count ?? 0) }
        }
        #expect(names == 1)
    }

    @Test func `a controller is off or on when that has been answered`() async throws {
        try await session.waitUntilAvailable()
        let adapter = try #require(session.adapters.first)
        daemon.adapter.switchingOffTime = .milliseconds(200)
        for isOn in [false, true, false, true] {
            try await adapter.setPowered(isOn)
            #expect(adapter.isPowered == isOn)
        }
    }

    @Test func `a controller that does not switch on is reported`() async throws {
        try await session.waitUntilAvailable()
        let adapter = try #require(session.adapters.first)
        try await adapter.setPowered(false)
        daemon.adapter.switchingOffTime = .seconds(1000)
        let error = await #expect(throws: BlueZError.self) { try await adapter.setPowered(true) }
        #expect(error?.description.contains("hci0 does not switch on") == true)
    }

    @Test func `refusals are what bluetoothd says`() async throws {
        try await session.waitUntilAvailable()
        let adapter = try #require(session.adapters.first)
        daemon.refuse(toSet: "Powered", times: 1)
        await #expect(throws: BlueZError.self) { try await adapter.setPowered(false) }
        try await adapter.setPowered(false)
        try await mirror.fence(daemon)
        #expect(!adapter.isPowered)
        try await adapter.setAlias("Desk")
        try await mirror.fence(daemon)
        #expect(adapter.alias == "Desk")
        try await adapter.setAlias("")
        try await mirror.fence(daemon)
        #expect(adapter.alias == adapter.systemName)
        let device = daemon.adapter.addDevice()
        device.show()
        try await mirror.fence(daemon)
        let mirrored = try #require(adapter.devices.first)
        await #expect(throws: BlueZError.notConnected) { try await mirrored.disconnect() }
        await #expect(throws: BlueZError.notReady) { try await mirrored.connect() }
        try await adapter.remove(mirrored)
        try await mirror.fence(daemon)
        #expect(adapter.devices.isEmpty)
    }
}
