import Foundation
import TestSupport
import Testing

@testable import Dittojay

/// Which of several peripherals a request is for.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct AddressingTests {
    @Test func `a request has its peripheral as a member of its line`() throws {
        let request = AddressedRequest(.chirp([1]), for: "hci1")
        #expect(request.line == #"{"command":"chirp","value":"hex:01","peripheral":"hci1"}"#)
        #expect(try AddressedRequest(line: request.line.utf8) == request)
        #expect(AddressedRequest(.status).line == ControlRequest.status.line)
        #expect(try AddressedRequest(line: ControlRequest.status.line.utf8) == AddressedRequest(.status))
    }

    @Test(
        arguments: [
            ("@hci1 c hello", AddressedRequest(.chirp(Array("hello".utf8)), for: "hci1")),
            ("  @hci1   s ", AddressedRequest(.status, for: "hci1")), ("p", AddressedRequest(.peripherals)),
            ("@hci1 q", AddressedRequest(.quit, for: "hci1")), ("c @x", AddressedRequest(.chirp(Array("@x".utf8)))),
        ] as [(String, AddressedRequest)])
    func `a typed line has it in front`(line: String, request: AddressedRequest) throws {
        #expect(try AddressedRequest(typed: line) == request)
    }

    @Test(arguments: ["@", "@hci1", "@hci1  ", "@ s", "@hci1 fly"])
    func `a typed line without one or the other is refused`(line: String) {
        #expect(throws: ControlRequest.ParsingError.self) { try AddressedRequest(typed: line) }
    }

    @Test func `a peripheral is found by its id, its controller, or a name that it has alone`() async throws {
        let group = try await GroupSimulation(
            Array(repeating: .lab, count: 3), on: .init(given: ["00:AA:01:02:00:02", "hci0", "hci1"]))
        try await group.run()
        for name in ["00:AA:01:02:00:02", "hci2", "00:aa:01:02:00:02", "Dittojay 1"] {
            #expect(await group.perform(.status, for: name).status?.adapter == "hci2", "\(name)")
        }
        let ids = "00:AA:01:02:00:02, hci0, hci1"
        #expect(await group.perform(.status).error == "several peripherals are running; specify one of \(ids)")
        #expect(
            await group.perform(.status, for: "hci7").error == "unknown peripheral \"hci7\"; valid: \(ids)")
        #expect(await group.perform(.version).protocolVersion == 1)
        try await group.end()
    }

    @Test func `a name that several have is none`() async throws {
        var profiles = [PeripheralProfile.lab, .lab]
        // The number that the first one gets makes its name that of the third one.
        profiles.append(.lab)
        profiles[2].localName = "Dittojay 1"
        let group = try await GroupSimulation(profiles)
        try await group.run()
        #expect(
            await group.perform(.status, for: "Dittojay 1").error
                == "ambiguous peripheral \"Dittojay 1\"; specify one of hci0, hci2")
        #expect(await group.perform(.status, for: "Dittojay 2").status?.adapter == "hci1")
        try await group.end()
    }

    @Test func `a single one is found by all of its names, and by none`() async throws {
        let group = try await GroupSimulation([.lab])
        try await group.run()
        for name in [nil, "hci0", "Dittojay", "00:AA:01:00:00:00"] {
            #expect(await group.perform(.status, for: name).status?.adapter == "hci0", "\(name ?? "")")
        }
        #expect(await group.perform(.status, for: "hci1").ok == false)
        #expect(group.lines.first?.hasPrefix("advertising: ") == true, "its events are as they always were")
        try await group.end()
        #expect(group.lines.last == "all ended" && !group.lines.contains { $0.contains(" ended") && $0 != "all ended" })
    }

    @Test func `a program at the socket follows one, or all`() async throws {
        let group = try await GroupSimulation()
        try await group.run()
        let (all, one) = (Journal(), Journal())
        for (journal, peripheral) in [(all, String?.none), (one, "Dittojay 2")] {
            Thread.detachNewThread { [socket = group.socket] in
                try? ControlClient.follow(socket, peripheral: peripheral) { line in
                    let event = PeripheralEvent(line: line)
                    journal.note("\(event?.peripheral ?? "-") \(event?.kind.rawValue ?? "-")")
                }
            }
        }
        #expect(throws: DittojayError.refused("unknown peripheral \"hci9\"; valid: hci0, hci1")) {
            try ControlClient.follow(group.socket, peripheral: "hci9") { _ in }
        }
        // Nobody knows when they follow.
        try await eventually("both follow") {
            for id in ["hci0", "hci1"] {
                group.queue.async { group.group.perform(AddressedRequest(.chirp([]), for: id)) { _ in } }
            }
            return one.lines.contains("hci1 chirped") && all.lines.contains("hci0 chirped")
                && all.lines.contains("hci1 chirped")
        }
        #expect(!one.lines.contains { !$0.hasPrefix("hci1 ") })
        #expect(await group.perform(.quit, for: "hci1").ok)
        try await one.saw("hci1 ended")
        try await all.saw("hci1 ended")
        try await group.end()
    }
}
