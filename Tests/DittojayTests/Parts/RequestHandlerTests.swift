import CoreBluetooth
import Foundation
import GATTProfiles
import MainLoop
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

    @Test func `a fault that disconnects ends the link once and answers before`() async throws {
        let queue = DispatchQueue(label: "requests")
        let parts = Parts(queue: queue)
        parts.publish()
        let store = try #require(parts.services.characteristic(at: CharacteristicPath("lab", "store")))
        store.add(Fault(on: .write, .disconnect))
        let control = parts.control
        // On the queue, which learns of the link's end after both.
        try queue.sync {
            for _ in 0..<2 {
                let request = try parts.request(LabService.store, [1], pendingAnswer: control.pendingAnswer)
                parts.requests.write([request])
                // The request is in use for some turns of the loop, in which the link might end.
                withExtendedLifetime(request) { for _ in 0..<1000 { MainLoop.shared.sync {} } }
            }
        }
        let end = "disconnect \(Parts.central)"
        try await eventually("the end of the link") { control.lines.contains(end) }
        #expect(control.lines.filter { !$0.hasPrefix("confirm") } == ["answer 14", "answer 14", end])
    }

    @Test(arguments: [false, true])
    func `what is open is answered before the power goes`(isDelayed: Bool) async throws {
        let queue = DispatchQueue(label: "requests")
        let parts = Parts(queue: queue)
        parts.publish()
        let store = try #require(parts.services.characteristic(at: CharacteristicPath("lab", "store")))
        store.add(Fault(on: .read, isDelayed ? .delay(60) : .noAnswer))
        let control = parts.control
        try queue.sync {
            parts.requests.read(try parts.request(LabService.store, pendingAnswer: control.pendingAnswer))
        }
        await withCheckedContinuation { done in
            queue.sync { parts.links.setPower(false) { _ in done.resume() } }
        }
        #expect(control.lines.suffix(2) == ["answer 14", "power off"])
        var isGiven = false
        queue.sync { parts.unanswered.postpone(from: Parts.central) { isGiven = true }.give() }
        #expect(isGiven)
    }
}
