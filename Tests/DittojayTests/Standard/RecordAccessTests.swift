import GATTProfiles
import Synchronization
import Testing

@testable import Dittojay

/// Record Access Control Point of the Glucose Service. Specification: Glucose Service 1.0, 3.4.
@Suite struct RecordAccessTests {
    private let meter: ModelBench

    init() throws { meter = try #require(ModelBench(.glucose)) }

    private func request(_ hex: String) throws -> [String] { try meter.write(hex, on: Glucose.recordAccess) }

    /// The sequence numbers of the measurements that a request has sent; nil unless it has ended with success.
    private func numbers(_ hex: String) throws -> [Int]? {
        let sent = try request(hex)
        guard sent.last == "2A52 06000101" else { return nil }
        return try sent.filter { $0.hasPrefix("2A18 ") }.map {
            let bytes = try ValueText.parseHex($0.dropFirst(5))
            return Int(bytes[1]) | Int(bytes[2]) << 8
        }
    }

    @Test(arguments: [
        ("0101", 1...12), ("0105", 1...1), ("0106", 12...12), ("0102010300", 1...3), ("0103010b00", 11...12),
        ("01040104000600", 4...6), ("01040105000500", 5...5),
    ])
    func `the records that an operator means are reported in their order`(
        request: String, expected: ClosedRange<Int>
    ) throws {
        #expect(try numbers(request) == Array(expected))
    }

    @Test func `records are found by the time that the user sees`() throws {
        // 2026-11-23T12:05:09 is the clock; the last record was made five hours before, and has an offset of nothing.
        #expect(try numbers("010302" + "ea070b1707050a") == nil)
        #expect(try numbers("010302" + "ea070b17070509") == [12])
        // The tenth was made at 21:05:09 the day before; its clock is an hour ahead.
        #expect(try numbers("010402" + "ea070b16160509" + "ea070b16160509") == [10])
    }

    @Test func `a context follows its measurement`() throws {
        let sent = try request("0101")
        let contexts = sent.indices.filter { sent[$0].hasPrefix("2A34") }
        #expect(!contexts.isEmpty)
        for index in contexts {
            let (measurement, context) = (sent[index - 1].dropFirst(5), sent[index].dropFirst(5))
            #expect(measurement.dropFirst(2).prefix(4) == context.dropFirst(2).prefix(4))
            // Context Information Follows.
            #expect(try ValueText.parseHex(measurement)[0] & 1 << 4 != 0)
        }
    }

    @Test func `records are counted and deleted`() throws {
        #expect(try request("0401") == ["2A52 05000c00"])
        #expect(try request("0204 01 0200 0300") == ["2A52 06000201"])
        #expect(try request("0401") == ["2A52 05000a00"])
        #expect(try numbers("0102010400") == [1, 4])
        #expect(try request("0204 01 0200 0300") == ["2A52 06000206"])
        #expect(try request("0201") == ["2A52 06000201"])
        #expect(try request("0401") == ["2A52 05000000"])
        #expect(try request("0101") == ["2A52 06000106"])
    }

    @Test(arguments: [
        // No op code of a request, a null operator, one that is reserved, operands where there is none, or none.
        ("0701", "06000702"), ("0501", "06000502"), ("0100", "06000103"), ("01", "06000103"), ("0107", "06000104"),
        ("010101", "06000105"), ("010501", "06000105"), ("0102", "06000105"), ("01020100", "06000105"),
        ("0104010100", "06000105"),
        // The range ends before it begins; a filter that is not known; no date; no such records.
        ("01040106000400", "06000105"), ("0102030100", "06000109"), ("010202ea070d170c0509", "06000105"),
        ("010301ff00", "06000106"), ("0301", "06000303"), ("0300", "06000301"),
    ])
    func `a request that makes no sense has a response that says so`(hex: String, response: String) throws {
        #expect(try request(hex) == ["2A52 \(response)"])
    }

    @Test func `without the subscriptions nothing is done`() throws {
        meter.subscriptions = [Glucose.measurement]
        #expect(try request("0101") == ["error 0x81"])
        meter.subscriptions = [Glucose.recordAccess]
        #expect(try request("0101") == ["error 0x81"])
        // What is indicated only needs no notifications.
        #expect(try request("0401") == ["2A52 05000c00"])
    }

    @Test func `one procedure is carried out at a time, and can be aborted`() throws {
        #expect(try meter.begin("0101", on: Glucose.recordAccess) == nil)
        meter.follow(2)
        #expect(try meter.begin("0401", on: Glucose.recordAccess) == 0x80)
        #expect(meter.sent.count == 2)
        #expect(try request("0300") == ["2A52 06000301"])
        #expect(try request("0401") == ["2A52 05000c00"])
    }

    @Test func `a procedure ends with the subscription`() throws {
        #expect(try meter.begin("0101", on: Glucose.recordAccess) == nil)
        meter.model.unsubscribed(from: Glucose.recordAccess)
        #expect(try request("0401") == ["2A52 05000c00"])
    }

    @Test func `it measures every five minutes, and keeps the last fifty`() throws {
        let clock = Clock()
        let now: @Sendable () -> Double = { clock.time.withLock { $0 } }
        let meter = try #require(ModelBench(.glucose, now: now))
        clock.time.withLock { $0 += 650 }
        #expect(try meter.write("0401", on: Glucose.recordAccess) == ["2A52 05000e00"])
        clock.time.withLock { $0 += 1e9 }
        #expect(try meter.write("0401", on: Glucose.recordAccess) == ["2A52 05003200"])
    }

    private final class Clock: Swift.Sendable {
        let time = Mutex(1_795_435_509.0)
    }
}
