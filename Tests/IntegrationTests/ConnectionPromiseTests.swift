import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import Testing

extension InTheLab {
    /// What Bluejay promises about the ends of connections and of attempts to connect.
    @Suite struct ConnectionPromises {
        private func withFaulty(
            _ body: (Sensor, Central, PeripheralIdentifier) async throws -> Void
        ) async throws {
            try await withFound("faulty", advertising: Faulty.service.uuid.uuidString, body: body)
        }

        /// A device that is not there.
        private func absent() throws -> PeripheralIdentifier {
            let uuid = try #require(CBPeer.identifier(forBluetoothAddress: "00:AA:01:77:77:77", isRandom: false))
            return PeripheralIdentifier(uuid: uuid, name: nil)
        }

        // MARK: Attempts

        @Test func `a timeout is reported once and nobody connects again`() async throws {
            let central = try await Central()
            let (absent, handler, outcomes) = (try absent(), Handler(), Collector<String>())
            try await onMain { [bluejay = central.bluejay] in
                bluejay.registerDisconnectHandler(handler: handler)
                bluejay.connect(absent, timeout: .seconds(0.4)) { outcomes.add("first \($0.outcome)") }
                // Refused, and the first one's completion is not lost by that.
                bluejay.connect(absent, timeout: .seconds(0.4)) { outcomes.add("second \($0.outcome)") }
            }
            #expect(try await outcomes.values(2) == ["second multipleConnectNotSupported", "first connectionTimedOut"])
            #expect(handler.calls.values == [false])
            let isAtRest = try await onMain { [bluejay = central.bluejay] in
                !bluejay.isConnecting && !bluejay.isDisconnecting && !bluejay.shouldAutoReconnect
            }
            #expect(isAtRest)
        }

        @Test func `an attempt that is cancelled ends once and the queue goes on`() async throws {
            let central = try await Central()
            let (absent, outcomes) = (try absent(), Collector<String>())
            try await onMain { [bluejay = central.bluejay] in
                bluejay.connect(absent) { outcomes.add("attempt \($0.outcome)") }
                bluejay.scan(
                    serviceIdentifiers: [Faulty.service], discovery: { _, _ in .continue },
                    stopped: { _, error in outcomes.add("behind \(error?.short ?? "intended")") })
                #expect(bluejay.isConnecting)
                bluejay.cancelEverything()
            }
            #expect(try await outcomes.values(2) == ["behind cancelled", "attempt cancelled"])
            try await onMain { [bluejay = central.bluejay] in
                bluejay.scan(
                    duration: 0.3, serviceIdentifiers: [Faulty.service], discovery: { _, _ in .continue },
                    stopped: { _, error in outcomes.add("later \(error?.short ?? "intended")") })
            }
            #expect(try await outcomes.values(3).last == "later intended")
        }

        @Test func `an attempt that the system refuses fails once`() async throws {
            try await withFaulty { _, central, found in
                let (handler, outcomes) = (Handler { .change(shouldAutoReconnect: false) }, Collector<String>())
                try await Lab.here.whileConnectingIsForbidden {
                    try await onMain { [bluejay = central.bluejay] in
                        bluejay.registerDisconnectHandler(handler: handler)
                        bluejay.connect(found) { outcomes.add($0.outcome) }
                    }
                    #expect(try await outcomes.values(1) == ["unexpectedDisconnect"])
                }
                #expect(handler.calls.values == [true])
                let isAtRest = try await onMain { [bluejay = central.bluejay] in
                    !bluejay.isConnecting && !bluejay.isConnected && !bluejay.shouldAutoReconnect
                }
                #expect(isAtRest)
                #expect(outcomes.values.count == 1)
            }
        }

        // MARK: Disconnecting

        @Test func `a connection is disconnecting from the turn of a queued disconnect to its end`() async throws {
            try await withFaulty { _, central, found in
                try await central.connect(found)
                let outcomes = Collector<String>()
                let bluejay = central.bluejay
                try await onMain {
                    bluejay.read(from: Faulty.optional) { (result: ReadResult<String>) in
                        outcomes.add("read \(result.outcome), \(bluejay.isDisconnecting)")
                        DispatchQueue.main.async { outcomes.add("then \(bluejay.isDisconnecting)") }
                    }
                    bluejay.disconnect { outcomes.add($0.outcome) }
                    outcomes.add("queued \(bluejay.isDisconnecting)")
                }
                #expect(
                    try await outcomes.values(4) == ["queued false", "read here, false", "then true", "disconnected"])
                let isAtRest = try await onMain { !bluejay.isDisconnecting && !bluejay.isConnected }
                #expect(isAtRest)
            }
        }

        @Test func `a disconnect is reported once when Bluetooth goes off meanwhile`() async throws {
            try await withFaulty { _, central, found in
                try await central.connect(found)
                // bluetoothd 5.66 keeps a half-found table for the whole one when the link ends while it is looking.
                _ = try await central.read(Faulty.optional, as: String.self)
                let end = Promise<String>("the end")
                let states = central.observer.available.values.count
                try await onMain { [bluejay = central.bluejay] in bluejay.disconnect { end.fulfil($0.outcome) } }
                try await Lab.here.power(off: Lab.centralAdapter)
                // Whichever of the two bluetoothd reports first.
                #expect(["bluetoothUnavailable", "disconnected"].contains(try await end.value()))
                try await central.observer.available.first(after: states) { !$0 }
                let isAtRest = try await onMain { [bluejay = central.bluejay] in
                    !bluejay.isDisconnecting && !bluejay.isConnected && !bluejay.isConnecting
                }
                #expect(isAtRest)
                try await Lab.here.power(on: Lab.centralAdapter)
                try await central.observer.available.first(after: states + 1) { $0 }
                #expect(end.answers == 1)
            }
        }

        @Test func `a disconnect that the system does not confirm ends all the same`() async throws {
            try await withFaulty { sensor, central, found in
                try await central.connect(found)
                _ = try await central.read(Faulty.optional, as: String.self)
                let position = sensor.position
                try await Lab.here.whileBluetoothdStandsStill {
                    try await central.disconnect()
                    #expect(!sensor.events.dropFirst(position).contains { $0.kind == .disconnected })
                }
                try await sensor.event(.disconnected, from: position)
            }
        }

        /// Keeps a central until it is let go.
        private final class Keeper: @unchecked Swift.Sendable {
            // Given away by the test, then used on the main queue only.
            var central: Central?
        }

        @Test func `with the last reference everything fails and the link ends`() async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor("--profile", Lab.profile("faulty"))
            let (keeper, outcomes) = (Keeper(), Collector<String>())
            try await connect(keeper)
            let position = sensor.position
            try await onMain {
                for number in 1...2 {
                    keeper.central?.bluejay.read(from: Faulty.optional) { (result: ReadResult<String>) in
                        outcomes.add("read \(number) \(result.outcome)")
                    }
                }
                keeper.central?.bluejay.endListen(to: Faulty.lossy) { outcomes.add("endListen \($0.outcome)") }
                keeper.central?.bluejay.disconnect { outcomes.add("disconnect \($0.outcome)") }
                keeper.central = nil
            }
            #expect(
                try await outcomes.values(4) == [
                    "read 1 cancelled", "read 2 cancelled", "endListen cancelled", "disconnect cancelled",
                ])
            try await sensor.event(.disconnected, from: position)
            #expect(outcomes.values.count == 4)
            try await sensor.stop()
        }

        private func connect(_ keeper: Keeper) async throws {
            let central = try await Central()
            try await central.connect(central.find(Faulty.service.uuid.uuidString).peripheralIdentifier)
            _ = try await central.read(Faulty.optional, as: String.self)
            keeper.central = central
        }
    }
}
