import Dittojay
import Foundation

extension FuzzTarget {
    /// What comes at dittojay's control socket, and what is typed into its terminal.
    static let control = FuzzTarget(
        name: "control", weight: 200, generate: ControlTexts.generate, run: ControlTexts.run)
}

private enum ControlTexts {
    private static let requests: [ControlRequest] = [
        .version, .peripherals, .status, .characteristics, .signal, .events, .chirp([1, 2, 255]),
        .burst(count: 5000, size: 180, rate: 12.5), .addService("chirp"),
        .removeService(nil), .set(characteristic: "store", value: [1]), .send(characteristic: "a", value: [2]),
        .disconnect(central: "00:AA:01:01:00:01"), .clearFaults(characteristic: "lab/store"),
        .quit,
        .addFault(characteristic: "store", Fault(on: .write, .error(0x80), skip: 1, nth: 3, times: 2)),
        .addFault(characteristic: "a", Fault(on: .subscribe, .flood(count: 9, value: [1, 2]))),
        .addFault(characteristic: "a", Fault(on: .read, .delay(0.25))),
        .addFault(characteristic: "a", Fault(on: .notify, .drop, times: 3)),
    ]

    private static let mutator = Mutator(
        corpus: requests.map(\.line) + [
            "c hello", "c hex:00ff", "+ chirp", "- all", "d AA:BB:CC:DD:EE:FF", "@hci1 c hello", "s", "q", "?",
            requests.map(\.line).joined(separator: "\r\n"),
        ],
        words: Oddities.numbers + Oddities.texts + [
            "{", "}", "[", "]", ":", ",", "\"", "\n", "\r\n", "{\"command\":", "\"all\":true", "[[[[[[[[",
            "\"value\":\"hex:",
            "\"times\":", "\"after\":", "u8:1 2 3", "text:", "\"rate\":",
        ])

    static func generate(_ dice: inout Dice) -> [UInt8] { mutator.input(&dice) }

    static func run(_ bytes: [UInt8]) throws {
        // However the bytes are cut on their way, the lines are the same.
        var (whole, pieces) = (
            LineSplitter(limit: ControlRequest.maximumLength), LineSplitter(limit: ControlRequest.maximumLength)
        )
        let lines = whole.append(bytes)
        let cut = bytes.count / 3
        let others = pieces.append(bytes[..<cut]) + pieces.append(bytes[cut...])
        try expect(lines == others, "lines depend on how they come")

        for case .line(let line) in lines + [.line(Array(bytes.prefix(ControlRequest.maximumLength)))] {
            do {
                try check(try ControlRequest(line: line))
            } catch let error as ControlRequest.ParsingError {
                try expect(!error.description.isEmpty, "an error without a message")
                let reply = ControlReply(error: error.description).line
                try expect(
                    (try? JSONDecoder().decode(ControlReply.self, from: Data(reply.utf8)))?.error == error.description,
                    "invalid JSON in a reply: \(reply)")
            }
            let text = String(decoding: line, as: UTF8.self)
            if let typed = try? ControlRequest(typed: text) { try check(typed) }
            if let typed = try? AddressedRequest(typed: text) { try check(typed.request) }
        }
    }

    /// A request is written so that it is read as the same.
    private static func check(_ request: ControlRequest) throws {
        guard request.line.utf8.count <= ControlRequest.maximumLength else { return }
        let again = try? ControlRequest(line: request.line.utf8)
        switch (request, again) {
        // Numbers are written with three places.
        case (.burst(let count, let size, _?), .burst(let otherCount, let otherSize, _?)?):
            try expect(count == otherCount && size == otherSize, "another burst: \(request.line)")
        case (.burst(_, _, let rate?), nil) where rate < 0.001: return
        case (.addFault(let name, let fault), .addFault(let otherName, let other)?):
            try expect(name == otherName && fault.trigger == other.trigger, "another fault: \(request.line)")
        default: try expect(again == request, "not read as it was written: \(request.line)")
        }
    }
}
