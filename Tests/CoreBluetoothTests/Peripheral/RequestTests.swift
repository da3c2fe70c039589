import DBus
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CoreBluetooth

/// Reads and writes of centrals, and every answer that a program can give.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct RequestTests {
    private let daemon: FakeBluetoothd
    private let app: PeripheralApp
    private let central: FakeDevice
    private let location: FakeLocalCharacteristic

    init() async throws {
        daemon = try await .start()
        app = PeripheralApp(on: daemon.bus)
        try await app.publish(
            "180D",
            [
                CBMutableCharacteristic("2A38"), CBMutableCharacteristic("2A39", .write),
                CBMutableCharacteristic("2A29", .read),
            ])
        central = await daemon.adapter.connectCentral()
        location = try #require(await daemon.adapter.characteristic("2A38"))
    }

    @Test func `the program answers reads and takes writes`() async throws {
        app.answers { request in
            if request.value == nil { request.value = Data([7, 8]) }
            return .success
        }
        #expect(try await location.read(by: central) == Data([7, 8]))
        try await location.write(Data([9]), by: central)
        try await location.write(Data([10]), by: central, type: "command")
        #expect(app.lines.suffix(3) == ["read 2A38 at 0", "write 2A38 = 09 at 0", "write 2A38 = 0a at 0"])
    }

    /// bluetoothd would never answer the central, which waits for 30 s and then ends the link.
    @Test(arguments: [true, false])
    func `what is not answered when its service is withdrawn is refused first`(isAll: Bool) async throws {
        let kept = Mutex<[CBATTRequest]>([])
        app.answers { request in
            kept.withLock { $0.append(request) }
            return nil
        }
        async let refusal = attError { _ = try await location.read(by: central) }
        try await eventually("the request") { kept.withLock { $0.count } == 1 }
        app.act { manager in
            if isAll { return manager.removeAllServices() }
            if let service = kept.withLock({ $0.first?.characteristic.service }) as? CBMutableService {
                manager.remove(service)
            }
        }
        #expect(await refusal == 0x0E)
        try await daemon.call("UnregisterApplication")
        // It is no mistake of the program's to answer now.
        app.act { manager in
            if let request = kept.withLock({ $0.first }) { manager.respond(to: request, withResult: .success) }
        }
    }

    @Test func `the central is known by its address and its MTU`() async throws {
        let seen = Mutex("")
        app.answers { request in
            seen.withLock {
                $0 = "\(request.central.bluetoothAddress ?? "") \(request.central.maximumUpdateValueLength)"
            }
            return .success
        }
        try await location.write(Data([1]), by: central, mtu: 100)
        #expect(seen.withLock { $0 } == "C0:00:00:00:00:02 97")
        try await location.write(Data([1]), by: central, mtu: 60)
        #expect(seen.withLock { $0 } == "C0:00:00:00:00:02 57")
    }

    /// What bluetoothd passes on of the codes, as ``CBPeripheralManager/respond(to:withResult:)`` documents it.
    @Test func `every ATT error reaches the central as far as bluetoothd passes it on`() async throws {
        let code = Mutex<UInt8>(0)
        app.answers { _ in code.withLock { CBATTError.Code(rawValue: Int($0)) } }
        for number: UInt8 in 1...255 {
            code.withLock { $0 = number }
            let expected: UInt8 =
                switch number {
                case 0x02, 0x03: 0x02
                case 0x06, 0x07, 0x08, 0x0D, 0xFE, 0x80...0x9F: number
                default: 0x0E
                }
            #expect(await attError { _ = try await location.read(by: central) } == expected, "\(number) to a read")
            #expect(
                await attError { try await location.write(Data(), by: central) } == expected, "\(number) to a write")
        }
    }

    @Test func `a long write is allowed first and comes as one value`() async throws {
        try await location.write(Data(), by: central, onlyAsks: true)
        let long = Data((0..<512).map { UInt8(truncatingIfNeeded: $0) })
        try await location.write(long, by: central, type: "reliable")
        try await location.write(Data([1]), by: central, type: "reliable", offset: 511)
        #expect(app.lines.suffix(2) == ["write 2A38 = \(hex(long)) at 0", "write 2A38 = 01 at 511"])
        #expect(await attError { try await location.write(Data([1]), by: central, offset: 512) } == 0x0D)
        #expect(await attError { try await location.write(Data(), by: central, offset: 513) } == 0x07)
        #expect(await attError { try await location.write(Data(count: 513), by: central) } == 0x0D)
        #expect(app.lines.count == 4)
    }

    @Test func `a read is answered with no more than a value can have`() async throws {
        app.answers { request in
            request.value = Data(count: 600)
            return .success
        }
        #expect(try await location.read(by: central).count == 512)
    }

    @Test func `what is not permitted does not reach the program`() async throws {
        let writeOnly = try #require(await daemon.adapter.characteristic("2A39"))
        let readOnly = try #require(await daemon.adapter.characteristic("2A29"))
        #expect(await attError { _ = try await writeOnly.read(by: central) } == 0x02)
        #expect(await attError { try await readOnly.write(Data([1]), by: central) } == 0x02)
        #expect(app.lines.count == 2)
    }

    @Test func `answers may come late and in another order`() async throws {
        app.answers { _ in nil }
        let location = location
        let central = central
        async let first = location.read(by: central)
        try await app.saw("read 2A38 at 0")
        async let second = location.read(by: central, offset: 1)
        try await app.saw("read 2A38 at 1")
        let requests = app.takeKept()
        app.act { manager in
            for (index, request) in requests.enumerated().reversed() {
                request.value = Data([UInt8(index)])
                manager.respond(to: request, withResult: .success)
            }
        }
        #expect(try await [first, second] == [Data([0]), Data([1])])
    }

    @Test func `only the first answer counts`() async throws {
        let manager = app.manager
        app.answers { request in
            manager.respond(to: request, withResult: .insufficientAuthorization)
            return .success
        }
        #expect(await attError { try await location.write(Data([1]), by: central) } == 0x08)
    }

    @Test func `a request that is released is answered at once`() async throws {
        app.answers { _ in nil }
        async let code = attError { _ = try await location.read(by: central) }
        try await app.saw("read 2A38 at 0")
        _ = app.takeKept()
        #expect(await code == 0x0E)
    }

    @Test func `another manager's answer is none`() async throws {
        app.answers { _ in nil }
        async let code = attError { _ = try await location.read(by: central) }
        try await app.saw("read 2A38 at 0")
        let request = try #require(app.takeKept().first)
        let other = PeripheralApp(on: daemon.bus)
        try await other.saw("state on")
        other.act { $0.respond(to: request, withResult: .insufficientAuthorization) }
        app.act { $0.respond(to: request, withResult: .requestNotSupported) }
        #expect(await code == 0x06)
    }

    @Test func `without a delegate nothing is supported`() async throws {
        app.act { $0.delegate = nil }
        #expect(await attError { _ = try await location.read(by: central) } == 0x06)
        #expect(await attError { try await location.write(Data([1]), by: central) } == 0x06)
    }

    @Test func `requests to a withdrawn service are refused`() async throws {
        // bluetoothd is late to forget the service, and asks once more.
        await daemon.react(to: "UnregisterApplication", with: .silent)
        app.act { $0.removeAllServices() }
        try await daemon.call("UnregisterApplication")
        #expect(await attError { _ = try await location.read(by: central) } == 0x02)
        #expect(await attError { try await location.write(Data([1]), by: central) } == 0x02)
        #expect(app.lines.count == 2)
    }

    @Test func `calls of a wrong type are refused`() async throws {
        for arguments: [BusValue] in [[], [.uint32(1)], [.string("x"), .string("y")]] {
            #expect(await attError { try await location.call("ReadValue", arguments) } == 0x0E)
            #expect(await attError { try await location.call("WriteValue", arguments) } == 0x0E)
            #expect(await attError { try await location.call("AcquireNotify", arguments) } == 0x0E)
        }
        // Options that have other types than theirs are as good as absent.
        let options = ["device", "offset", "mtu", "type", "prepare-authorize"].reduce(into: [:]) {
            $0[$1] = BusValue.double(1)
        }
        try await location.call("WriteValue", [.bytes(Data([1])), options.busValue])
        #expect(app.lines.last == "write 2A38 = 01 at 0")
    }
}
