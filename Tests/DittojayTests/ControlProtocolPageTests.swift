import Foundation
import PlainText
import Testing

@testable import Dittojay

/// `docs/control-protocol.md` is what other programs are written by.
@Suite struct ControlProtocolPageTests {
    private let page: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        page = try String(contentsOf: root.appendingPathComponent("docs/control-protocol.md"), encoding: .utf8)
    }

    /// The text below a headline, up to the next one.
    private func section(_ title: String) throws -> Substring {
        let start = try #require(page.firstRange(of: "\n## \(title)\n"), "no section \(title)").upperBound
        let end = page[start...].firstRange(of: "\n## ")?.lowerBound ?? page.endIndex
        return page[start..<end]
    }

    /// The names in the first column of a section's tables.
    private func names(in title: String) throws -> [String] {
        try section(title).split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /\| `([a-z-]+)` \|.*/).map { String($0.1) }
        }
    }

    /// The JSON objects of a section.
    private func examples(in title: String) throws -> [Substring] {
        try section(title).split(separator: "\n").filter { $0.hasPrefix("{") }
    }

    @Test func `names every request that there is, and no other`() throws {
        #expect(try names(in: "Requests").sorted() == ControlRequest.Command.allCases.map(\.rawValue).sorted())
    }

    @Test func `names every kind of event that there is, and no other`() throws {
        let kinds = PeripheralEvent.Kind.allCases.map(\.rawValue) + [PeripheralEvent.droppedKind]
        #expect(try names(in: "Events").sorted() == kinds.sorted())
    }

    @Test func `names every member that an event, a reply or the status can have`() throws {
        var event = PeripheralEvent(.written)
        event.central = .init(address: "", mtu: 1)
        (event.service, event.characteristic, event.value, event.attError) = ("", "", Data(), 1)
        event.peripheral = ""
        (event.message, event.profile, event.seed, event.socket) = ("", "", 1, "")
        (event.original, event.device, event.deviceSeconds) = (Data(), "", 1)
        var reply = ControlReply(error: "")
        (reply.protocolVersion, reply.subscribers, reply.sent, reply.waits, reply.seconds) = (1, 1, 1, 1, 1)
        (reply.disconnected, reply.peripherals) = ([], [])
        let status = PeripheralStatus(
            pid: 1, uptime: 1, profile: "", name: "", adapter: "", address: "", state: "", isAdvertising: true, seed: 1,
            device: .init(name: "", address: "", adapter: "", isConnected: true), services: [], faults: [],
            centrals: [],
            heartRate: .init(rate: 1, hasContact: true, energyExpended: 1), notifications: 1, reads: 1, writes: 1,
            droppedLines: 1)
        for (title, object) in [("Events", event.json), ("Status", status.json)] {
            let text = try section(title)
            for name in try members(of: object) {
                #expect(text.contains("`\(name)`") || text.contains("\"\(name)\""), "\(title): \(name)")
            }
        }
        for name in try members(of: reply.json) { #expect(page.contains("`\(name)`"), "\(name)") }
    }

    private func members(of object: JSONObject) throws -> [String] {
        let parsed = try JSONSerialization.jsonObject(with: Data(object.utf8))
        return Array(try #require(parsed as? [String: Any]).keys)
    }

    @Test func `has examples that are understood`() throws {
        let requests = try examples(in: "Requests").map { try ControlRequest(line: $0.utf8) }
        #expect(requests.count >= ControlRequest.Command.allCases.count)
        for line in try examples(in: "Events") { #expect(PeripheralEvent(line: line.utf8) != nil, "\(line)") }
        let reply = try #require(try examples(in: "Status").first)
        #expect(try JSONDecoder().decode(ControlReply.self, from: Data(reply.utf8)).status?.name == "Room 12")
    }

    @Test func `states the limits and the version as they are`() throws {
        let limits = ControlServer.Limits()
        let text = try section("Lines")
        for limit in [
            "\(ControlRequest.maximumLength) bytes", "| connections | \(limits.clients);",
            "after \(Int(limits.idleTime)) s", "| connections that get events | \(limits.subscribers);",
            "\(ControlPeer.eventCapacity >> 10) KiB", "| faults at a time | \(Fault.maximumCount) |",
        ] { #expect(text.contains(limit), "\(limit)") }
        #expect(page.contains("version \(ControlRequest.protocolVersion)."))
    }
}
