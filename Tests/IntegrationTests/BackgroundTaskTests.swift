import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import Testing

extension InTheLab {
    /// Background tasks with peripherals that behave, and with some that do not.
    @Suite struct BackgroundTasks {
        private func withUart(_ body: (Sensor, Central) async throws -> Void) async throws {
            try await withProfile("uart", advertising: Uart.service.uuid.uuidString, body: body)
        }

        private func withFaulty(_ body: (Sensor, Central) async throws -> Void) async throws {
            try await withProfile("faulty", advertising: Faulty.service.uuid.uuidString, body: body)
        }

        @Test func `requests are answered inside a task`() async throws {
            try await withUart { _, central in
                let result = try await central.run { peripheral in
                    var texts: [String] = []
                    try peripheral.writeAndListen(
                        writeTo: Uart.rx, value: "PING", listenTo: Uart.tx, timeoutInSeconds: 20
                    ) { (answer: String) in
                        texts.append(answer)
                        return .done
                    }
                    try peripheral.writeAndAssemble(
                        writeTo: Uart.rx, value: "LIST", listenTo: Uart.tx, expectedLength: 12, timeoutInSeconds: 20
                    ) { (list: String) in
                        texts.append(list)
                        return .done
                    }
                    // Listening on, the next answer is put together.
                    try peripheral.writeAndAssemble(
                        writeTo: Uart.rx, value: "LIST", listenTo: Uart.tx, expectedLength: 3, timeoutInSeconds: 20
                    ) { (list: String) in
                        texts.append(list)
                        return list == "two" ? .done : .keepListening
                    }
                    return texts
                }
                #expect(result == ["PONG", "onetwothree\u{4}", "one", "two"])
                // Nothing is left behind: the ordinary calls work, also on the same characteristics.
                let isListening = try await onMain { [bluejay = central.bluejay] in
                    try bluejay.isListening(to: Uart.tx)
                }
                #expect(!isListening)
                try await central.write(Data("PING".utf8), to: Uart.rx)
            }
        }

        @Test func `a message in unknown pieces is assembled and too much of it is an error`() async throws {
            let message = Data([2]) + Data(#"{"status":"ready","temperature":21.5}"#.utf8) + Data([3])
            try await withUart { _, central in
                let whole = try await central.run { peripheral in
                    var received = Data()
                    try peripheral.writeAndAssemble(
                        writeTo: Uart.rx, value: "JSON", listenTo: Uart.messages, expectedLength: message.count,
                        timeoutInSeconds: 20
                    ) { (data: Data) in
                        received = data
                        return .done
                    }
                    return received
                }
                #expect(whole == message)
                do {
                    try await central.run { peripheral in
                        try peripheral.writeAndAssemble(
                            writeTo: Uart.rx, value: "JSON", listenTo: Uart.messages, expectedLength: 0,
                            timeoutInSeconds: 20
                        ) { (_: Data) in .done }
                    }
                    Issue.record("nothing thrown")
                } catch BluejayError.tooMuchData(let expected, let received) {
                    #expect(expected == 0)
                    #expect(message.starts(with: received) && !received.isEmpty)
                }
                let late = await failure {
                    try await central.run { peripheral in
                        try peripheral.writeAndAssemble(
                            writeTo: Uart.rx, value: "PING", listenTo: Uart.tx, expectedLength: 5,
                            timeoutInSeconds: .seconds(1.5)
                        ) { (_: Data) in .done }
                    }
                }
                #expect(late == "listenTimedOut")
            }
        }

        @Test func `reads, writes, listens and their ends block`() async throws {
            try await withUart { _, central in
                let result = try await central.run { peripheral -> [String] in
                    var texts: [String] = []
                    try peripheral.write(to: Uart.rx, value: "SET")
                    try peripheral.listen(to: Uart.tx, timeout: .seconds(20)) { (answer: String) in
                        texts.append(answer)
                        return .done
                    }
                    try peripheral.endListen(to: Uart.tx) { result in
                        if case .success = result { texts.append("ended") }
                    }
                    texts.append("\(peripheral.maximumWriteValueLength(for: .withResponse))")
                    return texts
                }
                // SET is answered a second later, which is enough to subscribe. A write may have 512 bytes.
                #expect(result == ["OK", "ended", "512"])
            }
        }

        @Test func `what is stale is flushed`() async throws {
            try await withFaulty { sensor, central in
                let position = sensor.position
                let isFlushed = try await central.run { peripheral in
                    var isFlushed = false
                    try peripheral.flushListen(to: Faulty.stale, nonZeroTimeout: .seconds(1)) { isFlushed = true }
                    return isFlushed
                }
                #expect(isFlushed)
                try await sensor.event(.fault, from: position) { $0.characteristic == "stale" }
                try await sensor.event(.unsubscribed, from: position)
            }
        }

        @Test func `errors of the peripheral are thrown`() async throws {
            try await withFaulty { _, central in
                let read = await #expect(throws: CBATTError.self) {
                    try await central.run { try $0.read(from: Faulty.refusing) as String }
                }
                #expect(read?.code.rawValue == 0x85)
                let write = await #expect(throws: CBATTError.self) {
                    try await central.run { try $0.write(to: Faulty.refusing, value: UInt8(1)) }
                }
                #expect(write?.code == .insufficientAuthorization)
                let missing = await failure {
                    _ = try await central.run { try $0.read(from: Faulty.missing) as String }
                }
                #expect(missing == "missingCharacteristic")
                let value = try await central.run {
                    try $0.writeAndRead(writeTo: Faulty.slow, value: UInt8(1), readFrom: Faulty.slow) as String
                }
                #expect(value == "\u{1}")
            }
        }

        @Test func `a peripheral that does not answer holds a task only for its timeout`() async throws {
            try await withFound("faulty", advertising: Faulty.service.uuid.uuidString) { sensor, central, found in
                try await central.connect(found)
                // Services are known then, so that the timeout is the request's alone.
                _ = try await central.read(Faulty.optional, as: String.self)
                let start = ContinuousClock.now
                let position = sensor.position
                let failure = await failure {
                    try await central.run { peripheral in
                        try peripheral.writeAndListen(
                            writeTo: Faulty.silent, value: UInt8(1), listenTo: Faulty.leavingOnNotify,
                            timeoutInSeconds: .seconds(1.2)
                        ) { (_: Data) in .keepListening }
                    }
                }
                #expect(failure == "listenTimedOut")
                let time = ContinuousClock.now - start
                #expect(time >= .seconds(1.2) && time < .seconds(4.5), "\(time)")
                try await sensor.event(.fault, from: position) { $0.message?.contains("no answer") == true }
                // The device ends the link at its fifth value, and the request that is open goes with it. The next one
                // is answered.
                try await central.observer.reconnection(after: 0)
                #expect(try await central.readOverSomeLink(Faulty.optional, as: String.self) == "here")
            }
        }

        @Test func `a link that drops in the middle ends the task, then everybody hears`() async throws {
            try await withFaulty { _, central in
                _ = try await central.read(Faulty.optional, as: String.self)
                for kind in ["read", "write", "listen"] {
                    let (links, losses) = (
                        central.observer.connections.values.count, central.observer.disconnections.values.count
                    )
                    let failure = await failure {
                        try await central.run { [observer = central.observer] peripheral in
                            do {
                                switch kind {
                                case "read": _ = try? peripheral.read(from: Faulty.leavingOnRead) as Data
                                case "write": try? peripheral.write(to: Faulty.leavingOnWrite, value: UInt8(1))
                                default:
                                    try peripheral.listen(to: Faulty.leavingOnNotify) { (_: Data) in .keepListening }
                                }
                                // bluetoothd needs some time to end the link. (It may die of a link that ends during a
                                // read, hence a listen.)
                                try peripheral.listen(to: Faulty.lossy) { (_: Data) in .keepListening }
                            } catch {
                                // The others hear of it only after the task.
                                if observer.disconnections.values.count != losses { Issue.record("\(kind): too early") }
                                throw error
                            }
                        }
                    }
                    #expect(failure == "notConnected", "\(kind)")
                    try await central.observer.disconnections.first(after: losses)
                    try await central.observer.connections.first(after: links)
                    #expect(try await central.readOverSomeLink(Faulty.optional, as: String.self) == "here")
                }
            }
        }
    }
}
