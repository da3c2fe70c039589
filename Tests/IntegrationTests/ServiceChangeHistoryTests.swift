import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// Changes in number, of services of the same kind, and while nobody is connected; and what Bluejay makes of changes.
extension InTheLab.ServiceChange {
    // MARK: Many

    @Test func `each of many changes is reported once`() async throws {
        try await withChanging { sensor, central in
            let anchor = try await central.service(Changing.anchor)
            try await central.setNotify(true, anchor.found(Changing.beat))
            var expected: [String] = []
            let count = rounds(20, thoroughly: 100)
            for number in 1...count {
                try sensor.type(number.isMultiple(of: 2) ? "+ guest" : "- guest")
                expected.append(number.isMultiple(of: 2) ? "" : "100")
                _ = try await central.changes.values(number)
                try await central.settle()
            }
            #expect(central.changeSummary == expected)
            try await central.discoverEverything()
            #expect(try await central.text(central.service(Changing.guest).found(Changing.text)) == "hello")
            try await central.expectUnbroken(Changing.beat)
            #expect(central.changes.values.count == count)
        }
    }

    /// bluetoothd as a central (5.66) can miss that a service goes when changes follow each other faster than it can
    /// look into them. It never misses one that comes.
    @Test(.withoutProxy("it waits for events of the sensor itself"))
    func `changes that are faster than the link leave nothing hanging or hidden`() async throws {
        try await withChanging { sensor, central in
            let anchor = try await central.service(Changing.anchor)
            try await central.setNotify(true, anchor.found(Changing.beat))
            let position = sensor.position
            // Fifty times away and back, each as soon as bluetoothd has carried out the one before.
            try await central.write("flap", to: anchor.found(Changing.trigger))
            try await sensor.event(.serviceAdded, count: 50, from: position, within: .seconds(120))
            var texts: [String] = []
            try await untilItSucceeds {
                try await central.discoverEverything()
                texts = []
                for guest in try await central.services where guest.uuid == Changing.guest {
                    do {
                        texts.append(try await central.text(guest.found(Changing.text)))
                    } catch let error as CBATTError {
                        // One that bluetoothd has missed the end of.
                        #expect(error.code == .invalidHandle)
                    }
                }
                guard !texts.isEmpty else { throw LabError("the service is not there yet") }
            }
            #expect(texts == ["hello"])
            try await untilItSucceeds {
                let guests = try await central.services.count { $0.uuid == Changing.guest }
                guard guests == 1 else { throw LabError("of \(guests) services only one can be there") }
            }
            let gone = central.changes.values.joined()
            #expect(Set(gone.map(ObjectIdentifier.init)).count == gone.count, "each was removed once")
            #expect(gone.allSatisfy { $0.uuid == Changing.guest }, "\(gone.map(\.uuid))")
            try await central.expectUnbroken(Changing.beat)
            #expect(central.disconnections.values.isEmpty)
        }
    }

    // MARK: The same UUID twice

    @Test(arguments: ["a", "b"])
    func `of two services of one kind the right one goes`(name: String) async throws {
        try await withChanging { sensor, central in
            var named: [String: CBService] = [:]
            for service in try await central.services where service.uuid == Changing.twin {
                named[try await central.text(service.found(Changing.name))] = service
            }
            let going = try #require(named[name])
            let other = name == "a" ? "b" : "a"
            let staying = try #require(named[other])
            try await central.setNotify(true, staying.found(Changing.name))
            try await central.setNotify(true, going.found(Changing.name))
            try sensor.type("- twin-\(name)")
            #expect(try await central.changes.values(1)[0] == [going])
            #expect(try await central.service(Changing.twin) === staying)
            #expect(try await central.text(staying.found(Changing.name)) == other)
            let notifying = try [staying, going].map { try $0.found(Changing.name).isNotifying }
            #expect(notifying == [true, false])
            try sensor.type("+ twin-\(name)")
            #expect(try await central.changes.values(2)[1].isEmpty)
            try await central.discoverEverything()
            let twins = try await central.services.filter { $0.uuid == Changing.twin }
            #expect(twins.count == 2 && twins.contains(staying) && !twins.contains(going))
            let back = try #require(twins.first { $0 !== staying })
            #expect(try await central.text(back.found(Changing.name)) == name)
            // By the UUID it is not clear which one is meant.
            try await sensor.command("service", "remove", Changing.twin.uuidString, expecting: 8)
        }
    }

    // MARK: While disconnected

    @Test(.withoutProxy("it knows the services by their names in the profile"), arguments: [false, true])
    func `what has changed meanwhile is found after connecting again`(paired: Bool) async throws {
        try await withChanging { sensor, central in
            let anchor = try await central.service(Changing.anchor)
            if paired { #expect(try await central.text(anchor.found(Changing.secret)) == "between us") }
            let old = try await central.service(Changing.guest)
            let oldText = try old.found(Changing.text)
            try await central.write("stored", to: oldText)
            let rounds: [(commands: [(String, String)], hasGuest: Bool, hasLate: Bool)] = [
                ([("-", "guest"), ("+", "late")], false, true),
                ([("+", "guest"), ("-", "late")], true, false),
                ([("-", "guest"), ("+", "guest"), ("+", "late")], true, true),
            ]
            for round in rounds {
                let position = sensor.position
                try await central.disconnect()
                try await sensor.event(.disconnected, from: position)
                for (command, service) in round.commands {
                    let position = sensor.position
                    try sensor.type("\(command) \(service)")
                    let event: SensorEvent.Kind = command == "+" ? .serviceAdded : .serviceRemoved
                    try await sensor.event(event, from: position) { $0.service == service }
                }
                if paired {
                    try await central.connectToPairedAndDiscover()
                } else {
                    try await central.connect()
                    try await central.discoverEverything()
                }
                let services = try await central.services
                #expect(services.contains { $0.uuid == Changing.guest } == round.hasGuest)
                #expect(services.contains { $0.uuid == Changing.late } == round.hasLate)
                #expect(services.filter { $0.uuid == Changing.twin }.count == 2)
                #expect(!services.contains(old))
                #expect(
                    await failure { _ = try await central.read(oldText) }
                        == "CBError \(CBError.Code.invalidHandle.rawValue)")
                if round.hasGuest {
                    let text = try await central.service(Changing.guest).found(Changing.text)
                    #expect(text.value == nil)
                    #expect(try await central.text(text) == "stored")
                }
                let anchor = try await central.service(Changing.anchor)
                try await central.setNotify(true, anchor.found(Changing.beat))
                _ = try await central.values.values(central.values.values.count + 1)
            }
            // And the next change is reported again.
            let reported = central.changes.values.count
            try sensor.type("- guest")
            #expect(try await central.changes.values(reported + 1)[reported].map(\.uuid) == [Changing.guest])
        }
    }

    // MARK: Bluejay

    @Test func `listens of a service that went end and can begin again`() async throws {
        try await withProfile("changing", advertising: Changing.anchor.uuidString) { sensor, central in
            let beat = Changing.identifier(Changing.beat, of: Changing.anchor)
            let ticker = Changing.identifier(Changing.ticker, of: Changing.guest)
            let watcher = try await watch(central)
            let beats = try await central.listen(to: beat, on: sensor)
            for round in 0..<3 {
                let ticks = try await central.listen(to: ticker, on: sensor)
                _ = try await ticks.values(3)
                try sensor.type("- guest")
                #expect(try await watcher.changes.values(2 * round + 1).last == [ticker.service])
                guard case .failure(BluejayError.missingService(ticker.service)) = ticks.values.last else {
                    Issue.record("\(String(describing: ticks.values.last))")
                    return
                }
                let (count, isListening) = try await onMain { [bluejay = central.bluejay] in
                    (ticks.values.count, try bluejay.isListening(to: ticker))
                }
                #expect(!isListening)
                // What code from iOS does then: there is nothing to end, and an error says so.
                #expect(await failure { try await central.endListen(to: ticker) } == "missingService")
                #expect(await failure { _ = try await central.read(ticker, as: Data.self) } == "missingService")
                try sensor.type("+ guest")
                #expect(try await watcher.changes.values(2 * round + 2).last == [])
                #expect(ticks.values.count == count)
            }
            let ticks = try await central.listen(to: ticker, on: sensor)
            _ = try await ticks.values(3)
            // The other listen has missed nothing.
            let numbers = try await beats.values(beats.values.count + 1).map { try $0.get().first ?? 0 }
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 }, "\(numbers)")
            #expect(central.observer.disconnections.values.isEmpty)
            #expect(watcher.changes.values.count == 6)
        }
    }

    @Test(.withoutProxy("it waits for events of the sensor itself"))
    func `operations in the queue fail one after another`() async throws {
        try await withProfile("changing", advertising: Changing.anchor.uuidString) { sensor, central in
            let slow = Changing.identifier(Changing.slow, of: Changing.guest)
            let text = Changing.identifier(Changing.text, of: Changing.guest)
            let ticker = Changing.identifier(Changing.ticker, of: Changing.guest)
            let outcomes = Collector<String>()
            let position = sensor.position
            try await onMain { [bluejay = central.bluejay] in
                func note<T>(_ name: String) -> (ReadResult<T>) -> Void {
                    { result in
                        switch result {
                        case .success: outcomes.add("\(name) success")
                        case .failure(let error): outcomes.add("\(name) \(error.short)")
                        }
                    }
                }
                func note(_ name: String) -> (WriteResult) -> Void {
                    { result in
                        switch result {
                        case .success: outcomes.add("\(name) success")
                        case .failure(let error): outcomes.add("\(name) \(error.short)")
                        }
                    }
                }
                bluejay.read(from: slow, completion: note("slow") as (ReadResult<Data>) -> Void)
                bluejay.read(from: text, completion: note("text") as (ReadResult<Data>) -> Void)
                bluejay.write(to: text, value: Data([1]), completion: note("write"))
                bluejay.listen(to: ticker, completion: note("ticker") as (ReadResult<Data>) -> Void)
                bluejay.endListen(to: ticker, completion: note("end"))
            }
            try await sensor.event(.fault, from: position) { $0.characteristic == "slow" }
            try sensor.type("- guest")
            let reported = try await outcomes.values(4)
            // endListen has silently taken the listen out of the queue at once.
            #expect(reported.map { String($0.prefix { $0 != " " }) } == ["slow", "text", "write", "end"])
            // bluetoothd takes a service apart piece by piece: that characteristic may still be there, and it sends
            // nothing.
            #expect(reported.prefix(3).allSatisfy { !$0.hasSuffix("success") }, "\(reported)")
            let twin = Changing.identifier(Changing.name, of: Changing.twin)
            #expect(["a", "b"].contains(try await central.read(twin, as: String.self)))
        }
    }

    @Test func `a characteristic of a service that comes is found beside one of its kind`() async throws {
        try await withProfile("changing", advertising: Changing.anchor.uuidString) { sensor, central in
            let twin = Changing.identifier(Changing.name, of: Changing.twin)
            // What bluetoothd asks for by itself after connecting comes before this: see ``PlainCentral/settle()``.
            #expect(["a", "b"].contains(try await central.read(twin, as: String.self)))
            let watcher = try await watch(central)
            try sensor.type("- twin-a")
            _ = try await watcher.changes.values(1)
            #expect(try await eventually { try await central.read(twin, as: String.self) } == "b")
            let values = try await central.listen(to: twin, on: sensor)
            try sensor.type("+ twin-a")
            _ = try await watcher.changes.values(2)
            try await central.write(Data(), to: Changing.identifier(Changing.text, of: Changing.guest))
            try sensor.type("- twin-b")
            // The listen belonged to the service that was removed.
            guard case .failure(BluejayError.missingService(twin.service)) = try await values.values(1).last else {
                Issue.record("\(String(describing: values.values.last))")
                return
            }
            #expect(try await eventually { try await central.read(twin, as: String.self) } == "a")
        }
    }

    @Test func `the listen of a program ends and its monitor goes on`() async throws {
        try await Lab.here.forgetEachOther()
        let sensor = try await Sensor()
        let monitor = try ChildProcess("bluejay", ["monitor", "--json", "--adapter", Lab.centralAdapter])
        try await monitor.line(containing: "\"heart-rate\"", within: .seconds(60))
        try await sensor.command("service", "remove", "heart-rate")
        try await monitor.line(containing: "\"services-changed\"")
        try await monitor.line(containing: "\"no-heart-rate\"")
        let position = monitor.lines.count
        try await sensor.command("service", "add", "heart-rate")
        try await monitor.line(containing: "\"heart-rate\"", from: position)
        #expect(monitor.lines.count { $0.contains("\"no-heart-rate\"") } == 1)
        #expect(try await monitor.interrupt() == 0)

        let listen = try ChildProcess(
            "bluejay", ["listen", "Dittojay", "2A37", "--adapter", Lab.centralAdapter])
        try await listen.line(containing: "heart-rate-measurement", within: .seconds(60))
        try await sensor.command("service", "remove", "heart-rate")
        #expect(try await listen.exitStatus() == 7)
        #expect(listen.transcript.contains("stopped after"), "\(listen.transcript)")
        try await sensor.stop()
    }

    private final class Watcher: ServiceObserver, Swift.Sendable {
        let changes = Collector<[ServiceIdentifier]>()

        func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier]) {
            changes.add(invalidatedServices)
        }
    }

    private func watch(_ central: Central) async throws -> Watcher {
        try await onMain { [bluejay = central.bluejay] in
            let watcher = Watcher()
            bluejay.register(serviceObserver: watcher)
            return watcher
        }
    }

    private func eventually<T>(_ body: () async throws -> T) async throws -> T {
        var value: T?
        try await untilItSucceeds { value = try await body() }
        return try #require(value)
    }
}
