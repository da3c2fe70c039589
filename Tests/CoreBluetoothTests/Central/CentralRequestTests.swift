import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import BlueZ
@testable import CoreBluetooth

/// Requests to a peripheral, and what it, or bluetoothd, has against them.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CentralRequestTests {
    private let daemon: FakeBluetoothd

    init() async throws { daemon = try await .start() }

    @LoopActor
    private func device() -> FakeDevice {
        let device = daemon.adapter.addDevice()
        device.addService(
            "180D",
            [
                .init("2A37", ["notify"], descriptors: ["2901"]), .init("2A38", ["read", "write"], value: Data([1])),
                .init("2A39", ["write-without-response"]), .init("2A3A", ["write", "write-without-response"]),
            ])
        return device
    }

    private func connected(_ device: FakeDevice) async throws -> (CentralApp, CBPeripheral) {
        let app = CentralApp(on: daemon)
        let peripheral = try await app.connected(to: device)
        try await app.discoverEverything(of: peripheral)
        return (app, peripheral)
    }

    // MARK: Writes without response

    /// Over a socket where the characteristic takes nothing else, by the bus where it does: bluetoothd's sockets write
    /// commands only.
    @Test(arguments: [("2A39", "socket"), ("2A3A", "command")])
    func `writes without response arrive in order`(uuid: String, way: String) async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let characteristic = try #require(app.find(uuid, in: peripheral))
        app.queue.sync {
            for number in 0..<100 where peripheral.canSendWriteWithoutResponse {
                peripheral.writeValue(Data([UInt8(number)]), for: characteristic, type: .withoutResponse)
            }
        }
        let sent = try #require(await device.characteristic(uuid))
        try await eventually("some writes") { sent.written.count >= 5 }
        let written = await sent.written
        #expect(written.map { $0.value.first.map(Int.init) } == Array(0..<written.count))
        #expect(written.allSatisfy { $0.type == way })
        try await app.saw("ready")
    }

    /// The bus refuses a program's calls when 128 of them wait for an answer.
    @Test func `a burst of writes without response is sent, and what follows it is answered`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let (alert, location) = (
            try #require(app.find("2A3A", in: peripheral)), try #require(app.find("2A38", in: peripheral))
        )
        app.queue.sync {
            for number in 0..<1_000 {
                peripheral.writeValue(Data([UInt8(number % 256)]), for: alert, type: .withoutResponse)
            }
            peripheral.readValue(for: location)
        }
        #expect(!app.queue.sync { peripheral.canSendWriteWithoutResponse })
        try await app.saw("2A38 = 01")
        let sent = try #require(await device.characteristic("2A3A"))
        #expect(await sent.written.map(\.value) == (0..<1_000).map { Data([UInt8($0 % 256)]) })
        try await app.saw("ready")
        #expect(app.queue.sync { peripheral.canSendWriteWithoutResponse })
    }

    @Test(arguments: ["2A39", "2A3A"])
    func `ten thousand writes without response of an app that waits for room all arrive`(uuid: String) async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let characteristic = try #require(app.find(uuid, in: peripheral))
        var count = 0
        for turn in 1... {
            app.queue.sync {
                while count < Self.manyWrites, peripheral.canSendWriteWithoutResponse {
                    peripheral.writeValue(Self.value(count), for: characteristic, type: .withoutResponse)
                    count += 1
                }
            }
            if count == Self.manyWrites { break }
            try await app.saw("ready", count: turn)
        }
        let sent = try #require(await device.characteristic(uuid))
        try await eventually("all writes") { sent.written.count >= Self.manyWrites }
        #expect(await sent.written.map(\.value) == (0..<Self.manyWrites).map(Self.value))
    }

    /// It keeps what it may, in order, and what else the app asks for is answered.
    @Test(arguments: ["2A39", "2A3A"])
    func `ten thousand writes without response of an app that does not wait harm nothing else`(
        uuid: String
    ) async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let (characteristic, location) = (
            try #require(app.find(uuid, in: peripheral)), try #require(app.find("2A38", in: peripheral))
        )
        app.queue.sync {
            for number in 0..<Self.manyWrites {
                peripheral.writeValue(Self.value(number), for: characteristic, type: .withoutResponse)
            }
            peripheral.readValue(for: location)
        }
        try await app.saw("2A38 = 01")
        let sent = try #require(await device.characteristic(uuid))
        let written = await sent.written.map(\.value)
        #expect(written.prefix(CommandWindow.limit).elementsEqual((0..<CommandWindow.limit).map(Self.value)))
        try await app.saw("ready")
        #expect(app.queue.sync { peripheral.canSendWriteWithoutResponse })
    }

    private static let manyWrites = 10_000

    private static func value(_ number: Int) -> Data { Data([UInt8(number >> 8), UInt8(number & 0xFF)]) }

    @Test func `bluetoothd has only some of the writes without response at a time`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let alert = try #require(app.find("2A3A", in: peripheral))
        await daemon.react(to: "WriteValue", with: .silent)
        app.queue.sync {
            for _ in 0..<200 { peripheral.writeValue(Data([1]), for: alert, type: .withoutResponse) }
        }
        try await daemon.call("WriteValue", count: 64)
        // By the answer to this, which is on its way behind them, any other would have come.
        _ = await app.session.adapters.first?.devices.first?.fetchIsConnected()
        #expect(await daemon.count(of: "WriteValue") == 64)
    }

    @Test func `what a burst has left is not sent over the next link`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let alert = try #require(app.find("2A3A", in: peripheral))
        await daemon.react(to: "WriteValue", with: .silent)
        app.queue.sync {
            for _ in 0..<200 { peripheral.writeValue(Data([1]), for: alert, type: .withoutResponse) }
        }
        try await daemon.call("WriteValue", count: 64)
        await device.lose()
        try await app.saw("disconnected failed: The connection was lost.")
        await daemon.reactOrdinarily()
        app.act { $0.connect(peripheral) }
        try await app.saw("connected", count: 2)
        let again = try await app.characteristic("2A3A", of: peripheral)
        app.queue.sync { peripheral.writeValue(Data([2]), for: again, type: .withoutResponse) }
        let sent = try #require(await device.characteristic("2A3A"))
        try await eventually("the write") { sent.written.map(\.value) == [Data([2])] }
    }

    @Test(arguments: [510, 511, 512])
    func `what fits into a packet is sent without response`(length: Int) async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let alert = try #require(app.find("2A3A", in: peripheral))
        app.queue.sync {
            peripheral.mtu = 517
            #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 510)
            peripheral.writeValue(Data(count: 513), for: alert, type: .withoutResponse)
            peripheral.writeValue(Data(count: length), for: alert, type: .withoutResponse)
        }
        let sent = try #require(await device.characteristic("2A3A"))
        try await eventually("the write") { sent.written.map(\.value.count) == [length] }
    }

    @Test func `what fits into no packet is dropped`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let alert = try #require(app.find("2A3A", in: peripheral))
        app.queue.sync {
            peripheral.mtu = 185
            for length in [183, 182] { peripheral.writeValue(Data(count: length), for: alert, type: .withoutResponse) }
        }
        let sent = try #require(await device.characteristic("2A3A"))
        try await eventually("the write") { sent.written.map(\.value.count) == [182] }
    }

    @Test func `without a socket writes go by the bus`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        await daemon.react(to: "AcquireWrite", with: .refuse("NotPermitted", "Write acquired"))
        let characteristic = try #require(app.find("2A39", in: peripheral))
        app.queue.sync { peripheral.writeValue(Data([7]), for: characteristic, type: .withoutResponse) }
        let sent = try #require(await device.characteristic("2A39"))
        try await eventually("the write") { sent.written.first?.type == "command" }
        #expect(await sent.written.map(\.value) == [Data([7])])
    }

    @Test func `a write without response that is not taken is dropped`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let location = try #require(app.find("2A38", in: peripheral))
        app.queue.sync { peripheral.writeValue(Data([7]), for: location, type: .withoutResponse) }
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("2A38 = 01")
        #expect(await daemon.count(of: "WriteValue") == 0)
    }

    // MARK: The system's own

    @Test func `Generic Attribute is the system's, and found by its UUID only`() async throws {
        let device = await device()
        await device.addService("1801", [.init("2A05", ["indicate"])])
        let (app, peripheral) = try await connected(device)
        #expect(app.queue.sync { peripheral.services?.map(\.uuid.uuidString) } == ["180D"])
        app.queue.sync { peripheral.discoverServices([CBUUID(string: "1801")]) }
        try await app.saw("services", count: 2)
        #expect(app.queue.sync { peripheral.services?.map(\.uuid.uuidString) } == ["180D", "1801"])
    }

    @Test func `nothing notifies when the link has ended`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let rate = try #require(app.find("2A37", in: peripheral))
        app.queue.sync { peripheral.setNotifyValue(true, for: rate) }
        try await app.saw("notifying 2A37 true")
        await device.lose()
        try await app.saw("disconnected failed: The connection was lost.")
        #expect(!app.queue.sync { rate.isNotifying })
    }

    // MARK: Refusals

    @Test func `what a characteristic does not do is refused here`() async throws {
        let (app, peripheral) = try await connected(await device())
        let (rate, location) = (
            try #require(app.find("2A37", in: peripheral)), try #require(app.find("2A38", in: peripheral))
        )
        app.queue.sync {
            peripheral.readValue(for: rate)
            peripheral.writeValue(Data([1]), for: rate, type: .withResponse)
            peripheral.writeValue(Data(count: 513), for: location, type: .withResponse)
            peripheral.setNotifyValue(true, for: location)
        }
        try await app.saw("2A37 refused 0x2")
        try await app.saw("written 2A37 refused 0x3")
        try await app.saw("written 2A38 refused 0xd")
        try await app.saw("notifying 2A38 false refused 0x6")
        #expect(await daemon.methods.allSatisfy { !$0.hasSuffix("Value") })
    }

    @Test func `what was removed cannot be used`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let (rate, location) = (
            try #require(app.find("2A37", in: peripheral)), try #require(app.find("2A38", in: peripheral))
        )
        app.queue.sync { peripheral.discoverDescriptors(for: rate) }
        try await app.saw(#"descriptors ["2901"]"#)
        let description = try #require(app.queue.sync { rate.descriptors?.first })
        await device.dropServices()
        try await app.saw(#"modified ["180D"]"#)
        app.queue.sync {
            peripheral.readValue(for: location)
            peripheral.writeValue(Data([1]), for: location, type: .withResponse)
            peripheral.setNotifyValue(true, for: rate)
            peripheral.readValue(for: description)
            peripheral.writeValue(Data([1]), for: description)
        }
        let reason = "failed: \(CBError(.invalidHandle).localizedDescription)"
        try await app.saw("2A38 \(reason)")
        try await app.saw("written 2A38 \(reason)")
        try await app.saw("notifying 2A37 false \(reason)")
        try await app.saw("descriptor 2901 = nothing \(reason)")
        try await app.saw("descriptor 2901 written \(reason)")
    }

    @Test func `a descriptor says why it cannot be read`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let rate = try #require(app.find("2A37", in: peripheral))
        app.queue.sync { peripheral.discoverDescriptors(for: rate) }
        try await app.saw(#"descriptors ["2901"]"#)
        let description = try #require(app.queue.sync { rate.descriptors?.first })
        await daemon.react(to: "ReadValue", with: .refuse("NotAuthorized", "Operation Not Authorized"))
        app.queue.sync { peripheral.readValue(for: description) }
        try await app.saw("descriptor 2901 = nothing refused 0x8")
    }

    // MARK: Timeouts

    /// bluetoothd carries out one request of a characteristic at a time, for all programs.
    @Test func `a request is made again while bluetoothd is busy with another`() async throws {
        let (app, peripheral) = try await connected(await device())
        let location = try #require(app.find("2A38", in: peripheral))
        await daemon.react(to: "ReadValue", times: 3, with: .refuse("InProgress", "In Progress"))
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("2A38 = 01")
        #expect(await daemon.count(of: "ReadValue") == 4)
    }

    /// 5.82 may answer with the refusal that has made it pair.
    @Test func `a request is made again once the device is paired`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let location = try #require(app.find("2A38", in: peripheral))
        await daemon.react(
            to: "ReadValue", times: 1,
            with: .handler { call in
                call.invocation.fail(.att(0x05))
                Later.run(after: .milliseconds(50)) { device.pair { _ in } }
            })
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("2A38 = 01")
        #expect(await device.isPaired)
    }

    // MARK: Services that have changed

    /// The device refuses requests until it knows that the central knows of the change.
    @Test func `a request is made again when what has changed is known`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let location = try #require(app.find("2A38", in: peripheral))
        await daemon.react(
            to: "ReadValue", times: 1,
            with: .handler { call in
                call.invocation.fail(.att(0x12))
                Later.run(after: .milliseconds(50)) { device.addService("180F").appear() }
            })
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw("2A38 = 01")
        #expect(app.lines.suffix(2) == ["modified []", "2A38 = 01"])
        #expect(await daemon.count(of: "ReadValue") == 2)
    }

    @Test(arguments: ["ReadValue", "WriteValue", "StartNotify"])
    func `a request fails when it turns out that its service was removed`(method: String) async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let (rate, location) = (
            try #require(app.find("2A37", in: peripheral)), try #require(app.find("2A38", in: peripheral))
        )
        await daemon.react(
            to: method, times: 1,
            with: .handler { call in
                call.invocation.fail(.att(0x12))
                Later.run(after: .milliseconds(50)) { device.dropServices() }
            })
        app.queue.sync {
            switch method {
            case "ReadValue": peripheral.readValue(for: location)
            case "WriteValue": peripheral.writeValue(Data([1]), for: location, type: .withResponse)
            default: peripheral.setNotifyValue(true, for: rate)
            }
        }
        let request = ["ReadValue": "2A38", "WriteValue": "written 2A38"][method] ?? "notifying 2A37 false"
        try await app.saw("\(request) failed: \(CBError(.invalidHandle).localizedDescription)")
        #expect(await daemon.count(of: method) == 1)
    }

    @Test(arguments: [(1, "2A38 = 01"), (nil, "2A38 refused 0x12")])
    func `a change that bluetoothd does not find is not waited for without end`(
        refusals: Int?, outcome: String
    ) async throws {
        let device = await device()
        var timing = BlueZSession.Timing()
        timing.serviceChange = .milliseconds(50)
        let app = CentralApp(on: daemon, timing: timing)
        let peripheral = try await app.connected(to: device)
        let location = try await app.characteristic("2A38", of: peripheral)
        await daemon.react(
            to: "ReadValue", times: refusals, with: .refuse("Failed", "Operation failed with ATT error: 0x12"))
        app.queue.sync { peripheral.readValue(for: location) }
        try await app.saw(outcome)
        #expect(await daemon.count(of: "ReadValue") == 2)
    }

    // MARK: Notifications

    @Test func `notifications are turned off`() async throws {
        let device = await device()
        let (app, peripheral) = try await connected(device)
        let rate = try #require(app.find("2A37", in: peripheral))
        app.queue.sync { peripheral.setNotifyValue(true, for: rate) }
        try await app.saw("notifying 2A37 true")
        app.queue.sync { peripheral.setNotifyValue(false, for: rate) }
        try await app.saw("notifying 2A37 false")
        let characteristic = try #require(await device.characteristic("2A37"))
        #expect(await !characteristic.notify(Data([1])))
    }

    /// There is no controller under the fake whose kernel could be asked.
    @Test func `a signal strength that cannot be had is an error`() async throws {
        let (app, peripheral) = try await connected(await device())
        app.queue.sync { peripheral.readRSSI() }
        try await eventually("an answer") { app.lines.contains { $0.hasPrefix("rssi 127 failed") } }
    }
}

extension FakeDevice {
    fileprivate func dropServices() {
        for service in services { remove(service) }
    }
}
