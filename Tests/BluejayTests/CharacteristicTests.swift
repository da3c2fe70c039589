import Testing

@testable import Bluejay
@testable import CoreBluetooth

@MainActor @Suite struct CharacteristicTests {
    let bench = Bench.connected()

    @Test func `service and characteristic are discovered once, then used`() {
        let bench = Bench()
        bench.bluejay.connect(bench.identifier) { _ in }
        bench.central.accept(bench.peripheral)
        bench.peripheral.values["2A38"] = Data([1])
        bench.read()
        bench.read()
        bench.peripheral.settle()
        #expect(
            bench.peripheral.calls == [
                "discoverServices 180D", "discoverCharacteristics 2A38", "read 2A38", "read 2A38",
            ])
        #expect(bench.journal.lines == ["read: 1", "read: 1"])
    }

    @Test func `one operation at a time, in the order of the calls`() {
        bench.read("1")
        bench.write("2")
        bench.listen("3")
        bench.endListen("4")
        bench.read("5", measurement)
        #expect(bench.peripheral.calls == ["read 2A38"])
        bench.peripheral.settle()
        #expect(
            bench.peripheral.calls == ["read 2A38", "write 2A39", "unsubscribe 2A37", "read 2A37"])
        #expect(bench.journal.lines == ["1: ", "2: success", "4: success", "5: "])
    }

    @Test func `values are decoded, and what decoding throws is reported`() {
        struct Picky: Receivable {
            init(bluetoothData: Data) throws {
                if bluetoothData.isEmpty { throw BluejayError.missingData }
            }
        }
        bench.peripheral.values["2A38"] = Data([0x34, 0x12])
        bench.bluejay.read(from: location, completion: bench.journal.read("int") as (ReadResult<UInt16>) -> Void)
        bench.peripheral.settle()
        bench.peripheral.values["2A38"] = .some(nil)
        bench.read("nil")
        bench.bluejay.read(from: location, completion: bench.journal.read("picky") as (ReadResult<Picky>) -> Void)
        bench.peripheral.settle()
        #expect(bench.journal.lines == ["int: 4660", "nil: ", "picky: missingData"])
    }

    @Test func `CoreBluetooth's errors pass through`() {
        bench.peripheral.failures = [
            "read": CBATTError(.insufficientEncryption), "write": CBATTError(.writeNotPermitted),
            "subscribe": CBATTError(.requestNotSupported), "unsubscribe": CBError(.invalidHandle),
        ]
        bench.read()
        bench.write()
        bench.listen()
        bench.peripheral.settle()
        bench.endListen()
        bench.peripheral.settle()
        #expect(
            bench.journal.lines == [
                "read: CBATTError 15", "write: CBATTError 3", "listen: CBATTError 6", "endListen: CBError 2",
            ])
    }

    @Test func `errors of discovery reach what needs it`() {
        let bench = Bench()
        bench.bluejay.connect(bench.identifier) { _ in }
        bench.central.accept(bench.peripheral)
        bench.peripheral.failures["discoverServices"] = CBError(.invalidHandle)
        bench.read("1")
        bench.peripheral.settle()
        bench.peripheral.failures["discoverCharacteristics"] = CBError(.unknown)
        bench.read("2")
        bench.read("3")
        bench.peripheral.settle()
        #expect(bench.journal.lines == ["1: CBError 2", "2: CBError 0", "3: "])
    }

    @Test func `what the peripheral does not have is missing`() {
        let battery = ServiceIdentifier(uuid: "180F")
        let level = CharacteristicIdentifier(uuid: "2A19", service: battery)
        let strange = CharacteristicIdentifier(uuid: "2A19", service: heartRate)
        bench.read("service", level)
        bench.read("characteristic", strange)
        bench.read("present")
        bench.peripheral.settle()
        #expect(
            bench.journal.lines == ["service: missingService", "characteristic: missingCharacteristic", "present: "])
    }

    @Test func `a characteristic is found in whichever service of its identifier has it`() {
        let peripheral = FakePeripheral([("180A", ["2A50"]), ("180A", ["2A25"])])
        let bench = Bench(peripheral: peripheral)
        bench.bluejay.connect(bench.identifier) { _ in }
        bench.central.accept(peripheral)
        let information = ServiceIdentifier(uuid: "180A")
        peripheral.values = ["2A25": Data([7]), "2A50": Data([8])]
        bench.read("second", CharacteristicIdentifier(uuid: "2A25", service: information))
        bench.read("first", CharacteristicIdentifier(uuid: "2A50", service: information))
        bench.read("neither", CharacteristicIdentifier(uuid: "2A29", service: information))
        peripheral.settle()
        #expect(bench.journal.lines == ["second: 7", "first: 8", "neither: missingCharacteristic"])
    }

    @Test func `calls need a connection`() {
        let bench = Bench()
        bench.read()
        bench.write()
        bench.listen()
        bench.endListen()
        #expect(
            bench.journal.lines == [
                "read: notConnected", "write: notConnected", "listen: notConnected", "endListen: notConnected",
            ])
        #expect(throws: BluejayError.self) { try bench.bluejay.isListening(to: measurement) }
        #expect(throws: BluejayError.self) { try bench.bluejay.readRSSI() }
    }

    @Test func `a value is turned into bytes when the write starts`() {
        final class Counter: Bluejay.Value {
            var count: UInt8 = 1
            func toBluetoothData() -> Data { Data([count]) }
        }
        let counter = Counter()
        bench.read()
        bench.bluejay.write(to: controlPoint, value: counter, completion: bench.journal.write("write"))
        counter.count = 2
        bench.peripheral.settle()
        #expect(bench.peripheral.written == [Data([2])])
    }

    @Test func `a write without response is done when it is handed over`() {
        bench.write(type: .withoutResponse)
        #expect(bench.journal.lines == ["write: success"])
        #expect(bench.peripheral.calls == ["command 2A39"])
    }

    @Test func `a write without response waits for room`() {
        bench.peripheral.room = 2
        for number in 1...4 { bench.write("\(number)", type: .withoutResponse) }
        #expect(bench.journal.lines == ["1: success", "2: success"])
        bench.peripheral.makeRoom()
        #expect(bench.journal.lines == ["1: success", "2: success", "3: success", "4: success"])
        #expect(bench.peripheral.written.count == 4)
    }

    @Test func `another characteristic's value is not taken for the answer to a read`() {
        bench.read()
        bench.peripheral.notify("2A37", Data([9]))
        #expect(bench.journal.lines == [])
        bench.peripheral.values["2A38"] = Data([1])
        bench.peripheral.settle()
        #expect(bench.journal.lines == ["read: 1"])
    }

    @Test func `answers are matched by service, too`() {
        let twins = FakePeripheral(name: "Twins", [("180D", ["2A38"]), ("180F", ["2A38"])])
        let bench = Bench()
        bench.central.known = [twins]
        bench.bluejay.connect(PeripheralIdentifier(twins)) { _ in }
        bench.central.accept(twins)
        bench.read("heart rate")
        bench.read("battery", CharacteristicIdentifier(uuid: "2A38", service: ServiceIdentifier(uuid: "180F")))
        while twins.calls.last != "read 2A38" { twins.answer() }
        twins.notify("2A38", of: "180F", Data([9]))
        #expect(bench.journal.lines == [])
        twins.values["2A38"] = Data([1])
        twins.settle()
        #expect(bench.journal.lines == ["heart rate: 1", "battery: 1"])
    }

    @Test func `a characteristic is found in the second of two services with the same UUID`() {
        let twins = FakePeripheral(name: "Twins", [("180A", ["2A50"]), ("180A", ["2A25"])])
        let bench = Bench()
        bench.central.known = [twins]
        bench.bluejay.connect(PeripheralIdentifier(twins)) { _ in }
        bench.central.accept(twins)
        twins.values["2A25"] = Data([7])
        let information = ServiceIdentifier(uuid: "180A")
        bench.read("second", CharacteristicIdentifier(uuid: "2A25", service: information))
        bench.read("neither", CharacteristicIdentifier(uuid: "2A29", service: information))
        bench.read("first", CharacteristicIdentifier(uuid: "2A50", service: information))
        twins.settle()
        #expect(bench.journal.lines == ["second: 7", "neither: missingCharacteristic", "first: "])
    }

    @Test func `a characteristic that is listened to cannot be read`() {
        bench.listen()
        bench.read("early", measurement)
        bench.peripheral.settle()
        bench.read("late", measurement)
        #expect(bench.journal.lines == ["early: readFailed", "late: readFailed"])
    }

    @Test func `the answer to a cancelled request is not taken for a later one's`() {
        bench.write("cancelled")
        bench.read("cancelled too")
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        bench.write("later")
        bench.peripheral.answer()
        #expect(bench.journal.lines == ["cancelled: cancelled", "cancelled too: cancelled"])
        bench.peripheral.answer()
        #expect(bench.journal.lines.last == "later: success")

        bench.read("first")
        bench.bluejay.cancelEverything(shouldDisconnect: false)
        bench.read("second")
        bench.peripheral.values["2A38"] = Data([1])
        bench.peripheral.answer()
        #expect(bench.journal.lines.last == "first: cancelled")
        bench.peripheral.answer()
        #expect(bench.journal.lines.last == "second: 1")
    }

    @Test func `signal strengths go to the observers`() throws {
        final class Meter: RSSIObserver {
            var readings: [String] = []
            func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: (any Error)?) {
                readings.append("\(peripheral.name) \(RSSI) \(error?.short ?? "")")
            }
        }
        let meter = Meter()
        bench.bluejay.register(rssiObserver: meter)
        // Outside the queue.
        bench.read()
        try bench.bluejay.readRSSI()
        bench.peripheral.report(rssi: -42)
        bench.peripheral.report(rssi: 0, error: CBError(.unknown))
        #expect(meter.readings == ["Fake -42 ", "Fake 0 CBError 0"])
        #expect(bench.peripheral.calls == ["read 2A38", "readRSSI"])
        bench.bluejay.unregister(rssiObserver: meter)
        bench.peripheral.report(rssi: -43)
        #expect(meter.readings.count == 2)
    }

    @Test func `changes of services go to the observers`() {
        final class Watcher: ServiceObserver {
            var changes: [[ServiceIdentifier]] = []
            func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier]) {
                changes.append(invalidatedServices)
            }
        }
        let watcher = Watcher()
        bench.bluejay.register(serviceObserver: watcher)
        bench.peripheral.changeServices(removing: ["180D"])
        bench.peripheral.changeServices(removing: [])
        #expect(watcher.changes == [[heartRate], []])
        bench.bluejay.unregister(serviceObserver: watcher)
        bench.peripheral.changeServices(removing: [])
        #expect(watcher.changes.count == 2)
    }

    @Test func `after a change services are looked for once more, as there may be others of the kind`() {
        bench.peripheral.changeServices(removing: [])
        bench.read()
        bench.read()
        bench.peripheral.settle()
        #expect(bench.peripheral.calls == ["discoverServices 180D", "read 2A38", "read 2A38"])
    }

    @Test func `a removed service is discovered again when it is used`() {
        bench.peripheral.changeServices(removing: ["180D"])
        bench.read()
        bench.peripheral.settle()
        #expect(bench.peripheral.calls.first == "discoverServices 180D")
        #expect(bench.journal.lines == ["read: "])
    }
}

extension Bluejay {
    /// Bluejay's protocol under a name that cannot be confused with the standard library's.
    typealias Value = Sendable
}
