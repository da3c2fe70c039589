import Bluejay
import BluetoothLab
import Foundation
import Testing

extension InTheLab {
    /// What Bluejay promises about background tasks when there is a failure.
    @Suite struct TaskPromises {
        private func withFaulty(_ body: (Sensor, Central) async throws -> Void) async throws {
            try await withProfile("faulty", advertising: Faulty.service.uuid.uuidString, body: body)
        }

        @Test func `everybody hears of a lost link even if the task does not mind`() async throws {
            let service = Faulty.service.uuid.uuidString
            try await withFound("faulty", advertising: service) { _, central, found in
                try await central.connect(found)
                _ = try await central.read(Faulty.optional, as: String.self)
                let (handler, outcomes) = (Handler { .change(shouldAutoReconnect: false) }, Collector<String>())
                let bluejay = central.bluejay
                try await onMain { [observer = central.observer] in
                    bluejay.registerDisconnectHandler(handler: handler)
                    bluejay.run(
                        backgroundTask: { peripheral in
                            try? peripheral.listen(to: Faulty.leavingOnNotify) { (_: Data) in .keepListening }
                            return "fine"
                        },
                        completionOnMainThread: { result in
                            outcomes.add("\(result.outcome), \(observer.disconnections.values.count)")
                            // New work at once.
                            bluejay.scan(
                                serviceIdentifiers: [Faulty.service], discovery: { _, _ in .stop },
                                stopped: { all, error in
                                    outcomes.add("\(error?.short ?? "\(all.count)"), \(handler.calls.values)")
                                })
                        })
                }
                #expect(try await outcomes.values(2) == ["fine, 0", "1, [true]"])
                #expect(central.observer.disconnections.values.count == 1)
                let isAtRest = try await onMain { !bluejay.isConnecting && !bluejay.shouldAutoReconnect }
                #expect(isAtRest)
            }
        }

        @Test func `an existing listen refuses a blocking one and goes on until a task ends it`() async throws {
            try await withFaulty { sensor, central in
                let existing = Collector<String>()
                let ends = Collector<String>()
                var position = sensor.position
                try await onMain { [bluejay = central.bluejay] in
                    bluejay.listen(to: Faulty.lossy, multipleListenOption: .trap) { (result: ReadResult<UInt8>) in
                        existing.add(result.outcome)
                    }
                }
                try await sensor.event(.subscribed, from: position)
                position = sensor.position
                for call in ["listen", "flush", "write"] {
                    let failure = await failure {
                        try await central.run { peripheral in
                            switch call {
                            case "listen": try peripheral.listen(to: Faulty.lossy) { (_: Data) in .done }
                            case "flush": try peripheral.flushListen(to: Faulty.lossy) {}
                            default:
                                try peripheral.writeAndListen(
                                    writeTo: Faulty.stale, value: UInt8(1), listenTo: Faulty.lossy
                                ) { (_: Data) in .done }
                            }
                        }
                    }
                    #expect(failure == "multipleListenTrapped", "\(call)")
                }
                _ = try await existing.values(existing.values.count + 3)
                #expect(!sensor.events.dropFirst(position).contains { $0.kind == .unsubscribed })
                try await central.run { peripheral in
                    try peripheral.endListen(to: Faulty.lossy) { ends.add($0.outcome) }
                    // There is nothing any longer.
                    try peripheral.endListen(to: Faulty.lossy) { ends.add($0.outcome) }
                }
                #expect(ends.values == ["success", "success"])
                try await sensor.event(.unsubscribed, from: position)
                let numbers = existing.values.compactMap(UInt8.init)
                #expect(numbers.count == existing.values.count, "\(existing.values)")
                // It counts to 255 and begins again.
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { (1..<10).contains($1 &- $0) }, "\(numbers)")
            }
        }

        @Test func `a write that fails ends the listen of the answer`() async throws {
            try await withFaulty { sensor, central in
                for assembles in [false, true] {
                    let position = sensor.position
                    let failure = await failure {
                        try await central.run { peripheral in
                            if assembles {
                                try peripheral.writeAndAssemble(
                                    writeTo: Faulty.refusing, value: UInt8(1), listenTo: Faulty.lossy,
                                    expectedLength: 100
                                ) { (_: Data) in .done }
                            } else {
                                try peripheral.writeAndListen(
                                    writeTo: Faulty.refusing, value: UInt8(1), listenTo: Faulty.lossy
                                ) { (_: Data) in .keepListening }
                            }
                        }
                    }
                    #expect(failure == "CBATTError 8")
                    try await sensor.event(.unsubscribed, from: position)
                    let isListening = try await onMain { [bluejay = central.bluejay] in
                        try bluejay.isListening(to: Faulty.lossy)
                    }
                    #expect(!isListening)
                }
                let values = try await central.listen(to: Faulty.lossy, on: sensor)
                _ = try await values.values(1).map { try $0.get() }
            }
        }

        @Test func `during a task all else is refused on whichever thread`() async throws {
            try await withFaulty { _, central in
                let (bluejay, outcomes) = (central.bluejay, Collector<String>())
                let began = Promise<Bool>("the task")
                let gate = DispatchSemaphore(value: 0)
                let task = Task {
                    try await central.run { peripheral -> String in
                        began.fulfil(true)
                        gate.wait()
                        return try peripheral.read(from: Faulty.optional)
                    }
                }
                _ = try await began.value()
                try await onMain {
                    bluejay.read(from: Faulty.optional) { (result: ReadResult<String>) in outcomes.add(result.outcome) }
                    bluejay.write(to: Faulty.slow, value: UInt8(1)) { outcomes.add($0.outcome) }
                    bluejay.disconnect { outcomes.add($0.outcome) }
                    bluejay.scan(
                        serviceIdentifiers: [Faulty.service], discovery: { _, _ in .stop },
                        stopped: { _, error in outcomes.add(error?.short ?? "intended") })
                }
                let elsewhere: String = try await answer("the refusal") { done in
                    DispatchQueue.global().async {
                        if !bluejay.isConnected || bluejay.isConnecting { outcomes.add("not connected") }
                        bluejay.run(backgroundTask: { _ in }, completionOnMainThread: { done($0.outcome) })
                    }
                }
                gate.signal()
                #expect(outcomes.values == Array(repeating: "backgroundTaskRunning", count: 4))
                #expect(elsewhere == "multipleBackgroundTaskNotSupported")
                #expect(try await task.value == "here")
                #expect(try await central.read(Faulty.optional, as: String.self) == "here")
            }
        }
    }
}
