import Logging
import MainLoop
import TestSupport
import Testing

@Suite struct RetryLogTests {
    private let recorder = LogRecorder()

    @Test func `the first error, each change of it and the end are logged`() {
        var log = RetryLog(recorder.logger, "connect")
        for error in ["off", "off", "off", "busy", "busy", "off"] { log.failed(error) }
        log.ended("connected")
        #expect(
            recorder.texts == [
                "cannot connect yet: off", "cannot connect yet: busy", "cannot connect yet: off", "connect: connected",
            ])
        #expect(
            recorder.entries.map(\.metadata) == [
                ["attempt": "1"], ["attempt": "4"], ["attempt": "6"], ["failures": "6"],
            ])
        #expect(recorder.entries.allSatisfy { $0.level == .debug })
    }

    @Test func `what works the first time is not logged`() {
        var log = RetryLog(recorder.logger, "connect")
        log.ended()
        #expect(recorder.entries.isEmpty)
    }

    @Test func `after the end everything begins anew`() {
        var log = RetryLog(recorder.logger, "connect")
        log.failed("off")
        log.ended()
        log.failed("off")
        #expect(recorder.texts == ["cannot connect yet: off", "connect: done", "cannot connect yet: off"])
        #expect(recorder.entries.last?.metadata == ["attempt": "1"])
    }

    @Test func `errors that nobody reads are not put into words`() {
        var log = RetryLog(LogRecorder(level: .info).logger, "connect")
        log.failed(
            {
                Issue.record("put into words")
                return ""
            }())
    }

    @Test func `each layer has a label and a name of its own`() {
        #expect(Set(LogLayer.allCases.map(\.shortName)).count == LogLayer.allCases.count)
        #expect(LogLayer.dbus.shortName == "dbus" && LogLayer.bluejay.shortName == "bluejay")
    }
}
