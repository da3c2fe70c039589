import CoreBluetooth
import Testing

@testable import BluejayCommand

@Suite struct DeviceRecordingTests {
    @Test func `the battery's level is listened to before what bluetoothd does not subscribe to`() {
        let senders = ["2A37", "2A19", "2A5B", "2A19", "2A1C"].enumerated().map { place, uuid in
            DeviceRecording.Sender(
                attribute: CBMutableCharacteristic(
                    type: CBUUID(string: uuid), properties: .notify, value: nil, permissions: .readable),
                reference: "\(place)")
        }
        #expect(DeviceRecording.inOrderOfListening(senders).map(\.reference) == ["1", "3", "0", "2", "4"])
    }

    @Test func `the times count from a first value that was sent at once, and leave a device its silence`() {
        let subscribed = ContinuousClock.now
        let soon = subscribed + .milliseconds(30)
        let late = subscribed + DeviceRecording.delivery
        #expect(DeviceRecording.begin(soon, isFirst: true, subscribed: nil) == soon)
        #expect(DeviceRecording.begin(soon, isFirst: true, subscribed: subscribed) == soon)
        #expect(DeviceRecording.begin(late, isFirst: true, subscribed: subscribed) == subscribed)
        #expect(DeviceRecording.begin(soon, isFirst: false, subscribed: subscribed) == subscribed)
    }
}
