import Foundation
import GATTProfiles
import TestSupport
import Testing

@testable import Dittojay

/// How the simulated characteristics answer, in order and wrong on purpose.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct AnswerTests {
    private let peripheral: Simulation
    private let central: FakeDevice
    private let store: FakeLocalCharacteristic

    init() async throws {
        peripheral = try await Simulation()
        try await peripheral.run()
        central = await peripheral.connect()
        try await peripheral.saw("connected 02")
        store = try await peripheral.characteristic(LabService.store)
    }

    private func fault(_ fault: Fault) async { await peripheral.perform(.addFault(characteristic: "store", fault)) }

    // MARK: In order

    @Test func `what is written is read`() async throws {
        try await store.write(Data([1, 2, 3]), by: central)
        #expect(try await store.read(by: central) == Data([1, 2, 3]))
        #expect(try await store.read(by: central, offset: 1) == Data([2, 3]))
        #expect(await attError { _ = try await store.read(by: central, offset: 4) } == 0x07)
        try await store.write(Data([9]), by: central, offset: 2)
        #expect(await attError { try await store.write(Data([9]), by: central, offset: 7) } == 0x07)
        // The last event comes after its answer, before the status.
        #expect(peripheral.status.reads == 2 && peripheral.status.writes == 2)
        #expect(
            peripheral.lines(from: "connected 02") == [
                "connected 02", "written store 010203 by 02 (MTU 517)", "read store 010203 by 02 (MTU 517)",
                "read store: refused with ATT error 0x07 by 02 (MTU 517)", "written store 010209 by 02 (MTU 517)",
                "written store 09: refused with ATT error 0x07 by 02 (MTU 517)",
            ])
    }

    @Test func `the profile's rules for writes hold`() async throws {
        let location = try await peripheral.characteristic("2A38")
        #expect(try await location.read(by: central) == Data([1]))
        #expect(await attError { try await location.write(Data([1, 2]), by: central) } == 0x0D)
        let control = try await peripheral.characteristic("2A39")
        try await control.write(Data([1]), by: central)
        #expect(await attError { try await control.write(Data([2]), by: central) } == 0x80)
        #expect(await attError { _ = try await control.read(by: central) } == 0x02)
    }

    @Test func `writes are counted and the count is reset`() async throws {
        let sink = try await peripheral.characteristic(LabService.sink)
        for size in 1...3 { try await sink.write(Data(count: size), by: central, type: "command") }
        let count = try await peripheral.characteristic(LabService.sinkCount)
        #expect(LabService.SinkCount(bytes: try await count.read(by: central)) == .init(writes: 3, byteCount: 6))
        try await count.write(Data([0]), by: central)
        #expect(LabService.SinkCount(bytes: try await count.read(by: central)) == .init())
        #expect(!peripheral.lines.contains { $0.contains("sink ") }, "they come by the thousand and are quiet")
    }

    @Test func `an echo comes back`() async throws {
        let echo = try await peripheral.subscribed(LabService.echo, by: central)
        try await echo.write(Data([5, 6]), by: central)
        try await eventually("the echo") { echo.notifications == [Data([5, 6])] }
    }

    // MARK: Wrong on purpose

    @Test func `an error is answered as often as it is wanted`() async throws {
        await fault(Fault(on: .read, .error(0x80), skip: 1, times: 2))
        #expect(peripheral.status.faults.map(\.fault) == ["on read: ATT error 0x80, 2 times after 1"])
        var answers: [UInt8?] = []
        for _ in 0..<4 { answers.append(await attError { _ = try await store.read(by: central) }) }
        #expect(answers == [nil, 0x80, 0x80, nil])
        #expect(peripheral.status.faults.isEmpty)
        try await peripheral.saw("fault store: refused with ATT error 0x80 by 02 (MTU 517)", count: 2)
    }

    @Test func `the parts of a long read meet a fault once`() async throws {
        try await store.write(Data(count: 100), by: central)
        await fault(Fault(on: .read, .error(0x81), times: 1))
        #expect(await attError { _ = try await store.read(by: central, offset: 22) } == nil)
        #expect(await attError { _ = try await store.read(by: central) } == 0x81)
    }

    @Test func `faults are cleared for one or for all`() async throws {
        for _ in 0..<2 {
            await fault(Fault(on: .write, .error(0x80)))
            #expect(await attError { try await store.write(Data(), by: central) } == 0x80)
            #expect(await peripheral.perform(.clearFaults(characteristic: "lab/store")).ok)
            #expect(await attError { try await store.write(Data(), by: central) } == nil)
        }
        await fault(Fault(on: .write, .error(0x80)))
        #expect(await peripheral.perform(.clearFaults(characteristic: nil)).ok)
        #expect(peripheral.status.faults.isEmpty)
        #expect(
            await peripheral.perform(.clearFaults(characteristic: "nothing")).error?.hasPrefix(
                "unknown characteristic \"nothing\" in the profile lab; valid: ") == true)
        #expect(
            await peripheral.perform(.clearFaults(characteristic: "a/b/c")).error?.contains(
                "expected NAME or SERVICE/NAME") == true)
    }

    @Test func `a delayed answer comes in the end`() async throws {
        await fault(Fault(on: .read, .delay(0.05), times: 1))
        try await store.write(Data([4]), by: central)
        async let value = store.read(by: central)
        try await peripheral.sawLine(beginning: "fault store: a delay of ")
        peripheral.advance(by: 0.04)
        #expect(peripheral.status.reads == 0)
        peripheral.advance(by: 0.02)
        #expect(try await value == Data([4]))
    }

    @Test func `a delayed answer of a withdrawn service is an error`() async throws {
        await fault(Fault(on: .write, .delay(0.01), times: 1))
        peripheral.atLine(beginning: "fault store", .removeService("lab"))
        async let code = attError { try await store.write(Data([4]), by: central) }
        try await peripheral.saw("service-removed lab")
        peripheral.advance(by: 0.02)
        #expect(await code == 0x0E)
        #expect(peripheral.status.writes == 0)
    }

    @Test func `what gets no answer gets one when its link is ended`() async throws {
        await fault(Fault(on: .read, .noAnswer, times: 1))
        async let code = attError { _ = try await store.read(by: central) }
        try await peripheral.sawLine(beginning: "fault store: no answer to a read")
        #expect(await peripheral.perform(.disconnect(central: nil)).ok)
        #expect(await code == 0x0E)
    }

    @Test func `what gets no answer gets one when its central goes`() async throws {
        await fault(Fault(on: .write, .noAnswer, times: 1))
        async let code = attError { try await store.write(Data([1]), by: central) }
        try await peripheral.sawLine(beginning: "fault store 01: no answer to a write")
        await central.lose()
        #expect(await code == 0x0E)
    }

    @Test func `what gets no answer gets one when the peripheral stops`() async throws {
        await fault(Fault(on: .write, .noAnswer))
        async let code = attError { try await store.write(Data([1]), by: central) }
        try await peripheral.sawLine(beginning: "fault store 01: no answer to a write")
        try await peripheral.end()
        #expect(await code == 0x0E)
        #expect(await !central.isConnected)
    }

    @Test func `a disconnect takes the link instead of an answer`() async throws {
        await fault(Fault(on: .write, .disconnect, times: 1))
        #expect(await attError { try await store.write(Data([1]), by: central) } == 0x0E)
        try await peripheral.hasCentrals([])
        let again = await peripheral.connect()
        try await store.write(Data([2]), by: again)
        try await peripheral.saw("written store 02 by 02 (MTU 517)")
    }
}
