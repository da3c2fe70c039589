import BlueZ
import Foundation
import MainLoop
import Synchronization
import TestSupport
import Testing

@testable import Dittojay

/// Who is connected, without a controller.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct CentralLinksTests {
    @Test func `centrals that connect and disconnect are reported`() {
        let parts = Parts()
        var occasions: [ScenarioStep.Occasion] = []
        parts.links.onOccurrence = { occasions.append($0.occasion) }
        parts.links.handle(.connected(address: Parts.central))
        parts.links.handle(.activity(address: Parts.central, mtu: 247))
        #expect(parts.links.connected == [.init(address: Parts.central, mtu: 247)])
        parts.links.handle(.disconnected(address: Parts.central, reason: nil))
        #expect(parts.links.connected.isEmpty)
        #expect(occasions == [.connected, .disconnected])
        #expect(parts.lines == ["connected 02", "disconnected 02 (MTU 247)"])
    }

    @Test func `why a link has ended is reported`() {
        let parts = Parts()
        parts.links.handle(.connected(address: Parts.central))
        parts.links.handle(.disconnected(address: Parts.central, reason: .timeout))
        #expect(parts.lines == ["connected 02", "disconnected 02, reason: timeout"])
    }

    @Test func `links are ended and their addresses reported`() async throws {
        let queue = DispatchQueue(label: "links")
        let parts = Parts(queue: queue)
        let ended = Mutex<[String]>([])
        parts.links.end { addresses in ended.withLock { $0 = addresses } }
        try await eventually("the end") { ended.withLock { $0 } == ["all"] }
        #expect(parts.control.lines == ["disconnect all"])
    }

    @Test func `a central that is back before the end of its link was answered is dropped again`() async throws {
        let queue = DispatchQueue(label: "links")
        let parts = Parts(queue: queue)
        let answer = FirstOutcome<Void>()
        let control = parts.control
        control.delay.withLock { $0 = answer }
        let line = "disconnect \(Parts.central)"
        queue.sync {
            parts.links.handle(.connected(address: Parts.central))
            for _ in 1...2 { parts.links.drop(Parts.central) }
            parts.links.handle(.disconnected(address: Parts.central, reason: nil))
            parts.links.handle(.connected(address: Parts.central))
        }
        try await eventually("the first end") { control.lines == [line] }
        queue.sync { parts.links.drop(Parts.central) }
        #expect(control.lines == [line])
        answer.report(())
        try await eventually("the second end") { control.lines == [line, line] }
    }

    @Test(arguments: ["02", nil])
    func `what a central asks for while its link is being ended is not kept`(ended: String?) {
        let unanswered = UnansweredRequests()
        var given: [String] = []
        func postpone(from address: String) -> PostponedAnswer {
            unanswered.postpone(from: address) { given.append(address) }
        }
        let before = [postpone(from: "02"), postpone(from: "03")]
        unanswered.beginEnd(of: ended)
        for answer in [postpone(from: "02"), postpone(from: "03")] { answer.give() }
        #expect(given == (ended == nil ? [] : ["03"]))
        for answer in before { answer.give() }
        #expect(given == (ended == nil ? [] : ["03", "03"]))
        unanswered.endIsOver(of: ended)
        given = []
        for answer in [postpone(from: "02"), postpone(from: "03")] { answer.give() }
        #expect(given == ["02", "03"])
    }

    @Test func `without a controller there is nothing to end`() {
        let links = CentralLinks(
            queue: DispatchQueue(label: "links"), events: EventOutput(), unanswered: UnansweredRequests())
        var ended: [String]?
        links.end { ended = $0 }
        #expect(ended == [] && !links.canEnd)
    }
}
