import CoreBluetooth
import Foundation
import GATTProfiles
import TestSupport
import Testing

@testable import Dittojay

/// Requests are answered without Bluetooth.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct RequestHandlerTests {
    private let parts = Parts()
    private var requests: RequestHandler { parts.requests }
    private var server: FakeGATTServer { parts.server }

    init() { parts.publish() }

    @Test func `what is written is read`() throws {
        requests.write([try parts.request(LabService.store, [1, 2, 3])])
        let read = try parts.request(LabService.store, offset: 1)
        requests.read(read)
        #expect(read.value == Data([2, 3]))
        requests.read(try parts.request(LabService.store, offset: 4))
        #expect(server.answers == [0, 0, 7])
        #expect(requests.readCount == 1 && requests.writeCount == 1)
        #expect(
            parts.lines == [
                "written store 010203 by 02 (MTU 100)", "read store: refused with ATT error 0x07 by 02 (MTU 100)",
            ])
    }

    @Test func `a request for what is withdrawn is refused`() throws {
        let read = try parts.request(LabService.store)
        #expect(parts.remove("lab").ok)
        requests.read(read)
        #expect(server.answers == [10])
    }

    @Test func `a central that is not known as connected is confirmed`() async throws {
        requests.read(try parts.request(LabService.store))
        let control = parts.control
        try await eventually("the question") { control.lines == ["confirm \(Parts.central) 100"] }
        parts.links.handle(.connected(address: Parts.central))
        requests.read(try parts.request(LabService.store))
        #expect(parts.links.connected == [.init(address: Parts.central, mtu: 100)])
    }

    @Test func `a fault takes the answer`() throws {
        let store = try #require(parts.services.characteristic(at: CharacteristicPath("lab", "store")))
        store.add(Fault(on: .read, .error(0x80), times: 1))
        store.add(Fault(on: .read, .noAnswer, times: 1))
        for _ in 0..<3 { requests.read(try parts.request(LabService.store)) }
        #expect(server.answers == [0x80, 0])
        #expect(
            parts.lines == [
                "fault store: refused with ATT error 0x80 by 02 (MTU 100)",
                "fault store: no answer to a read by 02 (MTU 100)", "read store (empty) by 02 (MTU 100)",
            ])
    }

    @Test func `a fault that disconnects ends the link once`() async throws {
        let queue = DispatchQueue(label: "requests")
        let parts = Parts(queue: queue)
        parts.publish()
        let store = try #require(parts.services.characteristic(at: CharacteristicPath("lab", "store")))
        store.add(Fault(on: .write, .disconnect))
        // On the queue, which learns of the link's end after both.
        try queue.sync { for _ in 0..<2 { parts.requests.write([try parts.request(LabService.store, [1])]) } }
        let control = parts.control
        try await eventually("the end of the link") { control.lines.contains("disconnect \(Parts.central)") }
        #expect(control.lines.count { $0.hasPrefix("disconnect") } == 1)
        #expect(parts.server.answers == [0x0E, 0x0E])
    }

    @Test func `what is open is released before the power goes`() async throws {
        let queue = DispatchQueue(label: "requests")
        let parts = Parts(queue: queue)
        let open = queue.sync { parts.unanswered.postpone(from: Parts.central) { Issue.record("released too late") } }
        await withCheckedContinuation { done in
            queue.sync {
                parts.links.setPower(false) { _ in done.resume() }
                open.give()
            }
        }
        #expect(parts.control.lines == ["power off"])
        var isGiven = false
        queue.sync { parts.unanswered.postpone(from: Parts.central) { isGiven = true }.give() }
        #expect(isGiven)
    }
}
