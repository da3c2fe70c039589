import BluetoothLab
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension InTheLab {
    /// A peripheral that is killed and comes back with its services, subscribers and requests.
    @Suite struct PeripheralRestoration {
        private typealias Counter = RestoredPeripheral

        @Test func `a peripheral that is killed with a write pending answers it within a second`() async throws {
            try await withRestoredPeripheral { peripheral, central, service in
                let control = try service.found(Counter.control)
                var delays: [TimeInterval] = []
                let count = 10
                for round in 0..<count {
                    let position = peripheral.lines.count
                    async let written: Void = central.write("hold \(round)", to: control)
                    try await peripheral.line("held hold \(round)", from: position)
                    let death = Date()
                    try peripheral.kill()
                    try await written
                    delays.append(Date().timeIntervalSince(death))
                    let lines = peripheral.lines.dropFirst(position).filter { !$0.hasPrefix("held") }
                    #expect(
                        lines.dropFirst() == [
                            "restored 1 services, 1 subscribed, advertising Counter", "state 5",
                            "answered hold \(round)",
                        ])
                    // The subscription is alive.
                    let heard = central.values.values.count
                    try await central.write("count", to: control)
                    let values = try await central.values.values(heard + 1)
                    #expect(values.last?.value == Data("\(round + 1)".utf8))
                }
                print("from the death to the answer: \(delays), median \(delays.sorted()[count / 2]) s")
                #expect(delays.sorted()[count / 2] < 1)
                #expect(central.disconnections.values.isEmpty && central.changes.values.isEmpty)
                #expect(!peripheral.lines.contains("unsubscribed"))
            }
        }

        @Test func `reads are answered while the program is gone and start it where it has to answer`() async throws {
            try await withRestoredPeripheral { peripheral, central, service in
                try peripheral.kill()
                try await peripheral.isKnownToBeGone()
                let position = peripheral.lines.count
                #expect(try await central.text(service.found(Counter.model)) == "Counter")
                #expect(peripheral.lines.count == position, "nobody was started for a static value")
                #expect(try await central.text(service.found(Counter.count)) == "0")
                try await peripheral.line("read", from: position)
                #expect(central.disconnections.values.isEmpty)
            }
        }
    }
}
