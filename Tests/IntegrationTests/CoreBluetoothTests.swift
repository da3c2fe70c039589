import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    /// CoreBluetooth without Bluejay, for what Bluejay does not offer.
    @Suite struct PlainCoreBluetooth {
        @Test func `notifications over a socket arrive in order`() async throws {
            let sensor = try await Sensor()
            let client = Client()
            try await client.subscribe(
                to: ChirpService.chirp, of: ChirpService.uuid,
                options: [CBConnectPeripheralOptionUseNotifySocketsKey: true])
            try await sensor.event(.subscribed) { $0.characteristic == "chirp" }
            // At a rate that the socket takes: what it cannot take is lost, and that is why it is an option.
            try await sensor.command("burst", "--count", "200", "--size", "20", "--rate", "50")
            let values = try await client.values.values(200)
            #expect(values.map { ChirpService.Burst.number(in: $0) } == (0..<200).map { UInt32($0) })
            let position = sensor.position
            try await client.unsubscribe()
            try await sensor.event(.unsubscribed, from: position)
            try await client.disconnect()
            try await sensor.stop()
        }

        /// When a link ends, the kernel goes on with the advertisement that the link came by: here that is another one
        /// by then.
        @Test func `a central comes back when advertising has begun anew under its link`() async throws {
            try await Lab.here.forgetEachOther()
            let beacon = Beacon()
            let central = PlainCentral()
            try await beacon.start()
            try await central.connect(advertising: beacon.service.uuidString)
            for _ in 0..<3 {
                // The peripheral's side of the link may be only about to come up.
                try await beacon.restart()
                try await central.disconnect()
                try await central.connect()
            }
            try await central.disconnect()
            await beacon.stop()
        }

        /// Finds the peripheral by its service, connects and subscribes. Its state is touched on its queue only.
        private final class Client: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Swift.Sendable
        {
            let values = Collector<Data>()
            /// How far it has come.
            private let steps = Collector<String>()
            private let queue = DispatchQueue(label: "client")
            private var manager: CBCentralManager?
            private var peripheral: CBPeripheral?
            private var characteristic: CBCharacteristic?
            private var wanted: (service: CBUUID, characteristic: CBUUID)?
            private var options: [String: Any] = [:]
            private let notifying = Sequence<Bool>()
            private let disconnected = Promise<Bool>("the disconnection")

            func subscribe(to characteristic: String, of service: String, options: [String: Any] = [:]) async throws {
                wanted = (CBUUID(string: service), CBUUID(string: characteristic))
                self.options = options
                manager = CBCentralManager(
                    delegate: self, queue: queue, options: [CBCentralManagerOptionAdapterKey: Lab.centralAdapter])
                do {
                    try await notifying.first { $0 }
                } catch {
                    throw LabError("\(error), after \(steps.values.joined(separator: ", "))")
                }
            }

            func unsubscribe() async throws {
                queue.async { [self] in
                    if let characteristic { peripheral?.setNotifyValue(false, for: characteristic) }
                }
                try await notifying.first { !$0 }
            }

            func disconnect() async throws {
                queue.async { [self] in
                    if let peripheral { manager?.cancelPeripheralConnection(peripheral) }
                }
                #expect(try await disconnected.value(), "the disconnection that was asked for is no error")
            }

            func centralManagerDidUpdateState(_ central: CBCentralManager) {
                steps.add("\(central.state)")
                guard central.state == .poweredOn, let wanted else { return }
                central.scanForPeripherals(withServices: [wanted.service])
            }

            func centralManager(
                _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
                rssi RSSI: NSNumber
            ) {
                steps.add("found")
                central.stopScan()
                self.peripheral = peripheral
                peripheral.delegate = self
                central.connect(peripheral, options: options)
            }

            func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
                steps.add("connected")
                peripheral.discoverServices(wanted.map { [$0.service] })
            }

            func centralManager(
                _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
            ) {
                steps.add("disconnected")
                disconnected.fulfil(error == nil)
            }

            func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
                steps.add("\(peripheral.services?.count ?? 0) services")
                for service in peripheral.services ?? [] {
                    peripheral.discoverCharacteristics(wanted.map { [$0.characteristic] }, for: service)
                }
            }

            func peripheral(
                _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
            ) {
                steps.add("\(service.characteristics?.count ?? 0) characteristics")
                for characteristic in service.characteristics ?? [] {
                    self.characteristic = characteristic
                    peripheral.setNotifyValue(true, for: characteristic)
                }
            }

            func peripheral(
                _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
                error: (any Error)?
            ) {
                if let error { Issue.record(error, "turning notifications on or off") }
                notifying.add(characteristic.isNotifying)
            }

            func peripheral(
                _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
            ) {
                if let value = characteristic.value { values.add(value) }
            }
        }
    }
}
