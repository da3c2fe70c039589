import RadioControl
import Testing

@testable import VirtualRadioCommand

@Suite struct RequestWordTests {
    @Test(arguments: [
        ("move hci1 -3 4.5 --over 10s", #"{"command":"move","device":"hci1","to":["-3 m","4.5 m"],"over":"10s"}"#),
        ("rssi hci0 hci1 -70", #"{"command":"rssi","between":["hci0","hci1"],"strength":"-70 dBm"}"#),
        ("rssi hci0 hci1 auto", #"{"command":"rssi","between":["hci0","hci1"],"strength":"auto"}"#),
        ("loss a/hci0 b/hci0 30", #"{"command":"loss","between":["a/hci0","b/hci0"],"part":"30 %"}"#),
        ("loss hci0 hci1 30%", #"{"command":"loss","between":["hci0","hci1"],"part":"30%"}"#),
        ("block hci0 hci1", #"{"command":"block","between":["hci0","hci1"]}"#),
        ("body phone 6", #"{"command":"body","device":"phone","loss":"6 dB"}"#),
        (
            "jam oven 1 2 --power=-30 --duty 50 --for 2min",
            #"{"command":"jam","name":"oven","at":["1 m","2 m"],"power":"-30 dBm","duty":"50 %","for":"2min"}"#
        ),
        ("unjam oven", #"{"command":"unjam","name":"oven"}"#),
        (
            "phantom add p 0 0 --to 9 9 --count 200 --services 180D,180F",
            #"{"command":"phantom","name":"p","within":[["0 m","0 m"],["9 m","9 m"]],"count":"200","#
                + #""services":["180D","180F"]}"#
        ),
        ("phantom remove p", #"{"command":"remove","phantom":"p"}"#),
        ("status --json", #"{"command":"status"}"#), ("begin", #"{"command":"begin"}"#),
    ])
    func `words are requests that the radio understands`(words: String, request: String) throws {
        let parsed = try RequestWords(words.split(separator: " ").map(String.init))
        #expect(parsed.request == request)
    }

    @Test func `options are read beside the words`() throws {
        let words = try RequestWords(["events", "--follow", "--json", "--socket", "/tmp/x"])
        #expect(words.kind == .events && words.follows && words.isJSON && words.socket == "/tmp/x")
        #expect(try RequestWords(["scene", "x.yaml"]).kind == .scene("x.yaml", waits: false))
        #expect(try RequestWords(["scene", "x.yaml", "--hold"]).kind == .scene("x.yaml", waits: true))
        #expect(try RequestWords(["reset"]).request == #"{"command":"reset"}"#)
        for help in [["help"], ["move", "--help"], ["jam", "-h"]] { #expect(try RequestWords(help).kind == .help) }
    }

    @Test(arguments: [
        ("mvoe hci0 1 2", "did you mean \"move\""), ("move hci0 1", "expected NAME X Y"), ("block", "expected A B"),
        ("move hci0 1 2 --ovr 3s", "did you mean \"--over\""), ("move hci0 1 2 --over", "--over needs a value"),
        ("phantom ad p 1 2", "did you mean \"add\""), ("status now", "expected no arguments"),
        ("phantom add p 1 2 --to 3", "two values"),
    ])
    func `other words are mistakes that say what is expected`(words: String, text: String) throws {
        let error = #expect(throws: UsageError.self) { try RequestWords(words.split(separator: " ").map(String.init)) }
        #expect(try #require(error).text.contains(text))
    }
}
