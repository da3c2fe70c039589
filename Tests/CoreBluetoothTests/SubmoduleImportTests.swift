import CoreBluetooth.CBCharacteristic
import CoreBluetooth.CBUUID
import Testing

/// Code for Apple's platforms imports single headers of the framework.
@Suite struct SubmoduleImportTests {
    @Test func `a part of the framework brings the whole`() {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: [])
        #expect(characteristic.uuid == CBUUID(string: "2A37") && CBManagerState.poweredOn.rawValue == 5)
    }
}
