import Foundation
import TestSupport
import Testing

@testable import Dittojay

@Suite struct PlayLimitTests {
    @Test func `what a central asks for faster than it ends does not pile up, and that is said`() {
        let queue = DispatchQueue(label: "test")
        let events = EventOutput()
        let services = SimulatedServices(.default, seed: 1, clock: ManualClock(queue: queue))
        let links = CentralLinks(queue: queue, events: events, unanswered: UnansweredRequests())
        let player = ScenarioPlayer(services: services, links: links, events: events)
        queue.sync {
            var failures: [String] = []
            events.onEvent = { event in
                if event.kind == .failed { failures.append(event.message ?? "") }
            }
            var ends = 0
            for _ in 0..<ScenarioPlayer.maximumCount + 2 { player.play([.wait(3600)]) { ends += 1 } }
            #expect(player.count == ScenarioPlayer.maximumCount)
            #expect(ends == 2 && failures.count == 2)
            #expect(failures.first?.hasPrefix("scenario: too many lists of steps at once (limit 256)") == true)
            player.stop()
            player.play([.wait(0)]) { ends += 1 }
            #expect(player.count == 0 && ends == 2)
        }
    }
}

/// Steps are played without Bluetooth.
@Suite struct ScenarioPlayerTests {
    private let parts = Parts()

    @Test func `a step waits for its occasion, on its characteristic`() {
        let store = CharacteristicPath("lab", "store")
        var ends = 0
        parts.scenario.play([.waitFor(.written, on: store)]) { ends += 1 }
        parts.scenario.occurred(Occurrence(.read, to: store))
        parts.scenario.occurred(Occurrence(.written, to: CharacteristicPath("lab", "sink")))
        #expect(ends == 0)
        parts.scenario.occurred(Occurrence(.written, to: store))
        #expect(ends == 1 && parts.scenario.count == 0)
    }

    @Test func `a step does not wait for a central that is connected already`() {
        var ends = 0
        parts.links.handle(.connected(address: Parts.central))
        parts.scenario.play([.waitFor(.connected, on: nil)]) { ends += 1 }
        #expect(ends == 1)
    }

    @Test func `a step does not wait for what has happened during the step before`() {
        var ends = 0
        parts.scenario.performCommand = { [scenario = parts.scenario] request, reply in
            if case .disconnect = request { scenario.occurred(Occurrence(.disconnected)) }
            reply(ControlReply())
        }
        parts.scenario.play([.repeat(times: 2, [.disconnect, .waitFor(.disconnected, on: nil)])]) { ends += 1 }
        #expect(ends == 1)
    }

    @Test func `what has happened counts for one step that waits, and not for later ones`() {
        let store = CharacteristicPath("lab", "store")
        let read = ScenarioStep.waitFor(.read, on: store)
        var (ends, replies) = (0, [(ControlReply) -> Void]())
        parts.scenario.performCommand = { replies.append($1) }
        parts.scenario.play([.chirp([1]), .chirp([2]), read, read, .chirp([3]), read]) { ends += 1 }
        // Before the step before.
        parts.scenario.occurred(Occurrence(.read, to: store))
        replies.removeFirst()(ControlReply())
        replies.removeFirst()(ControlReply())
        parts.scenario.occurred(Occurrence(.read, to: store, attError: 0x05))
        parts.scenario.occurred(Occurrence(.read, to: CharacteristicPath("lab", "sink")))
        #expect(replies.isEmpty)
        for _ in 1...2 { parts.scenario.occurred(Occurrence(.read, to: store)) }
        #expect(replies.count == 1 && ends == 0)
        replies.removeFirst()(ControlReply())
        #expect(ends == 0)
        parts.scenario.occurred(Occurrence(.read, to: store))
        #expect(ends == 1)
    }

    @Test func `a command that fails is reported, and the next step follows`() throws {
        var commands: [ControlRequest] = []
        parts.scenario.performCommand = { request, reply in
            commands.append(request)
            reply(ControlReply(error: "not now"))
        }
        parts.scenario.play([.chirp([1]), .set(CharacteristicPath("lab", "store"), [7]), .quit]) {}
        #expect(commands == [.chirp([1]), .quit])
        #expect(parts.lines == ["failed: scenario: not now", "failed: scenario: not now"])
        #expect(try parts.services.characteristic(at: CharacteristicPath("lab", "store"))?.read() == Data([7]))
    }
}
