import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    /// Peripherals from the example files, as a central sees them.
    @Suite struct Profiles {
        // MARK: What a profile offers

        @Test func `any peripheral is served from a file`() async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor("--profile", Lab.profile("thermometer"))
            let scan = try await bluejay("scan", "--json", "--service", "181A", "--count", "1", "--timeout", "30")
            let line = try #require(scan.lines.first { $0.contains(Lab.sensorAddress) })
            let found = try object(line)
            #expect(found["name"] as? String == "Room 12")
            #expect(found["manufacturerData"] as? String == "ffff524d0c")
            #expect(found["services"] as? [String] == ["181A"])
            #expect((found["manufacturer"] as? [String: String])?["company"] == "FFFF")

            let info = try await bluejay("info", Lab.sensorAddress, "--json")
            let whole = try #require(info.lines.first { $0.contains("\"services\"") })
            let table = try object(whole)
            let services = try #require(table["services"] as? [[String: Any]])
            func characteristic(_ uuid: String) throws -> [String: Any] {
                let all = services.flatMap { $0["characteristics"] as? [[String: Any]] ?? [] }
                return try #require(all.first { $0["uuid"] as? String == uuid }, "\(uuid) in \(info.transcript)")
            }
            let descriptors = try characteristic("2A6E")["descriptors"] as? [[String: Any]] ?? []
            #expect(Set(descriptors.compactMap { $0["uuid"] as? String }).isSuperset(of: ["2901", "2904"]))
            #expect(try characteristic("2A6F")["properties"] as? [String] == ["read", "notify"])

            // bluetoothd subscribes to it by itself at each connection, so it may have counted down already.
            let level = try await bluejay("read", "Room 12", "battery-level", "--format", "u8").lines
            #expect((90...100).contains(Int(level.joined()) ?? 0), "\(level)")
            let listen = try await bluejay(
                "listen", "Room 12", "environmental-sensing/temperature", "--count", "4", "--format", "i16", "--raw",
                "--timeout", "60")
            let bytes = try listen.lines.map { try ValueText.parseHex($0) }
            let numbers = bytes.map { Int(Int16(bitPattern: UInt16($0[0]) | UInt16($0[1]) << 8)) }
            #expect(numbers.count == 4)
            #expect(numbers.allSatisfy { (1800...2600).contains($0) }, "\(numbers)")
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { abs($0 - $1) <= 15 }, "\(numbers)")
            try await sensor.stop()
        }

        @Test(.withoutProxy("pairing, which is the proxy's with the sensor"))
        func `an encrypted characteristic of a file is read after pairing`() async throws {
            // One that notifies nothing by itself meanwhile: docs/bluez-limits.md.
            try await withProfile("changing", advertising: Changing.anchor.uuidString) { _, central in
                let service = ServiceIdentifier(uuid: Changing.anchor.uuidString)
                let secret = CharacteristicIdentifier(uuid: Changing.secret.uuidString, service: service)
                #expect(try await central.read(secret, as: String.self) == "between us")
                try await Lab.here.waitUntilPaired(Lab.sensorAddress, on: Lab.centralAdapter)
            }
            try await Lab.here.forgetEachOther()
        }

        @Test func `requests of a protocol get their responses`() async throws {
            try await withProfile("uart", advertising: Uart.service.uuid.uuidString) { sensor, central in
                let answers = try await central.listen(to: Uart.tx, on: sensor)
                for request in ["PING", "LIST", "SET x=1"] {
                    try await central.write(Data(request.utf8), to: Uart.rx)
                }
                let received = try await answers.values(6).map { try $0.get() }
                // SET is answered a moment later, and so is the rest of the list.
                #expect(received.first == Data("PONG".utf8))
                let list = received.filter { $0 != Data("OK".utf8) }.dropFirst()
                #expect(list.map { $0 } == [Data("one".utf8), Data("two".utf8), Data("three".utf8), Data([4])])
                #expect(received.contains(Data("OK".utf8)))
                let error = await #expect(throws: CBATTError.self) {
                    try await central.write(Data("NONSENSE".utf8), to: Uart.rx)
                }
                #expect(error?.code.rawValue == 0x81)

                let echoes = try await central.listen(to: Uart.loop, on: sensor)
                try await central.write(Data([1, 2, 3]), to: Uart.loop)
                #expect(try await echoes.values(1).map { try $0.get() } == [Data([1, 2, 3])])
            }
        }

        @Test func `a message in unknown pieces is put together`() async throws {
            try await withProfile("uart", advertising: Uart.service.uuid.uuidString) { sensor, central in
                let pieces = try await central.listen(to: Uart.messages, on: sensor)
                try await central.write(Data("JSON".utf8), to: Uart.rx)
                var message = Data()
                var sizes: [Int] = []
                while message.last != 0x03 {
                    let piece = try await pieces.values(sizes.count + 1)[sizes.count].get()
                    sizes.append(piece.count)
                    message += piece
                }
                #expect(message == Data([2]) + Data(#"{"status":"ready","temperature":21.5}"#.utf8) + Data([3]))
                #expect(sizes.allSatisfy { (1...7).contains($0) } && sizes.count > 5, "\(sizes)")
            }
        }

        // MARK: Faults

        @Test(.withoutProxy("it waits for events of the sensor itself"))
        func `a read and a write that get no answer fail when the link ends`() async throws {
            try await withProfile("faulty", advertising: Faulty.service.uuid.uuidString) { sensor, central in
                for isWrite in [false, true] {
                    // The whole table is known from here on.
                    _ = try await central.read(Faulty.optional, as: String.self)
                    let (position, links) = (sensor.position, central.observer.connections.values.count)
                    let answer = Task {
                        if isWrite {
                            try await central.write(Data([1]), to: Faulty.silent)
                        } else {
                            _ = try await central.read(Faulty.silent, as: Data.self)
                        }
                    }
                    try await sensor.event(.fault, from: position) {
                        $0.message?.contains("no answer to a \(isWrite ? "write" : "read")") == true
                    }
                    try await sensor.command("disconnect")
                    await #expect(throws: (any Error).self) { try await answer.value }
                    try await central.observer.connections.first(after: links)
                }
            }
        }

        @Test func `an ATT error comes the first times or always`() async throws {
            try await withProfile("faulty", advertising: Faulty.service.uuid.uuidString) { _, central in
                for _ in 0..<2 {
                    let error = await #expect(throws: CBATTError.self) {
                        try await central.read(Faulty.refusing, as: String.self)
                    }
                    #expect(error?.code.rawValue == 0x85)
                }
                let value = try await central.read(Faulty.refusing, as: String.self)
                #expect(value == "finally")
                for _ in 0..<3 {
                    let error = await #expect(throws: CBATTError.self) {
                        try await central.write(Data([1]), to: Faulty.refusing)
                    }
                    #expect(error?.code == .insufficientAuthorization)
                }
            }
        }

        @Test func `the link ends in the middle of a read a write and notifications`() async throws {
            try await withProfile("faulty", advertising: Faulty.service.uuid.uuidString) { sensor, central in
                _ = try await central.read(Faulty.optional, as: String.self)
                var links = central.observer.connections.values.count
                await #expect(throws: (any Error).self) {
                    _ = try await central.read(Faulty.leavingOnRead, as: String.self)
                }
                try await central.observer.connections.first(after: links)
                #expect(try await central.read(Faulty.leavingOnRead, as: String.self) == "back")

                links = central.observer.connections.values.count
                await #expect(throws: (any Error).self) {
                    try await central.write(Data([1]), to: Faulty.leavingOnWrite)
                }
                try await central.observer.connections.first(after: links)
                try await central.write(Data([1]), to: Faulty.leavingOnWrite)

                try await onMain { [bluejay = central.bluejay] in bluejay.broadcastErrorsToListeners = true }
                links = central.observer.connections.values.count
                let values = try await central.listen(to: Faulty.leavingOnNotify, on: sensor)
                try await central.observer.connections.first(after: links)
                // Then the listen ends with an error.
                let received = try await values.values(5)
                #expect(received.prefix(4).map { try? $0.get() } == (0..<4).map { Data([UInt8($0)]) })
                if case .success(let value) = received[4] { Issue.record("a fifth value: \(Array(value))") }
            }
        }

        @Test func `an answer can take its time`() async throws {
            try await withProfile("faulty", advertising: Faulty.service.uuid.uuidString) { _, central in
                let start = ContinuousClock.now
                #expect(try await central.read(Faulty.slow, as: String.self) == "at last")
                #expect(ContinuousClock.now - start >= .milliseconds(1500))
                let middle = ContinuousClock.now
                try await central.write(Data([1]), to: Faulty.slow)
                #expect(ContinuousClock.now - middle >= .milliseconds(1500))
            }
        }

        @Test func `stale notifications come before the ones that are wanted`() async throws {
            try await withProfile("faulty", advertising: Faulty.service.uuid.uuidString) { sensor, central in
                let values = try await central.listen(to: Faulty.stale, on: sensor)
                try await central.write(Data([1]), to: Faulty.stale)
                var received: [Data] = []
                while received.last != Data("fresh".utf8) {
                    received = try await values.values(received.count + 1).map { try $0.get() }
                    received = Array(
                        received.prefix(through: received.firstIndex(of: Data("fresh".utf8)) ?? received.count - 1))
                }
                #expect(received.dropLast().allSatisfy { $0 == Data("stale".utf8) })
                #expect(received.count > 50, "\(received.count)")
            }
        }

        @Test(.withoutProxy("it knows the service by its name in the profile"))
        func `a service goes and comes on a write and one has no characteristic`() async throws {
            try await withProfile("faulty", advertising: Faulty.service.uuid.uuidString) { sensor, central in
                #expect(try await central.read(Faulty.optional, as: String.self) == "here")
                var position = sensor.position
                try await central.write(Data("away".utf8), to: Faulty.trigger)
                try await sensor.event(.serviceRemoved, from: position) { $0.service == "optional" }
                await #expect(throws: (any Error).self) {
                    // The news of it may still be on its way to the central.
                    for _ in 0..<100 { _ = try await central.read(Faulty.optional, as: String.self) }
                }
                position = sensor.position
                try await central.write(Data("back".utf8), to: Faulty.trigger)
                try await sensor.event(.serviceAdded, from: position) { $0.service == "optional" }
                try await untilItSucceeds { _ = try await central.read(Faulty.optional, as: String.self) }
                await #expect(throws: BluejayError.self) { _ = try await central.read(Faulty.missing, as: Data.self) }
            }
        }

        @Test func `faults come and go by command`() async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor("--profile", "lab")
            let central = try await Central()
            try await central.connectToSensor()
            try await sensor.command("fault", "add", "store", "read", "--error", "0x80", "--times", "1")
            let status = try await sensor.command("status", "--json")
            #expect(status.transcript.contains("ATT error 0x80, 1 time"), "\(status.transcript)")
            let error = await #expect(throws: CBATTError.self) { try await central.read(.store, as: Data.self) }
            #expect(error?.code.rawValue == 0x80)
            _ = try await central.read(.store, as: Data.self)
            try await sensor.command("fault", "add", "lab/store", "write", "--error", "procedure-already-in-progress")
            let busy = await #expect(throws: CBATTError.self) { try await central.write(Data(), to: .store) }
            #expect(busy?.code == .procedureAlreadyInProgress)
            try await sensor.command("fault", "clear")
            try await central.write(Data([7]), to: .store)
            try await sensor.command("fault", "add", "nothing", "read", "--no-answer", expecting: 8)
            try await sensor.command("fault", "add", "store", "read", "--drop", expecting: 64)
            try await central.disconnect()
            try await sensor.stop()
        }

        // MARK: Scenarios

        @Test(.withoutProxy("the scenario is the sensor's"))
        func `a scenario is played to its end`() async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor("--scenario", Lab.profile("service-change"))
            let central = try await Central()
            try await central.stayAway()
            try await central.connectToSensor()
            let before = try await central.listen(to: .chirp, on: sensor)
            #expect(try await before.values(1).first?.get() == Data("before".utf8))
            // The service goes: the listen ends. It comes back twice.
            try await sensor.event(.serviceRemoved)
            try await sensor.event(.serviceAdded, count: 2, within: .seconds(40))
            let after = Collector<Data>()
            try await untilItSucceeds {
                let seen = sensor.position
                try await onMain { [bluejay = central.bluejay] in
                    bluejay.listen(to: .chirp, multipleListenOption: .replaceable) { (result: ReadResult<Data>) in
                        if case .success(let value) = result { after.add(value) }
                    }
                }
                try await sensor.event(.subscribed, from: seen, within: .seconds(5))
            }
            #expect(try await after.values(1).first == Data("after".utf8))
            try await central.observer.disconnections.first()
            #expect(try await sensor.process.exitStatus(within: .seconds(30)) == 0)
        }

        // MARK: Support

        private func bluejay(_ arguments: String...) async throws -> ChildProcess {
            let process = try ChildProcess("bluejay", arguments + ["--adapter", Lab.centralAdapter])
            let status = try await process.exitStatus(within: .seconds(90))
            guard status == 0 else { throw LabError("exit status \(status): \(process.transcript)") }
            return process
        }
    }
}
