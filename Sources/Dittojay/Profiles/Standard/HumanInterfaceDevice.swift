import CoreBluetooth

/// The Human Interface Device Service (1812): a keyboard. Specification: HID Service 1.0.
enum HumanInterfaceDevice {
    static let service = "1812"
    static let information = "2A4A"
    static let reportMap = "2A4B"
    static let controlPoint = "2A4C"
    static let report = "2A4D"
    static let protocolMode = "2A4E"
    static let bootInput = "2A22"
    static let bootOutput = "2A32"
    static let bootProtocol: UInt8 = 0
    static let reportProtocol: UInt8 = 1

    /// An ATT error of the Core Specification Supplement, Part B, 1.2.
    private static let outOfRange: UInt8 = 0xFF

    /// What the reports consist of: one byte of modifiers, one that is reserved, and up to six keys. Specification:
    /// Device Class Definition for HID 1.11, 6.2.2.
    static let keyboard: [UInt8] = [
        0x05, 0x01,  // usage page: generic desktop
        0x09, 0x06,  // usage: keyboard
        0xA1, 0x01,  // collection: application
        0x85, 0x01,  // report ID 1
        0x05, 0x07,  // usage page: keys
        0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01,  // the modifiers, each 0 or 1
        0x75, 0x01, 0x95, 0x08, 0x81, 0x02,  // input: 8 fields of a bit
        0x75, 0x08, 0x95, 0x01, 0x81, 0x01,  // input: a constant byte
        0x19, 0x00, 0x29, 0x65, 0x15, 0x00, 0x25, 0x65,  // the keys by their numbers
        0x75, 0x08, 0x95, 0x06, 0x81, 0x00,  // input: an array of 6 bytes
        0xC0,  // end of the collection
    ]

    static let characteristics: [CharacteristicProfile] = [
        // HID 1.11, no country; it is normally connectable.
        .constant(information, [0x11, 0x01, 0x00, 0x02]),
        .constant(reportMap, keyboard),
        input,
        // What every keyboard has for hosts that know no report maps. The output report has the lights.
        .measurement(bootInput, [.read, .notify], every: typingInterval, value: nothingPressed),
        .stored(bootOutput, [.read, .write, .writeWithoutResponse], [0], lengths: 1...1),
        .stored(controlPoint, .writeWithoutResponse, [0], lengths: 1...1),
        .simulated(protocolMode, [.read, .writeWithoutResponse]),
    ]

    private static let typingInterval = 0.25
    private static let nothingPressed = [UInt8](repeating: 0, count: 8)

    private static var input: CharacteristicProfile {
        var profile = CharacteristicProfile.measurement(
            report, [.read, .notify], every: typingInterval, value: nothingPressed)
        profile.reportReference = ReportReference(id: 1, kind: .input)
        return profile
    }

    /// Somebody who types the same line again and again: a report with the key, and one without. Reports come by the
    /// characteristic of the protocol that the host has chosen.
    final class Model: ServiceModel {
        static let line = "hello from dittojay\n"
        private var position = 0
        private var isPressed = false
        private var mode = reportProtocol

        init(_ setup: ModelSetup) {}

        func isPaused(_ uuid: String) -> Bool { uuid != (mode == bootProtocol ? bootInput : report) }

        func value(of uuid: String) -> [UInt8]? { uuid == protocolMode ? [mode] : nil }

        func write(_ value: [UInt8], to uuid: String, by client: ModelClient) throws(CBATTError) {
            guard value.count == 1 else { throw CBATTError(.invalidAttributeValueLength) }
            guard value[0] <= reportProtocol else { throw CBATTError(attError: outOfRange) }
            mode = value[0]
        }

        /// Each host begins with the report protocol.
        func unsubscribed(from uuid: String) {
            if uuid == bootInput { mode = reportProtocol }
        }

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? {
            isPressed.toggle()
            guard isPressed else { return nothingPressed }
            let text = Array(Self.line.utf8)
            defer { position = (position + 1) % text.count }
            return [0, 0, Self.key(text[position]), 0, 0, 0, 0, 0]
        }

        /// The number of the key of a small letter, a space or a line's end. Specification: HID Usage Tables, 10.
        private static func key(_ character: UInt8) -> UInt8 {
            switch character {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 4
            case UInt8(ascii: "\n"): 40
            default: 44
            }
        }
    }
}
