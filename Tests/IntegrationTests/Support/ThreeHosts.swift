import BluetoothLab
import Foundation
import Testing

/// The root of all tests that need a lab with three hosts, as those of ``OnTwoHosts`` need two: host c is for whoever
/// else is on the air. Several pairings at once, and several peripherals that ask, take several bluetoothds.
@Suite(
    .serialized, .bluetoothLab(controllers: 1),
    .enabled(
        if: Lab.current?.host == "b" && ProcessInfo.processInfo.environment["LAB_HOSTS"] == "abc",
        "skipped: no lab with three hosts (./lab test has one)"))
enum OnThreeHosts {}

extension Lab {
    /// The host that has neither the sensor nor the central.
    static let thirdHost = "c"
    /// The Bluetooth address of its controller.
    static let thirdAddress = address(ofController: 2)
}
