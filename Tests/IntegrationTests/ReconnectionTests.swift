import BluetoothLab
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension AmongMany {
    /// Connections that are pending, and those that come back by themselves.
    @Suite(.needsVirtualRadio) struct Reconnection {
        private static let central = "hci1"
        private static let count = 8
        /// bluetoothd advertises every 1.28 s. While a controller connects to one device it does not hear the others.
        private static let limit: Duration = .seconds(8)

        @Test func `eight bonded devices that come and go are connected again whenever they are there`() async throws {
            try await withBondedDevices { sensors, central, devices in
                let end = ContinuousClock.now + .seconds(rounds(20, thoroughly: 600))
                let seed = TestSeed.value
                let delays = try await withThrowingTaskGroup(of: [Duration].self) { tasks in
                    for (index, device) in devices.enumerated() {
                        tasks.addTask {
                            var dice = Dice(state: seed &+ UInt64(index))
                            var delays: [Duration] = []
                            while ContinuousClock.now < end {
                                delays.append(
                                    try await Self.comeAndGo(sensors[index].id, device, sensors, central, &dice))
                            }
                            return delays
                        }
                    }
                    return try await tasks.reduce(into: []) { $0 += $1 }
                }
                let sorted = delays.sorted().map(\.inSeconds)
                let (median, longest) = (sorted[sorted.count / 2], sorted[sorted.count - 1])
                print("\(sorted.count) returns, connected after \(median) s (median), \(longest) s (longest)")
                #expect(delays.allSatisfy { $0 < Self.limit }, "\(sorted)")
            }
        }

        @Test func `eight pending connections are made when the devices come, and none after it is cancelled`()
            async throws
        {
            try await Lab.here.reset()
            let sensors = try await SensorGroup(Self.count, central: Self.central)
            let adapters = sensors.map(\.id)
            let devices = try adapters.map(Self.identifier)
            for adapter in adapters { try await sensors.command("advertise", "off", "--peripheral", adapter) }
            let central = ReturningDevices(devices, on: Self.central)
            try await central.start()
            central.connect()
            for adapter in adapters.dropLast() {
                try await sensors.command("advertise", "on", "--peripheral", adapter)
            }
            let (others, last) = (devices.dropLast(), devices[Self.count - 1])
            for device in others { try await central.event(of: device) { $0 == .connected } }
            #expect(central.events(of: last).isEmpty)
            // Cancelled while it is pending, and while it is up.
            for device in devices {
                central.cancel(device)
                try await central.event(of: device) { $0 == .disconnected(isReconnecting: false, hasError: false) }
            }
            try await sensors.command("advertise", "on", "--peripheral", adapters[Self.count - 1])

            // They could be connected, and another program is.
            central.reportConnections(of: [last])
            let positions = devices.map { central.position(of: $0) }
            let address = try #require(CBPeer.bluetoothAddress(forIdentifier: last))
            try await Lab.here.bluejay("read", address, "180D/2A38", "--adapter", Self.central)
            for event in [CBConnectionEvent.peerConnected, .peerDisconnected] {
                try await central.event(of: last, from: positions[Self.count - 1]) { $0 == .reported(event) }
            }
            try await Lab.here.bluejay("scan", "--count", "\(Self.count)", "--timeout", "60", "--adapter", Self.central)
            for (device, position) in zip(devices, positions) {
                #expect(!central.events(of: device, from: position).contains(.connected))
            }
            central.release()
            try await sensors.command("quit")
            #expect(try await sensors.process.exitStatus(within: .seconds(60)) == 0)
        }

        /// A device goes in one of several ways, stays away for a while, and is connected when it is back.
        ///
        /// - Returns: how long that has taken.
        private static func comeAndGo(
            _ adapter: String, _ device: UUID, _ sensors: SensorGroup, _ central: ReturningDevices, _ dice: inout Dice
        ) async throws -> Duration {
            let position = central.position(of: device)
            // Now and then longer than an attempt to connect lasts in the kernel.
            let isLong = isThorough && dice.happens(15)
            let away = Duration.milliseconds(Int.random(in: isLong ? 20_000...60_000 : 500...8_000, using: &dice))
            let isOutOfRange = dice.happens(50)
            let radio = try LabRadio.here
            if isOutOfRange {
                try await radio.block(adapter, Self.central)
            } else {
                try await sensors.command("advertise", "off", "--peripheral", adapter)
                try await sensors.command("disconnect", "--peripheral", adapter)
            }
            let loss = ReturningDevices.Event.disconnected(isReconnecting: true, hasError: true)
            try await central.event(of: device, from: position) { $0 == loss }
            // How long it is away is chance, not a wait for something.
            try await Task.sleep(for: away)
            #expect(central.events(of: device, from: position) == [loss])
            if isOutOfRange {
                try await radio.unblock(adapter, Self.central)
            } else {
                try await sensors.command("advertise", "on", "--peripheral", adapter)
            }
            let back = ContinuousClock.now
            let connected = try await central.event(of: device, from: position + 1) { $0 == .connected }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...2000, using: &dice)))
            #expect(central.events(of: device, from: position) == [loss, .connected])
            return max(connected.time - back, .zero)
        }

        /// Runs `body` with devices that are bonded and connected.
        private func withBondedDevices(
            _ body: (SensorGroup, ReturningDevices, [UUID]) async throws -> Void
        ) async throws {
            try await Lab.here.reset()
            let sensors = try await SensorGroup(Self.count, central: Self.central)
            let devices = try sensors.map { try Self.identifier(of: $0.id) }
            let central = ReturningDevices(devices, on: Self.central)
            try await central.start()
            central.connect()
            for device in devices { try await central.event(of: device) { $0 == .connected } }
            for device in devices {
                central.pair(device)
                try await central.event(of: device) { $0 == .encrypted }
            }
            try await body(sensors, central, devices)
            central.release()
            try await sensors.command("quit")
            #expect(try await sensors.process.exitStatus(within: .seconds(60)) == 0)
        }

        private static func identifier(of adapter: String) throws -> UUID {
            let address = Int(adapter.drop { !$0.isNumber }).map(Lab.address(ofController:)) ?? ""
            guard let identifier = CBPeer.identifier(forBluetoothAddress: address, isRandom: false) else {
                throw LabError("\(adapter) has no address")
            }
            return identifier
        }
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + (Double(components.attoseconds) / 1e15).rounded() / 1e3
    }
}
