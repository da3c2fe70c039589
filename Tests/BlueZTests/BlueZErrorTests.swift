import DBus
import Testing

@testable import BlueZ

/// The texts are those that BlueZ 5.66 sends.
@Suite struct BlueZErrorTests {
    @Test(arguments: [
        ("Failed", "Operation failed with ATT error: 0x80", BlueZError.att(0x80)),
        ("Failed", "Operation failed with ATT error: 0x0e", .att(0x0E)),
        ("Failed", "Operation failed with ATT error: 0xfe (Unknown)", .att(0xFE)),
        ("Failed", "Operation failed with ATT error: 0x00", .noAnswer),
        ("Failed", "Operation failed", .noAnswer),
        ("Failed", "Connection timed out", .noAnswer),
        ("NotPermitted", "Read not permitted", .att(0x02)),
        ("NotPermitted", "Write not permitted", .att(0x03)),
        ("NotPermitted", "Not paired", .att(0x05)),
        ("NotPermitted", "Write acquired", .acquired("Write acquired")),
        ("InvalidArguments", "Invalid offset", .att(0x07)),
        ("InvalidArguments", "Invalid Length", .att(0x0D)),
        ("NotAuthorized", "Operation Not Authorized", .att(0x08)),
        ("NotSupported", "Operation is not supported", .att(0x06)),
        ("NotConnected", "Not Connected", .notConnected),
        ("Failed", "Not connected", .notConnected),
        ("Failed", "Failed allocate notify session", .noMatchRules),
        ("NotReady", "Resource Not Ready", .notReady),
        ("Failed", "le-connection-abort-by-local", .connectionFailed("le-connection-abort-by-local")),
        ("AuthenticationTimeout", "Authentication Timeout", .authenticationFailed("Authentication Timeout")),
        ("InProgress", "In Progress", .inProgress("call")),
    ])
    func `an answer of bluetoothd has its meaning`(name: String, message: String, expected: BlueZError) {
        let error = BusError.remote(name: "org.bluez.Error.\(name)", message: message, call: "call")
        #expect(BlueZError(error) == expected)
    }

    @Test func `an ATT error without its number is no ATT error`() {
        for message in ["Operation failed with ATT error: 0x", "Operation failed with ATT error: 0xzz", "ATT error"] {
            let error = BlueZError(.remote(name: "org.bluez.Error.Failed", message: message, call: "call"))
            #expect(error == .failed(name: "org.bluez.Error.Failed", message: message))
        }
    }

    @Test func `what the bus says of an absent service is not running`() {
        let absent = BusError.remote(
            name: "org.freedesktop.DBus.Error.ServiceUnknown", message: "not provided", call: "call")
        #expect(BlueZError(absent) == .notRunning)
        #expect(BlueZError(.disconnected(call: "call")) == .notRunning)
        let gone = BusError.remote(name: "org.freedesktop.DBus.Error.UnknownObject", message: "", call: "call")
        #expect(BlueZError(gone) == .objectRemoved("call"))
    }
}
