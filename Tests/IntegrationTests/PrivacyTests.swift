import Bluejay
import BluetoothLab
import CoreBluetooth
import Testing

extension OnTwoHosts {
    /// A sensor whose host advertises with private addresses, which change, and gives to those that pair with it the
    /// key from which it makes them.
    @Suite(.needsVirtualRadio) struct Privacy {
        @Test func `a paired sensor is the same device with each of its private addresses`() async throws {
            try await whileSensorsHostIsPrivate {
                try await forgetEachOtherOnTwoHosts()
                let sensor = try await Sensor()
                let central = try await Central()
                let first = try await advertisedAddress()
                let stranger = try await central.find().peripheralIdentifier
                #expect(first != Lab.sensorAddress && address(of: stranger) == first)

                try await central.connect(stranger)
                #expect(try await !central.readWithPairing().isEmpty)
                try await Lab.here.waitUntilPaired(Lab.sensorAddress, on: Lab.centralAdapter)
                // Bluejay knows this connection by the address that the sensor had before.
                let ends = central.observer.disconnections.values.count
                try await sensor.command("disconnect")
                try await central.observer.reconnection(after: ends)
                #expect(try await !central.readOverSomeLink(.pairingText, as: String.self).isEmpty)
                try await central.disconnect()

                let friend = try await central.find().peripheralIdentifier
                let identity = CBPeer.identifier(forBluetoothAddress: Lab.sensorAddress, isRandom: false)
                #expect(friend.uuid == identity, "a program that starts now gets the same one")
                var addresses: Set = [Lab.sensorAddress, first]
                for _ in 0..<2 {
                    #expect(addresses.insert(try await renewAddress(of: sensor)).inserted, "\(addresses)")
                    #expect(try await central.find().peripheralIdentifier == friend)
                    try await central.connect(friend)
                    #expect(try await !central.read(.pairingText, as: String.self).isEmpty)
                    try await central.disconnect()
                }
                try await sensor.stop()
            }
        }

        private func address(of peripheral: PeripheralIdentifier) -> String? {
            CBPeer.bluetoothAddress(forIdentifier: peripheral.uuid)
        }

        /// What is in the air.
        private func advertisedAddress() async throws -> String {
            let deadline = ContinuousClock.now + .seconds(30)
            while ContinuousClock.now < deadline {
                let devices = try await LabRadio.here.status().devices
                if let address = devices.first(where: { $0.name == "a/hci0" })?.advertisedAddresses.first {
                    return address
                }
            }
            throw LabError("the sensor does not advertise")
        }

        /// The kernel makes another address when a controller is switched on, otherwise every 15 minutes.
        private func renewAddress(of sensor: Sensor) async throws -> String {
            let mark = sensor.position
            try await Lab.runAtSensor("bluetoothctl", "power", "off")
            try await Lab.runAtSensor("bluetoothctl", "power", "on")
            try await sensor.event(.advertising, from: mark, within: .seconds(60))
            return try await advertisedAddress()
        }

        private func whileSensorsHostIsPrivate(_ body: () async throws -> Void) async throws {
            let file = "/run/private.conf"
            let settings = "sed 's/^\\[General\\]/&\\nPrivacy = device/' \(Lab.bluetoothdSettings) >\(file)"
            try await Lab.runAtSensor("sh", "-c", settings)
            try await Lab.runAtSensor("env", "LAB_BLUETOOTHD_OPTIONS=-f \(file)", "lab-bluetoothd", "restart")
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            try await Lab.runAtSensor("lab-bluetoothd", "restart")
            try outcome.get()
        }
    }
}
