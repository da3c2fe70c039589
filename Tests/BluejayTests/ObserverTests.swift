import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite struct ObserverTests {
    @Test func `a connection observer gets the state when it is registered`() {
        let bench = Bench.connected()
        bench.observe()
        #expect(bench.journal.lines == ["available: true", "connected to Fake"])
        bench.journal.clear()
        bench.disconnect(immediate: true)
        bench.bluejay.register(connectionObserver: bench.journal)
        #expect(bench.journal.lines == ["available: true"])
        let off = Bench(.poweredOff)
        off.observe()
        #expect(off.journal.lines == ["available: false"])
    }

    @Test func `observers are called in the order of registration, each once`() {
        final class Named: ConnectionObserver {
            let name: String
            let journal: Journal
            init(_ name: String, _ journal: Journal) { (self.name, self.journal) = (name, journal) }
            func bluetoothAvailable(_ available: Bool) { journal.add(name) }
        }
        let bench = Bench(.unknown)
        let names = ["a", "b", "c"].map { Named($0, bench.journal) }
        for observer in names { bench.bluejay.register(connectionObserver: observer) }
        bench.bluejay.register(connectionObserver: names[0])
        bench.journal.clear()
        bench.central.power(.poweredOn)
        #expect(bench.journal.lines == ["b", "c", "a"])
        bench.bluejay.unregister(connectionObserver: names[2])
        bench.journal.clear()
        bench.central.power(.poweredOff)
        #expect(bench.journal.lines == ["b", "a"])
    }

    @Test func `observers are not kept alive`() {
        let bench = Bench()
        weak var gone: Journal?
        do {
            let observer = Journal()
            gone = observer
            bench.bluejay.register(connectionObserver: observer)
            bench.bluejay.registerDisconnectHandler(handler: observer)
        }
        #expect(gone == nil)
        bench.central.power(.poweredOff)
    }

    @Test func `methods of observers are optional`() {
        final class Indifferent: ConnectionObserver {}
        let bench = Bench.connected()
        let observer = Indifferent()
        bench.bluejay.register(connectionObserver: observer)
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        #expect(bench.bluejay.isConnecting)
    }

    @Test func `the log goes to observers, literally, from the first message on`() {
        final class Reader: LogObserver, @unchecked Swift.Sendable {
            // Used on the main queue only in this test.
            var texts: [String] = []
            func debug(_ text: String) { texts.append(text) }
        }
        let reader = Reader()
        let messages = LogRecorder()
        let bluejay = Bluejay(
            logObserver: reader, log: Log(messages.logger), clock: ManualClock())
        #expect(reader.texts.count == 1)
        #expect(reader.texts.first?.contains(bluejay.uuid.uuidString) == true)
        bluejay.log("100%@ %s %n")
        #expect(reader.texts.last == "100%@ %s %n")
        #expect(messages.texts == ["100%@ %s %n"], "the first message is a detail")
        bluejay.unregister(logObserver: reader)
        bluejay.log("%d")
        #expect(messages.texts.last == "%d")
        #expect(reader.texts.count == 2)
    }

    @Test func `details are not even put together without an observer`() {
        let messages = LogRecorder()
        let log = Log(messages.logger)
        log.detail(
            {
                Issue.record("put together")
                return ""
            }())
        #expect(messages.texts.isEmpty)
    }
}
