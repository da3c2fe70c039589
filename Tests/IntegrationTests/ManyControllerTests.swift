import BlueZ
import BluetoothLab
import Foundation
import GATTProfiles
import Testing

extension AmongMany {
    /// What one peripheral and one central can have at once.
    @Suite struct Crowd {
        @Test(.bluetoothLab(controllers: manyControllers, sensor: .default))
        func `four centrals at one sensor get every value in order`() async throws {
            let sensor = try Sensor.here
            let listens = try (1...4).map { try listen(to: "Dittojay", by: $0) }
            try await becomeReady(listens, at: sensor)
            try await expectBurst(of: sensor, at: listens)
            for listen in listens { _ = try await listen.interrupt() }
            try await sensor.event(.disconnected, count: listens.count, within: .seconds(60))
        }

        /// bluetoothd keeps its subscription. From 5.82 on it does not keep its socket, and the other one has a socket.
        @Test(.bluetoothLab(controllers: manyControllers, sensor: .default))
        func `a bonded central that comes back gets every value, beside another one`() async throws {
            let sensor = try Sensor.here
            let lab = try Lab.here
            try await lab.bluejay("pair", Lab.sensorAddress)
            var listens: [ChildProcess] = []
            for controller in 1...2 {
                listens.append(try listen(to: "Dittojay", by: controller))
                try await becomeReady(listens, at: sensor)
            }
            let position = sensor.position
            try await lab.cutLink(to: Lab.sensorAddress, on: Lab.centralAdapter)
            try await sensor.event(.disconnected, from: position) { $0.central == Lab.centralAddress }
            _ = try await listens[0].exitStatus(within: .seconds(60))
            // Of the other one the sensor has not heard yet, where bluetoothd reports only the first.
            if try await lab.bluezVersion() < BlueZVersion(5, 82) {
                try await sensor.event(.subscribed, from: position)
            }
            try await expectBurst(of: sensor, at: [listens[1]])
            let back = [try listen(to: "Dittojay", by: 1), listens[1]]
            try await becomeReady([back[0]], at: sensor)
            try await expectBurst(of: sensor, at: back)
            for listen in back { _ = try await listen.interrupt() }
        }

        /// From 5.82 on bluetoothd closes the socket of the one that subscribed first, whichever leaves.
        @Test(.bluetoothLab(controllers: manyControllers, sensor: .default))
        func `a central that leaves does not silence the others`() async throws {
            let sensor = try Sensor.here
            var listens: [ChildProcess] = []
            for controller in 1...3 {
                listens.append(try listen(to: "Dittojay", by: controller))
                try await becomeReady(listens, at: sensor)
            }
            for controller in [3, 2] {
                let position = sensor.position
                try await Lab.here.cutLink(to: Lab.sensorAddress, on: "hci\(controller)")
                try await sensor.event(.disconnected, from: position)
                _ = try await listens.removeLast().exitStatus(within: .seconds(60))
                try await expectBurst(of: sensor, at: listens)
                let others = sensor.events.dropFirst(position).filter {
                    $0.kind == .unsubscribed && $0.central == Lab.centralAddress
                }
                #expect(others.isEmpty)
            }
            _ = try await listens[0].interrupt()
            try await sensor.event(.unsubscribed, within: .seconds(60))
        }

        @Test func `one controller has eight sensors at once, each with values of its own`() async throws {
            try await Lab.here.reset()
            let central = manyControllers - 1
            var sensors: [ChildProcess] = []
            for number in 0..<central {
                let sensor = try ChildProcess(
                    "dittojay",
                    ["run", "--json", "--adapter", "hci\(number)", "--name", "Sensor \(number)", "--no-socket"])
                try await EventLog(of: sensor).event(.advertising, within: .seconds(60))
                sensors.append(sensor)
            }
            let values = sensors.indices.map { number in (0..<3).map { "\(number)-\($0)" } }
            let listens = try sensors.indices.map { try listen(to: "Sensor \($0)", by: central) }
            for sensor in sensors {
                try await EventLog(of: sensor).event(.subscribed, within: .seconds(90))
            }
            // By now all are connected. What is typed goes to one sensor alone.
            for (number, sensor) in sensors.enumerated() {
                for value in values[number] { try sensor.type("c \(value)") }
            }
            for (listen, expected) in zip(listens, values.map { $0.map(hex) }) {
                try await listen.line(containing: expected[2], within: .seconds(60))
                _ = try await listen.interrupt()
                #expect(self.values(of: listen) == expected)
            }
            for sensor in sensors { #expect(try await sensor.interrupt() == 0) }
        }

        /// Waits until all receive what the sensor sends. bluetoothd 5.66 reports only the first that subscribes, so a
        /// chirp finds it out.
        private func becomeReady(_ listens: [ChildProcess], at sensor: Sensor) async throws {
            try await sensor.event(.subscribed, within: .seconds(60))
            let deadline = ContinuousClock.now + .seconds(60)
            while !listens.allSatisfy({ !$0.lines.isEmpty }) {
                try #require(.now < deadline, "not all are subscribed")
                try await sensor.command("chirp", "ready")
            }
        }

        /// Sends numbered values, and expects each of them once, in their order, beside the chirps until then.
        private func expectBurst(of sensor: Sensor, at listens: [ChildProcess]) async throws {
            let positions = listens.map(\.lines.count)
            let count = 20
            try await sensor.command("burst", "--count", "\(count)", "--size", "4", "--rate", "20")
            let numbers = (0..<count).map { String(format: "%02x000000", $0) }
            for (listen, position) in zip(listens, positions) {
                try await listen.line(containing: numbers[count - 1], from: position, within: .seconds(60))
                #expect(values(of: listen).dropFirst(position).filter { $0 != hex("ready") } == numbers)
            }
        }

        private func listen(to device: String, by controller: Int) throws -> ChildProcess {
            try ChildProcess(
                "bluejay",
                [
                    "listen", device, ChirpService.chirp, "--adapter", "hci\(controller)", "--format", "hex",
                    "--connect-timeout", "120",
                ])
        }

        /// What it has printed behind the time and the name, a value in each line.
        private func values(of listen: ChildProcess) -> [String] {
            listen.lines.compactMap { $0.split(separator: " ").last.map(String.init) }
        }

        private func hex(_ text: String) -> String {
            text.utf8.map { String(format: "%02x", $0) }.joined()
        }
    }
}
