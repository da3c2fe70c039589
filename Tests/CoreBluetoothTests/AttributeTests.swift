import Testing

@testable import CoreBluetooth

@Suite struct AttributeTests {
    let heartRate = CBUUID(string: "180D")
    let measurement = CBUUID(string: "2A37")

    @Test func `a mutable service is the service of its characteristics while it has them`() {
        let service = CBMutableService(type: heartRate, primary: true)
        #expect(service.characteristics == nil)
        #expect(service.isPrimary)
        #expect(service.peripheral == nil)

        let first = CBMutableCharacteristic(
            type: measurement, properties: .notify, value: nil, permissions: .readable)
        let second = CBMutableCharacteristic(type: measurement, properties: .read, value: nil, permissions: .readable)
        service.characteristics = [first]
        #expect(first.service === service)

        service.characteristics = [second]
        #expect(first.service == nil)
        #expect(second.service === service)
    }

    @Test func `a characteristic moved to another service keeps the new one`() {
        let characteristic = CBMutableCharacteristic(
            type: measurement, properties: .read, value: nil, permissions: .readable)
        let old = CBMutableService(type: heartRate, primary: true)
        let new = CBMutableService(type: heartRate, primary: true)
        old.characteristics = [characteristic]
        new.characteristics = [characteristic]
        old.characteristics = nil
        #expect(characteristic.service === new)
    }

    @Test func `a mutable characteristic is the characteristic of its descriptors`() {
        let characteristic = CBMutableCharacteristic(
            type: measurement, properties: [.read], value: Data([1]), permissions: [.readable])
        let descriptor = CBMutableDescriptor(
            type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "beats")
        characteristic.descriptors = [descriptor]
        #expect(descriptor.characteristic === characteristic)
        #expect(descriptor.value as? String == "beats")
        #expect(characteristic.subscribedCentrals == [])
    }

    @Test func `back references do not keep objects alive`() {
        let characteristic = CBMutableCharacteristic(
            type: measurement, properties: .read, value: nil, permissions: .readable)
        do {
            let service = CBMutableService(type: heartRate, primary: true)
            service.characteristics = [characteristic]
            #expect(characteristic.service != nil)
        }
        #expect(characteristic.service == nil)
    }

    @Test func `attributes and peers are equal by identity, not by UUID`() {
        let one = CBMutableService(type: heartRate, primary: true)
        let other = CBMutableService(type: heartRate, primary: true)
        #expect(one != other)
        #expect([other, one].contains(one))
        #expect(Set([one, other, one]).count == 2)

        let identifier = UUID()
        let peripheral = CBPeripheral(identifier: identifier, manager: nil)
        #expect(peripheral != CBPeripheral(identifier: identifier, manager: nil))
        #expect(peripheral.copy() as? CBPeripheral === peripheral)
    }

    @Test func `values of descriptors have the type that belongs to their UUID`() {
        func decode(_ bytes: [UInt8], _ uuid: String) -> Any {
            DescriptorValue.decode(Data(bytes), of: CBUUID(string: uuid))
        }
        #expect(decode([0x01, 0x00], "2900") as? NSNumber == 1)
        #expect(decode([0x03], "2902") as? NSNumber == 3)
        #expect(decode([0x02, 0x01], "2902") as? Int == 0x0102)
        #expect(decode([0x01, 0x00], "2903") as? NSNumber == 1)
        #expect(decode(Array("beats".utf8), "2901") as? String == "beats")
        #expect(decode([4, 0, 0, 0, 0, 0, 0], "2904") as? Data == Data([4, 0, 0, 0, 0, 0, 0]))
        #expect(decode([1], "FFF1") as? Data == Data([1]))
        #expect(decode([0x01, 0x00], "00002902-0000-1000-8000-00805F9B34FB") as? NSNumber == 1)
    }

    @Test func `bytes that do not fit the type of a descriptor come as they are`() {
        for bytes in [Data(), Data([1, 2, 3])] {
            #expect(DescriptorValue.decode(bytes, of: CBUUID(string: "2902")) as? Data == bytes)
        }
        let notText = Data([0xFF, 0xFE])
        #expect(DescriptorValue.decode(notText, of: CBUUID(string: "2901")) as? Data == notText)
    }

    @Test func `values of local descriptors become bytes`() {
        #expect(DescriptorValue.encode("beats") == Data("beats".utf8))
        #expect(DescriptorValue.encode(NSString("beats")) == Data("beats".utf8))
        #expect(DescriptorValue.encode(Data([1, 2])) == Data([1, 2]))
        #expect(DescriptorValue.encode(NSNumber(value: 0x0102)) == Data([0x02, 0x01]))
        #expect(DescriptorValue.encode(3) == Data([0x03, 0x00]))
        #expect(DescriptorValue.encode(nil) == nil)
        #expect(DescriptorValue.encode([1, 2]) == nil)
    }

    @Test func `the length of a write follows the MTU`() {
        let peripheral = CBPeripheral(identifier: UUID(), manager: nil)
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
        #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        peripheral.mtu = 247
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 244)
        peripheral.mtu = 517
        #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 510)
        #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
    }

    @Test func `descriptions name what they describe`() {
        let peripheral = CBPeripheral(identifier: UUID(), manager: nil)
        peripheral.name = "Dittojay"
        #expect("\(peripheral)".contains("Dittojay"))
        #expect("\(peripheral)".contains(peripheral.identifier.uuidString))
        #expect("\(CBMutableService(type: heartRate, primary: true))".contains("Heart Rate"))
    }
}
