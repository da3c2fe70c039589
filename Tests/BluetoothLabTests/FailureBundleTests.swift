import Foundation
import Testing

@testable import BluetoothLab

/// What the library gives to lab-bundle. (python/bluetooth-lab/tests has what that makes of it.)
@Suite struct FailureBundleTests {
    /// 2026-11-21 18:22:55.209251 UTC.
    private static let moment = WallTime(microseconds: 1_795_285_375_209_251)

    @Test func `a description is what lab bundle reads`() throws {
        let entry = AppLog.Entry(time: Self.moment, source: "dittojay[7]", text: "a \"line\"\n")
        let description = FailureBundle.Description(
            test: "Suite.test", start: Self.moment, end: WallTime(microseconds: Self.moment.microseconds + 1),
            busPosition: 5_000_000_000, issues: ["Test.swift:1: no"], devices: "hci0", entries: [entry],
            missing: ["bus.log"])
        let decoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(description))
        let object = try #require(decoded as? [String: Any])
        #expect(
            Set(object.keys) == [
                "test", "start", "end", "busPosition", "issues", "devices", "entries", "missing",
            ])
        #expect(object["busPosition"] as? Int == 5_000_000_000)
        let entries = try #require(object["entries"] as? [[Any]])
        #expect(entries.first?.first as? Double == 1_795_285_375.209251)
        #expect(entries.first?.dropFirst().map { $0 as? String } == ["dittojay[7]", "a \"line\"\n"])
    }

    @Test func `times keep their microseconds`() throws {
        for offset in [0, 1, 499_999, 790_748] as [Int64] {
            let time = WallTime(microseconds: Self.moment.microseconds + offset)
            let text = String(decoding: try JSONEncoder().encode([time]), as: UTF8.self)
            let seconds = try #require(Double(text.dropFirst().dropLast()))
            #expect(Int64((seconds * 1_000_000).rounded()) == time.microseconds, "\(text)")
        }
    }
}
