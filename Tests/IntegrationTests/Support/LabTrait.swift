import BluetoothLab
import Testing

/// The root of all tests that need the lab. They share its controllers, hence one after another.
///
/// Outside of the lab they are skipped, and say so; inside of it nothing is skipped.
@Suite(.serialized, .enabled(if: Lab.current != nil, "skipped: no lab (./lab test brings one up)"))
enum InTheLab {}

extension Lab {
    /// The lab around the test.
    static var here: Lab {
        get throws {
            guard let lab = current else { throw LabError("this test runs in the lab only: ./lab test") }
            return lab
        }
    }

    /// bluetoothd's settings; what is written there goes away with the lab.
    static let bluetoothdSettings = "/etc/bluetooth/main.conf"
    /// The controller of the peripheral under test.
    static let sensorAdapter = "hci0"
    /// The controller of the central under test; on a host of its own it is the first one there.
    static var centralAdapter: String { sensorHost == nil ? "hci1" : "hci0" }
    /// The address of ``sensorAdapter``, as btvirt gives it.
    static let sensorAddress = "00:AA:01:00:00:00"
    static let centralAddress = "00:AA:01:01:00:01"
}
