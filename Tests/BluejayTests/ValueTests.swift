import Testing

@testable import Bluejay
@testable import CoreBluetooth

@Suite struct ValueTests {
    @Test func `a characteristic in two services has two identifiers`() {
        let battery = ServiceIdentifier(uuid: "180F")
        let other = CharacteristicIdentifier(uuid: "2A37", service: battery)
        #expect(measurement != other)
        #expect(measurement == CharacteristicIdentifier(uuid: CBUUID(string: "2A37"), service: heartRate))
        #expect(Set([measurement, other, measurement]).count == 2)
        #expect(measurement.description.contains("2A37") && measurement.description.contains("180D"))
    }

    @Test func `an identifier matches the discovered characteristic of its service`() throws {
        let service = CBService(uuid: CBUUID(string: "180D"), isPrimary: true, peripheral: nil)
        let characteristic = CBCharacteristic(uuid: CBUUID(string: "2A37"), properties: .notify, service: service)
        #expect(try #require(CharacteristicIdentifier(characteristic)) == measurement)
        #expect(measurement == characteristic)
        #expect(!(location == characteristic))
    }

    @Test func `a characteristic whose service was removed has no identifier`() {
        let orphan = CBCharacteristic(uuid: CBUUID(string: "2A37"), properties: .notify)
        #expect(CharacteristicIdentifier(orphan) == nil)
        #expect(!(measurement == orphan))
    }

    @Test func `peripherals are compared and hashed by their UUID only`() {
        let uuid = UUID()
        let named = PeripheralIdentifier(uuid: uuid, name: "Coffee")
        let unnamed = PeripheralIdentifier(uuid: uuid, name: nil)
        #expect(named == unnamed)
        #expect(Set([named, unnamed]).count == 1)
        #expect(unnamed.name == "No Name")
        #expect(named.description.contains("Coffee") && named.description.contains(uuid.uuidString))
        #expect(named != PeripheralIdentifier(uuid: UUID(), name: "Coffee"))
    }

    @Test func `warning options become CoreBluetooth's connect options`() {
        let options = WarningOptions(notifyOnConnection: true, notifyOnDisconnection: false, notifyOnNotification: true)
        #expect(options.connectOptions[CBConnectPeripheralOptionNotifyOnConnectionKey] as? Bool == true)
        #expect(options.connectOptions[CBConnectPeripheralOptionNotifyOnDisconnectionKey] as? Bool == false)
        #expect(options.connectOptions[CBConnectPeripheralOptionNotifyOnNotificationKey] as? Bool == true)
        #expect(WarningOptions.default.connectOptions.values.allSatisfy { $0 as? Bool == false })
    }

    @Test func `states have names`() {
        #expect(CBManagerState.poweredOn.string() == "Powered On")
        #expect(CBManagerState.unknown.string() == "Unknown")
        #expect(CBPeripheralState.connected.string() == "Connected")
        #expect(CBPeripheralState.disconnecting.string() == "Disconnecting")
    }

    @Test func `attributes are looked up among the discovered ones`() {
        let peripheral = FakePeripheral()
        #expect(peripheral.service(with: CBUUID(string: "180D")) == nil)
        peripheral.discoverServices(nil)
        peripheral.settle()
        let service = peripheral.service(with: CBUUID(string: "180D"))
        #expect(service != nil)
        #expect(service?.characteristic(with: CBUUID(string: "2A37")) == nil)
    }

    @Test func `raw values of the listen options`() {
        #expect(MultipleListenOption.trap.rawValue == 0)
        #expect(MultipleListenOption.replaceable.rawValue == 1)
    }
}
