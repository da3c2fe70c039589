import Foundation
import PlainText
import Testing

@testable import Dittojay

@Suite struct CommonMistakeTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../Fixtures/profiles")

    private func mistakes(in text: String) -> [ProfileFileError] {
        do throws(ProfileFileError) {
            _ = try ProfileFile.parse(text, file: "x.yaml")
            return []
        } catch {
            return error.all
        }
    }

    @Test func `there are more than a hundred of them`() {
        #expect(CommonMistake.all.count >= 150)
    }

    @Test(arguments: CommonMistake.all)
    func `each is reported on its line, with what was expected, and nothing else is`(_ example: CommonMistake) throws {
        let file = Self.folder.appendingPathComponent(example.file + ".yaml")
        let good = try String(contentsOf: file, encoding: .utf8)
        let range = try #require(good.range(of: example.original))
        let text = good.replacingCharacters(in: range, with: example.mistake)
        let line: Int
        if let place = example.place {
            // The first that begins like this from there on.
            let before = text[..<range.lowerBound].split(separator: "\n", omittingEmptySubsequences: false).count - 1
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let isPlace = { (line: Substring) in line.hasPrefix(place) || line.drop { $0 == " " }.hasPrefix(place) }
            let later = (before..<lines.count).dropFirst().first { isPlace(lines[$0]) }
            line = try #require(later) + 1
        } else {
            line = text[..<range.lowerBound].count { $0 == "\n" } + 1
        }
        let found = mistakes(in: text)
        #expect(
            found.contains { $0.message.contains(example.expected) },
            "\(found.map(\.description).joined(separator: "\n"))")
        // A key that there is not can be one that is missing, too.
        #expect((1...2).contains(found.count))
        for mistake in found {
            #expect(mistake.line == line, "\(mistake)")
            #expect((mistake.column ?? 0) > 0)
        }
    }

    @Test func `all mistakes of a file are reported at once, in their order`() {
        let found = mistakes(
            in: """
                nmae: x
                services:
                  - uuid: heart-rat
                    characteristics:
                      - uuid: 2A37
                        properties: [notfy]
                        value: 5
                  - uuid: battery
                    advertised: maybe
                    characteristics:
                      - {uuid: battery-level, properties: [read], write: {lengths: 600, when: [{any: true, refuse: 999}]}}
                scenario:
                  - wait: 5
                  - jump: 1
                  - chirp: 7
                """)
        #expect(found.map(\.line) == [1, 3, 6, 7, 9, 11, 11, 11, 13, 14, 15])
    }

    @Test func `what is wrong only because of another mistake is not reported`() {
        let found = mistakes(
            in: """
                services:
                  - uuid: environmental-sensing
                    characteristics:
                      - uuid: temprature
                        properties: [red]
                        notify: {every: 1 s, value: u8:1}
                      - uuid: humidity
                        properties: [read, write]
                        count-of: temperature
                        write: {echo: temperature}
                scenario:
                  - send: {on: temperature, value: u8:1}
                  - remove-service: environmental-sensing
                """)
        #expect(found.map(\.line) == [4, 5])
    }

    @Test func `no more than a hundred mistakes are looked for`() {
        let text = "services:\n" + String(repeating: "  - {uuid: environmental-sensin, x: 1}\n", count: 100)
        #expect(mistakes(in: text).count == FileContext.maximumMistakes)
    }

    @Test(arguments: ["true", "yes", "on", "True", "YES", "\"on\""])
    func `truth has many words`(word: String) throws {
        let text = "services: [{uuid: 180F, advertised: \(word), published: \(word == "yes" ? "no" : "off")}]"
        let service = try #require(try ProfileFile.parse(text, file: "x").value.services.first)
        #expect(service.isAdvertised && !service.isPublished)
    }

    @Test(arguments: [
        ("apple-inc", 0x004C), ("Apple, Inc.", 0x004C), ("0x004C", 0x004C), ("76", 0x004C), ("3m", 0x02D0),
    ])
    func `companies, appearances and units are taken by their assigned names`(written: String, number: UInt16) throws {
        let text =
            "advertise: {manufacturer: {company: \"\(written)\"}}\nappearance: thermometer\nservices: [{uuid: 180F}]"
        let advertisement = try ProfileFile.parse(text, file: "x").value.advertisement
        #expect(advertisement.manufacturers.map(\.company) == [number])
        #expect(advertisement.appearance == 0x0300)
    }

    @Test(
        arguments: [
            ("celsius", 0x272F), ("pressure-bar", 0x2780), ("bar", 0x2780), ("hectare", 0x2766), ("percentage", 0x27AD),
            ("degree-fahrenheit", 0x27AC), ("thermodynamic temperature (degree Fahrenheit)", 0x27AC), ("minute", nil),
            ("time-minute", 0x2760), ("nothing", nil),
        ] as [(String, UInt16?)])
    func `units have short names, assigned ones, and numbers`(name: String, number: UInt16?) {
        #expect(PresentationFormat.unit(named: name) == number)
    }
}
