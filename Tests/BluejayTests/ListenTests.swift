import TestSupport
import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite struct ListenTests {
    let bench = Bench.connected()

    private func listening(_ option: MultipleListenOption = .trap) {
        bench.listen("listen", option)
        bench.peripheral.settle()
    }

    @Test func `every value is delivered, the installation is not`() throws {
        listening()
        #expect(bench.journal.lines == [])
        bench.peripheral.notify("2A37", Data([1]))
        bench.peripheral.notify("2A37", Data())
        bench.peripheral.notify("2A37", nil)
        bench.peripheral.notify("2A37", Data([3]), error: CBError(.unknown))
        bench.peripheral.notify("2A38", Data([4]))
        #expect(bench.journal.lines == ["listen: 1", "listen: ", "listen: missingData", "listen: CBError 0"])
    }

    @Test func `a value that cannot be decoded is an error, and the listen goes on`() {
        struct Short: Receivable, CustomStringConvertible {
            let description: String
            init(bluetoothData: Data) throws {
                description = "short"
                _ = try bluetoothData.extract(start: 1, length: 1) as UInt8
            }
        }
        bench.bluejay.listen(to: measurement, completion: bench.journal.read("listen") as (ReadResult<Short>) -> Void)
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([1]))
        bench.peripheral.notify("2A37", Data([1, 2]))
        #expect(bench.journal.lines == ["listen: dataOutOfBounds", "listen: short"])
    }

    @Test func `a characteristic is listened to from the call on`() throws {
        bench.read()
        #expect(try !bench.bluejay.isListening(to: measurement))
        bench.listen()
        #expect(try bench.bluejay.isListening(to: measurement))
        bench.peripheral.settle()
        #expect(try bench.bluejay.isListening(to: measurement))
        bench.endListen()
        #expect(try !bench.bluejay.isListening(to: measurement))
    }

    @Test func `a failed installation is reported once, and nothing is installed`() throws {
        bench.peripheral.failures["subscribe"] = CBATTError(.insufficientAuthentication)
        listening()
        #expect(bench.journal.lines == ["listen: CBATTError 5"])
        #expect(try !bench.bluejay.isListening(to: measurement))
        bench.listen("again")
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.journal.lines.last == "again: 1")
    }

    @Test(arguments: [MultipleListenOption.trap, .replaceable])
    func `a trapping listen refuses another, whether installed or not`(option: MultipleListenOption) {
        bench.listen("first", .trap)
        bench.listen("second", option)
        bench.peripheral.settle()
        bench.listen("third", option)
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.journal.lines == ["second: multipleListenTrapped", "third: multipleListenTrapped", "first: 1"])
    }

    @Test(arguments: [MultipleListenOption.trap, .replaceable])
    func `a replaceable listen gets a report when another has taken over`(option: MultipleListenOption) {
        bench.listen("first", .replaceable)
        bench.peripheral.settle()
        bench.listen("second", option)
        bench.peripheral.notify("2A37", Data([1]))
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([2]))
        // Still replaceable, whatever the second one wanted.
        bench.listen("third", option)
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([3]))
        #expect(
            bench.journal.lines == [
                "first: 1", "first: multipleListenReplaced", "second: 2", "second: multipleListenReplaced", "third: 3",
            ])
    }

    @Test func `a failed replacement leaves the old listen`() throws {
        bench.listen("first", .replaceable)
        bench.peripheral.settle()
        bench.peripheral.failures["subscribe"] = CBATTError(.insufficientAuthentication)
        bench.listen("second")
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.journal.lines == ["second: CBATTError 5", "first: 1"])
        #expect(try bench.bluejay.isListening(to: measurement))
    }

    @Test func `several listens on their way are installed in order`() {
        bench.listen("first", .replaceable)
        bench.listen("second")
        bench.listen("third")
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([1]))
        #expect(
            bench.journal.lines == ["first: multipleListenReplaced", "second: multipleListenReplaced", "third: 1"])
    }

    @Test func `the end of a listen silences it at once, and is confirmed later`() {
        listening()
        bench.endListen()
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.journal.lines == [])
        bench.peripheral.settle()
        #expect(bench.journal.lines == ["endListen: success"])
        #expect(!bench.peripheral.isNotifying("2A37"))
    }

    @Test func `the end of a listen that is not there clears the subscription all the same`() {
        bench.endListen()
        bench.peripheral.settle()
        #expect(bench.peripheral.calls == ["unsubscribe 2A37"])
        #expect(bench.journal.lines == ["endListen: success"])
    }

    @Test func `a listen ended before it is confirmed stays ended`() throws {
        bench.listen("running")
        bench.endListen("first end")
        bench.peripheral.settle()
        bench.read()
        bench.listen("queued")
        bench.endListen("second end")
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.journal.lines == ["first end: success", "read: ", "second end: success"])
        #expect(try !bench.bluejay.isListening(to: measurement))
        #expect(!bench.peripheral.isNotifying("2A37"))
        #expect(
            bench.peripheral.calls == ["subscribe 2A37", "unsubscribe 2A37", "read 2A38", "unsubscribe 2A37"])
    }

    @Test func `listen, end and listen again end in listening`() throws {
        bench.listen("first")
        bench.endListen()
        bench.listen("second")
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.journal.lines == ["endListen: success", "second: 1"])
        #expect(bench.peripheral.isNotifying("2A37"))
    }

    @Test func `a listen may be ended from its own value`() {
        bench.bluejay.listen(to: measurement) { [bench] (result: ReadResult<UInt8>) in
            bench.journal.read("listen")(result)
            bench.endListen()
        }
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([1]))
        bench.peripheral.notify("2A37", Data([2]))
        bench.peripheral.settle()
        #expect(bench.journal.lines == ["listen: 1", "endListen: success"])
    }

    @Test func `a cancelled installation is reported, a cancelled queue leaves listens alone`() {
        bench.listen("cancelled")
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        #expect(bench.journal.lines == ["cancelled: cancelled"])
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.journal.lines == ["cancelled: cancelled"])
        listening()
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        bench.peripheral.notify("2A37", Data([2]))
        #expect(bench.journal.lines.last == "listen: 2")
        #expect(bench.bluejay.isConnected)
    }

    @Test func `a listen cancelled while it is installed is not left on at the peripheral`() {
        bench.listen("cancelled")
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        bench.peripheral.settle()
        #expect(!bench.peripheral.isNotifying("2A37"))
        #expect(bench.peripheral.calls == ["subscribe 2A37", "unsubscribe 2A37"])
        // A replacement that is cancelled leaves the notifications to the listen before it.
        bench.listen("first", .replaceable)
        bench.peripheral.settle()
        bench.listen("second")
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.peripheral.isNotifying("2A37"))
        #expect(bench.journal.lines == ["cancelled: cancelled", "second: cancelled", "first: 1"])
    }

    @Test func `without the broadcast, listeners hear nothing of the end`() {
        listening()
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        bench.central.accept(bench.peripheral)
        #expect(bench.journal.lines == [])
        #expect((try? bench.bluejay.isListening(to: measurement)) == false)
    }

    @Test func `with the broadcast, listeners hear once why it ended`() {
        bench.bluejay.broadcastErrorsToListeners = true
        listening()
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        bench.peripheral.notify("2A37", Data([1]))
        bench.central.drop(bench.peripheral, CBError(.connectionTimeout))
        #expect(bench.journal.lines == ["listen: cancelled", "listen: 1", "listen: notConnected"])
    }

    @Test func `the broadcast reports requested disconnects and Bluetooth off`() {
        bench.bluejay.broadcastErrorsToListeners = true
        for immediate in [false, true] {
            listening()
            bench.disconnect(immediate: immediate)
            bench.central.drop(bench.peripheral)
            bench.bluejay.connect(bench.identifier) { _ in }
            bench.central.accept(bench.peripheral)
        }
        listening()
        bench.central.power(.resetting)
        #expect(
            bench.journal.lines == [
                "listen: explicitDisconnect", "disconnect: Fake", "listen: explicitDisconnect", "disconnect: Fake",
                "listen: bluetoothUnavailable",
            ])
    }

    @Test func `a disconnect that Bluetooth going off cuts short is broadcast once`() {
        bench.bluejay.broadcastErrorsToListeners = true
        listening()
        bench.disconnect()
        bench.central.power(.poweredOff)
        #expect(bench.journal.lines == ["listen: explicitDisconnect", "disconnect: bluetoothUnavailable"])
    }

    @Test func `a listen ends with its service, and can begin again when it is back`() throws {
        listening()
        bench.peripheral.notify("2A37", Data([1]))
        bench.peripheral.changeServices(removing: ["180D"])
        #expect(bench.journal.lines == ["listen: 1", "listen: missingService"])
        #expect(try !bench.bluejay.isListening(to: measurement))
        bench.peripheral.notify("2A37", Data([2]))
        #expect(bench.journal.lines.count == 2)
        bench.peripheral.changeServices(removing: [])
        bench.listen("again")
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([3]))
        #expect(bench.journal.lines.last == "again: 3")
    }

    @Test func `the end of a listen is reported before the change, and the observer may listen at once`() {
        final class Watcher: ServiceObserver {
            let bench: Bench
            init(_ bench: Bench) { self.bench = bench }
            func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier]) {
                bench.journal.add("changed")
                bench.listen("again")
            }
        }
        let watcher = Watcher(bench)
        bench.bluejay.register(serviceObserver: watcher)
        listening()
        bench.peripheral.changeServices(removing: ["180D"])
        bench.peripheral.settle()
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.journal.lines == ["listen: missingService", "changed", "again: 1"])
    }

    @Test func `a change of other services ends no listen`() throws {
        let bench = Bench(peripheral: FakePeripheral([("180D", ["2A37", "2A38", "2A39"]), ("180F", ["2A19"])]))
        bench.connect()
        bench.journal.clear()
        bench.listen()
        bench.bluejay.listen(
            to: CharacteristicIdentifier(uuid: "2A19", service: ServiceIdentifier(uuid: "180F")),
            completion: bench.journal.read("battery") as (ReadResult<Data>) -> Void)
        bench.peripheral.settle()
        bench.peripheral.changeServices(removing: ["180F"])
        bench.peripheral.changeServices(removing: [])
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.journal.lines == ["battery: missingService", "listen: 1"])
    }

    @Test func `values nobody waits for are logged as details only`() {
        bench.peripheral.notify("2A37", Data([1]))
        #expect(bench.messages.texts.isEmpty)
    }
}
