import Bluejay
import BluetoothLab
import Foundation
import Testing

extension InTheLab {
    /// What Bluejay promises about reads, listens and signal strengths.
    @Suite struct CharacteristicPromises {
        private func withTwins(_ body: (Sensor, Central) async throws -> Void) async throws {
            try await withProfile("twins", advertising: Twins.left.uuid.uuidString, body: body)
        }

        @Test func `an answer is the one of its service's characteristic`() async throws {
            try await withTwins { sensor, central in
                let values = try await central.listen(to: Twins.rightValue, on: sensor)
                let count = try await values.values(1).count
                // This takes its time, and meanwhile the other one, whose UUID is the same, sends its values.
                #expect(try await central.read(Twins.leftValue, as: String.self) == "left")
                let numbers = try values.values.map { try $0.get().extract(start: 0, length: 4) as UInt32 }
                #expect(numbers.count > count)
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 }, "\(numbers)")

                try await central.endListen(to: Twins.rightValue)
                try await central.write(Data("L".utf8), to: Twins.leftValue)
                try await central.write(Data("R".utf8), to: Twins.rightValue)
                let outcomes = Collector<String>()
                try await onMain { [bluejay = central.bluejay] in
                    for characteristic in [Twins.leftValue, Twins.rightValue] {
                        bluejay.read(from: characteristic) { (result: ReadResult<String>) in
                            outcomes.add(result.outcome)
                        }
                    }
                }
                #expect(try await outcomes.values(2) == ["L", "R"])
            }
        }

        @Test func `a replacement that fails leaves the listen`() async throws {
            try await withTwins { sensor, central in
                let values = try await central.listen(to: Twins.rightValue, on: sensor)
                _ = try await values.values(1)
                let replacement = Collector<String>()
                try await onMain { [bluejay = central.bluejay] in
                    bluejay.listen(to: Twins.rightValue) { (result: ReadResult<Data>) in
                        replacement.add(result.outcome)
                    }
                    bluejay.cancelEverything(shouldDisconnect: false)
                }
                #expect(try await replacement.values(1) == ["cancelled"])
                let count = values.values.count
                _ = try await values.values(count + 5).map { try $0.get() }
                #expect(replacement.values.count == 1)
                let isListening = try await onMain { [bluejay = central.bluejay] in
                    try bluejay.isListening(to: Twins.rightValue)
                }
                #expect(isListening)
            }
        }

        @Test func `a listen that is ended at once stays ended`() async throws {
            try await withTwins { _, central in
                // First with everything still to be discovered, then with the listen under way.
                for _ in 0..<2 {
                    let outcomes = Collector<String>()
                    try await onMain { [bluejay = central.bluejay] in
                        bluejay.listen(to: Twins.rightValue) { (result: ReadResult<Data>) in
                            outcomes.add("value \(result.outcome)")
                        }
                        bluejay.endListen(to: Twins.rightValue) { outcomes.add("end \($0.outcome)") }
                    }
                    #expect(try await outcomes.values(1) == ["end success"])
                    let isListening = try await onMain { [bluejay = central.bluejay] in
                        try bluejay.isListening(to: Twins.rightValue)
                    }
                    #expect(!isListening)
                    #expect(try await central.read(Twins.rightValue, as: String.self).isEmpty == false)
                    #expect(outcomes.values == ["end success"])
                }
                // Not by the sensor's events: bluetoothd 5.66 overlooks a peripheral's central that unsubscribes while
                // the peripheral's program is still getting the report of the subscription.
                let values = Collector<Data>()
                try await onMain { [bluejay = central.bluejay] in
                    bluejay.listen(to: Twins.rightValue) { (result: ReadResult<Data>) in
                        if case .success(let value) = result { values.add(value) }
                    }
                }
                _ = try await values.values(3)
            }
        }

        @Test(.withoutProxy("the strength of the link to the first controller"))
        func `a signal strength is reported once and outside of the queue`() async throws {
            final class Meter: RSSIObserver, Swift.Sendable {
                let readings: Collector<String>
                init(_ readings: Collector<String>) { self.readings = readings }
                func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: (any Error)?) {
                    readings.add("\(RSSI) \(error?.short ?? "dBm")")
                }
            }
            let strength = "\(try await Lab.here.linkStrength()) dBm"
            try await withTwins { _, central in
                let outcomes = Collector<String>()
                let meter = Meter(outcomes)
                try await onMain { [bluejay = central.bluejay] in
                    bluejay.register(rssiObserver: meter)
                    // The read waits behind the scan.
                    bluejay.scan(
                        serviceIdentifiers: [Twins.right], discovery: { _, _ in .continue }, stopped: { _, _ in })
                    bluejay.read(from: Twins.leftValue) { (result: ReadResult<String>) in
                        outcomes.add(result.outcome)
                    }
                    try bluejay.readRSSI()
                }
                #expect(try await outcomes.values(1) == [strength])
                try await onMain { [bluejay = central.bluejay] in bluejay.stopScanning() }
                #expect(try await outcomes.values(2).last == "left")
                try await onMain { [bluejay = central.bluejay] in for _ in 0..<2 { try bluejay.readRSSI() } }
                _ = try await outcomes.values(4)
                try await onMain { [bluejay = central.bluejay] in
                    bluejay.unregister(rssiObserver: meter)
                    try bluejay.readRSSI()
                }
                // By the answer to this, the strength has been reported to everybody that asked for it.
                _ = try await central.read(Twins.leftValue, as: String.self)
                #expect(outcomes.values == [strength, "left", strength, strength])
            }
        }
    }
}
