import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import CoreBluetooth

/// Requests of tasks to a connected peripheral.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@MainActor
struct AsyncPeripheralTests {
    private let bench: AsyncBench

    init() async throws { bench = try await AsyncBench() }

    @Test func `everything is discovered, read and written`() async throws {
        let link = try await bench.connect()
        let services = try await link.discoverEverything(within: 30)
        #expect(services.map(\.uuid.uuidString) == ["180D"])
        let characteristics = try #require(services.first?.characteristics)
        #expect(characteristics.map(\.uuid.uuidString) == ["2A37", "2A38", "2A39"])
        #expect(characteristics[0].descriptors?.map(\.uuid.uuidString) == ["2901"])
        #expect(try await link.read(.characteristic(characteristics[1]), within: 30) == Data([1]))
        try await link.write(Data([7]), to: .characteristic(characteristics[1]), within: 30)
        #expect(try await link.read(.characteristic(characteristics[1]), within: 30) == Data([7]))
        await link.disconnect()
        #expect(await !bench.device.isConnected)
    }

    @Test func `several requests are answered in the order of the calls`() async throws {
        let (link, location) = try await bench.connect("2A38")
        let rest = try #require(location.service?.characteristics?.last)
        let answers = Journal()
        let reads = (0..<10).map { number in
            let target = number.isMultiple(of: 2) ? location : rest
            return Task(executorPreference: MainQueueExecutor.shared) {
                let value = try? await link.read(.characteristic(target), within: 30)
                answers.note("\(number) \(hex(value))")
            }
        }
        for read in reads { await read.value }
        #expect(answers.lines == (0..<10).map { "\($0) 0\($0 % 2 + 1)" })
    }

    @Test func `the device's refusal is its ATT error`() async throws {
        let (link, location) = try await bench.connect("2A38")
        await bench.daemon.react(
            to: "ReadValue", with: .refuse("Failed", "Operation failed with ATT error: 0x80"))
        #expect(await failure { try await link.read(.characteristic(location), within: 30) } == "ATT error 128")
        #expect(await failure { try await link.subscribe(to: location, within: 30) } == "ATT error 6")
    }

    // MARK: Limits

    @Test func `each call has its own limit`() async throws {
        let (link, location) = try await bench.connect("2A38")
        await bench.daemon.react(to: "ReadValue", with: .silent)
        async let long = failure { try await link.read(.characteristic(location), within: 0.4) }
        async let short = failure { try await link.read(.characteristic(location), within: 0.1) }
        #expect(await short == "no answer within 0.1")
        #expect(await failure { try await link.read(.characteristic(location), within: 0.2) } == "no answer within 0.2")
        #expect(await long == "no answer within 0.4")
        #expect(link.end == nil)
    }

    @Test func `the limit of a discovery is that of all its requests`() async throws {
        await setResolutionTime(nil)
        let link = try await bench.connect()
        #expect(await failure { try await link.discoverEverything(within: 0.2) } == "no answer within 0.2")
    }

    @LoopActor
    private func setResolutionTime(_ time: Duration?) { bench.device.resolutionTime = time }

    // MARK: The end of the connection

    @Test func `the end of the connection fails what is under way with its reason`() async throws {
        let (link, location) = try await bench.connect("2A38")
        for method in ["ReadValue", "WriteValue"] { await bench.daemon.react(to: method, with: .silent) }
        let write = Task {
            await failure { try await link.write(Data([1]), to: .characteristic(location), within: 30) }
        }
        let read = Task { await failure { try await link.read(.characteristic(location), within: 30) } }
        try await bench.daemon.call("WriteValue")
        await bench.device.lose()
        let reason = "link lost failed: The connection was lost."
        #expect(await write.value == reason)
        #expect(await read.value == "link lost at once")
        #expect(await failure { try await link.read(.characteristic(location), within: 30) } == reason)
        #expect(await link.waitForEnd(within: 0))
    }

    @Test func `a request after the end fails with the reason of the end`() async throws {
        let link = try await bench.connect()
        link.ended(CentralError(endOfLink: CBError(.encryptionTimedOut)))
        #expect(await failure { try await link.discoverEverything(within: 30) } == "unencrypted")
    }

    /// The list of services is empty when the task that waited for it continues.
    @Test func `an end right after an answer is no lack of services`() async throws {
        let link = try await bench.connect()
        async let services = failure { try await link.discoverEverything(within: 30) }
        while link.peripheral.services == nil { await Task.yield() }
        link.peripheral.connectionIsDown(request: 1)
        link.ended(CentralError(endOfLink: CBError(.encryptionTimedOut)))
        #expect(await services == "unencrypted")
    }

    @Test func `the end that this program asks for has no reason`() async throws {
        let (link, location) = try await bench.connect("2A38")
        await bench.daemon.react(to: "WriteValue", with: .silent)
        async let write = failure { try await link.write(Data([1]), to: .characteristic(location), within: 30) }
        try await bench.daemon.call("WriteValue")
        await link.disconnect()
        #expect(await write == "link lost")
        #expect(
            await failure { try await link.write(Data(), to: .characteristic(location), within: 30) } == "link lost")
    }

    @Test func `the end of bluetoothd ends the connection`() async throws {
        let (link, location) = try await bench.connect("2A38")
        await bench.daemon.react(to: "ReadValue", with: .silent)
        async let read = failure { try await link.read(.characteristic(location), within: 30) }
        try await bench.daemon.call("ReadValue")
        await bench.daemon.die()
        #expect(await read == "off")
        #expect(await failure { try await bench.central.connect(bench.identifier, within: 30) } == "off")
    }

    // MARK: Cancellation

    @Test func `a cancelled call leaves the others alone`() async throws {
        let (link, location) = try await bench.connect("2A38")
        await bench.daemon.react(to: "ReadValue", times: 1, with: .late(.milliseconds(200)))
        let cancelled = Task { await failure { try await link.read(.characteristic(location), within: 30) } }
        let other = Task { try await link.read(.characteristic(location), within: 30) }
        try await bench.daemon.call("ReadValue")
        cancelled.cancel()
        #expect(await cancelled.value == "cancelled")
        #expect(try await other.value == Data([1]))
        let late = Task { await failure { try await link.read(.characteristic(location), within: 30) } }
        late.cancel()
        #expect(await late.value == "cancelled")
    }

    // MARK: Events

    @Test func `values, changes of the services and the end are events`() async throws {
        let (link, rate) = try await bench.connect("2A37")
        let events = Journal()
        link.onEvent = { event in
            switch event {
            case .value(let value, let source): events.note("\(source.uuid.uuidString) = \(hex(value))")
            case .loss(let source): events.note("lost \(source.uuid.uuidString)")
            case .servicesChanged(let removed): events.note("removed \(removed.map(\.uuid.uuidString))")
            case .end: events.note("end")
            }
        }
        try await link.subscribe(to: rate, within: 30)
        let location = try #require(rate.service?.characteristics?[1])
        let characteristic = try #require(await bench.device.characteristic("2A37"))
        await characteristic.notify(Data([0, 72]))
        // A value that was asked for is not an event.
        #expect(try await link.read(.characteristic(location), within: 30) == Data([1]))
        await removeServices()
        try await events.saw("removed [\"180D\"]")
        await link.disconnect()
        #expect(events.lines == ["2A37 = 0048", "removed [\"180D\"]", "end"])
    }

    @LoopActor
    private func removeServices() {
        for service in bench.device.services { bench.device.remove(service) }
    }

    @Test func `writes without response wait for room`() async throws {
        let (link, point) = try await bench.connect("2A39")
        for number in 0..<200 {
            try await link.writeWithoutResponse(Data([UInt8(number)]), to: point, within: 30)
        }
        let sent = try #require(await bench.device.characteristic("2A39"))
        try await eventually("all writes") { sent.written.count == 200 }
        #expect(await sent.written.map(\.value) == (0..<200).map { Data([UInt8($0)]) })
    }

    // MARK: Requests that are dropped

    @Test func `a request that the end of the connection drops is completed`() async throws {
        let (link, location) = try await bench.connect("2A38")
        await bench.daemon.react(to: "ReadValue", with: .silent)
        let dropped = AwaitedValues<Bool>()
        func read() {
            let completion = RequestCompletion<Data> { dropped.put($0.failure is RequestDropped) }
            link.peripheral.perform(.readValue(of: .characteristic(location), completion))
        }
        // One that bluetoothd was asked for, one that waits behind it, and one without a connection.
        read()
        read()
        try await bench.daemon.call("ReadValue")
        await bench.device.lose()
        #expect(await link.waitForEnd(within: 30))
        read()
        #expect(try await dropped.next(3) == [true, true, true])
    }
}
