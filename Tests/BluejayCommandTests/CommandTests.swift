import CoreBluetooth
import Foundation
import GATTProfiles
import LineOutput
import PlainText
import Testing

@testable import BluejayCommand

@Suite struct DeviceSelectorTests {
    private func address(_ selector: DeviceSelector) -> [String] {
        guard case .identifiers(let identifiers, _) = selector else { return [] }
        return identifiers.compactMap { CBPeer.bluetoothAddress(forIdentifier: $0) }
    }

    @Test func `an address is of either type, unless it says which`() {
        // Whatever kind of address it is: public, private, static.
        for text in [
            "00:AA:01:00:00:00", "00:aa:01:00:00:00", "29:43:C6:23:4C:D1", "5A:43:C6:23:4C:D1", "C0:AA:01:00:00:00",
        ] {
            let selector = DeviceSelector(text)
            #expect(address(selector) == [text.uppercased(), text.uppercased()])
            for kind in ["public", "random"] {
                guard case .identifiers(let exact, _) = DeviceSelector("\(text)/\(kind)") else {
                    Issue.record("\(text)/\(kind)")
                    continue
                }
                #expect(exact.count == 1 && selector.matches(exact[0], names: []))
            }
        }
        #expect(DeviceSelector("00:AA:01:00:00:00/random") != DeviceSelector("00:AA:01:00:00:00"))
        #expect(
            DeviceSelector("00:AA:01:00:00:00/public")
                == .identifiers(
                    [CBPeer.identifier(forBluetoothAddress: "00:AA:01:00:00:00", isRandom: false)].compactMap(\.self),
                    text: "00:AA:01:00:00:00/public"))
    }

    @Test func `an identifier is one, and everything else is a name`() {
        let identifier = UUID()
        #expect(DeviceSelector(identifier.uuidString) == .identifiers([identifier], text: identifier.uuidString))
        for name in ["Dittojay", "00:AA:01:00:00", "00:AA:01:00:00:0G", "00:AA:01:00:00:00/odd", "a/b"] {
            #expect(DeviceSelector(name) == .name(name))
        }
    }
}

@Suite struct CommandErrorTests {
    private func status(_ error: any Error) -> BluejayCommand.ExitStatus { CommandError(error, attempt: "x").status }

    @Test func `each kind has its exit status`() {
        #expect(status(CBATTError(.readNotPermitted)) == .attError)
        #expect(status(CBError(.peripheralDisconnected)) == .connectionFailed)
        #expect(status(CBError(.invalidHandle)) == .noSuchCharacteristic)
        #expect(status(CBError(.outOfSpace)) == .failed)
        #expect(status(CentralError.bluetoothOff) == .bluetoothUnavailable)
        #expect(status(CentralError.noAnswer(within: 1)) == .notInTime)
        #expect(status(CentralError.linkLost(nil)) == .connectionFailed)
        #expect(status(CentralError.unencrypted(CBError(.encryptionTimedOut))) == .connectionFailed)
        #expect(status(CentralError.att(CBATTError(.readNotPermitted))) == .attError)
        #expect(status(CentralError.failed(CBError(.invalidHandle))) == .noSuchCharacteristic)
        #expect(status(CommandError(.notInTime, "y")) == .notInTime)
        #expect(status(CocoaError(.fileNoSuchFile)) == .failed)
        #expect(status(OutputError(.failed(ENOSPC))) == .outputLost)
    }

    @Test func `an ATT error shows its code in hexadecimal`() throws {
        let code = try #require(CBATTError.Code(rawValue: 0x80))
        let failure = CommandError(CBATTError(code), attempt: "cannot write x")
        #expect(failure.attError == 0x80)
        #expect(failure.message.hasPrefix("cannot write x: ATT error 0x80"))
        #expect(CommandError(CBATTError(.readNotPermitted), attempt: "x").message.contains("0x02"))
    }
}

@Suite struct ValueFormatTests {
    @Test func `formats are known by their names, and nothing else is`() {
        for name in ValueFormat.allValueStrings { #expect(ValueFormat(argument: name) != nil) }
        for name in ["", "u7", "HEX", "float"] { #expect(ValueFormat(argument: name) == nil) }
    }

    @Test func `a value is shown in the form asked for`() throws {
        #expect(ValueFormat.hex.text(Data([0, 255]), of: "2A37") == "00ff")
        #expect(ValueFormat.text.text(Data("é".utf8), of: "FFFF") == "é")
        #expect(try #require(ValueFormat(argument: "u16be")).text(Data([1, 2]), of: "FFFF") == "258")
        #expect(try #require(ValueFormat(argument: "i8")).text(Data([1, 2]), of: "FFFF") == "hex:0102")
        #expect(ValueFormat.auto.text(Data([1, 2]), of: "FFFF") == "0102")
        #expect(ValueFormat.auto.text(Data(), of: "FFFF") == "(empty)")
        #expect(ValueFormat.auto.text(Data([1]), of: "2A38") == "chest")
        #expect(ValueFormat.auto.text(Data([0x66, 0x08]), of: "2A6E") == "21.50 °C (6608)")
        #expect(ValueFormat.auto.text(Data([0x66]), of: "2A6E") == "66")
        #expect(ValueFormat.auto.text(Data("abc".utf8), of: "2A24") == "abc")
    }

    @Test func `what a value means is an object for each field`() {
        func json(_ bytes: [UInt8], _ uuid: String) -> String {
            var object = JSONObject()
            object.addMeaning(of: Data(bytes), uuid: uuid)
            return object.text
        }
        #expect(json([0x66, 0x08], "2A6E") == #"{"decoded":{"temperature":{"value":21.50,"unit":"°C"}}}"#)
        #expect(
            json([0x00, 0x80], "2A6E")
                == #"{"decoded":{"temperature":{"value":null,"raw":"0x8000","meaning":"not known"}}}"#)
        #expect(json([55], "2A19") == #"{"level":55,"decoded":{"battery-level":{"value":55,"unit":"%"}}}"#)
        #expect(json([1, 0], "2902") == #"{"decoded":{"configuration":{"raw":"0x1","bits":["notifications"]}}}"#)
        #expect(
            json([0x10, 72, 0, 4], "2A37").hasSuffix(
                #""decoded":{"flags":{"raw":"0x10","bits":[]},"heart-rate":{"value":72,"unit":"bpm"},"#
                    + #""rr-intervals":{"values":[1.0000],"unit":"s"}}}"#))
        #expect(json([1, 2, 3], "2A6E") == "{}")
        #expect(json([1, 2, 3], "FFF0") == "{}")
    }

    @Test func `a heart rate is shown with all its parts`() {
        let full = HeartRateMeasurement(
            rate: 72, contact: .detected, energyExpended: 12, rrIntervals: [1024, 512])
        #expect(full.text == "72 bpm, contact, RR 1.000 0.500 s, 12 kJ")
        #expect(HeartRateMeasurement(rate: 300, contact: .notDetected).text == "300 bpm, no contact")
        var object = JSONObject()
        full.add(to: &object)
        #expect(object.text == #"{"rate":72,"contact":true,"rr":[1.0000,0.5000],"energy":12}"#)
    }
}
