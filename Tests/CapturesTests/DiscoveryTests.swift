import Captures
import CoreBluetooth
import Dittojay
import Foundation
import TestSupport
import Testing

/// Each way in which a central finds attributes gives the table.
@Suite struct CapturedDiscoveryTests {
    private func builder(_ body: (inout CaptureBuilder) -> Void) -> CaptureBuilder {
        var builder = CaptureBuilder()
        builder.connect()
        body(&builder)
        return builder
    }

    @Test func `a service that is looked for by its UUID`() throws {
        let builder = builder {
            $0.send([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0F, 0x18])
            $0.receive([0x07, 0x30, 0x00, 0x34, 0x00])
            $0.send([0x08, 0x30, 0x00, 0x34, 0x00, 0x03, 0x28])
            $0.receive([0x09, 7, 0x31, 0x00, 0x12, 0x32, 0x00, 0x19, 0x2A])
            $0.read(0x32, [99])
        }
        let service = try profile(imported(builder)).services[0]
        #expect(service.uuid == "180F" && service.characteristics.map(\.uuid) == ["2A19"])
        #expect(service.characteristics[0].initialValue == [99])
        #expect(service.characteristics[0].properties == [.read, .notify])
    }

    @Test func `secondary and included services, and characteristics read by their UUID`() throws {
        let builder = builder {
            $0.send([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x01, 0x28])
            $0.receive([0x11, 6, 0x30, 0x00, 0x34, 0x00, 0x0F, 0x18])
            $0.send([0x08, 0x30, 0x00, 0x34, 0x00, 0x02, 0x28])
            $0.receive([0x09, 8, 0x31, 0x00, 0x40, 0x00, 0x44, 0x00, 0x0A, 0x18])
            $0.send([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A])
            $0.receive([0x09, 3, 0x33, 0x00, 88])
        }
        let made = try imported(builder)
        let service = try profile(made).services[0]
        #expect(service.uuid == "180F" && !service.isPrimary)
        #expect(service.characteristics.map(\.uuid) == ["2A19"] && service.characteristics[0].initialValue == [88])
        #expect(made.report.leftOut.contains { $0.text == "the included service 180A at 0x0031" })
    }

    @Test func `descriptors that describe a value`() throws {
        let builder = builder {
            $0.discover()
            $0.send([0x04, 0x16, 0x00, 0x1F, 0x00])
            let types: [UInt8] = [0x16, 0x00, 0x01, 0x29, 0x17, 0x00, 0x04, 0x29, 0x18, 0x00, 0x06, 0x29]
            $0.receive([0x05, 1] + types + [0x19, 0x00, 0x07, 0x29])
            $0.read(0x16, Array("Where".utf8))
            $0.read(0x17, [4, 0, 0, 0x27, 1, 0, 0])
            $0.read(0x18, [1, 2])
        }
        let made = try imported(builder)
        let type = try profile(made).services[0].characteristics[1]
        #expect(type.userDescription == "Where" && type.presentationFormat?.format == 4)
        #expect(type.copiedDescriptors == [.init(uuid: "2906", value: [1, 2]), .init(uuid: "2907", value: [])])
        #expect(made.profile.lines.contains("          - {uuid: external-report-reference}  # Its value was not read."))
    }

    @Test func `a table that the phone knows from before becomes handles to fill in`() throws {
        let builder = builder {
            $0.read(0x2A, [1, 2, 3])
            $0.write(0x2E, [1, 0])
            $0.notify(0x2D, [5])
            $0.notify(0x2D, [6])
            $0.send([0x52, 0x30, 0x00, 0xAA])
        }
        let made = try imported(builder)
        let profile = try profile(made)
        #expect(profile.services.count == 1)
        let characteristics = profile.services[0].characteristics
        #expect(characteristics.map(\.properties) == [.read, .notify, .writeWithoutResponse])
        #expect(characteristics[0].initialValue == [1, 2, 3])
        #expect(characteristics[1].uuid.hasPrefix("F1B0002D-"))
        let text = made.profile.lines.joined(separator: "\n")
        #expect(text.contains("# Handle 0x002A; fill in the UUID."))
        #expect(
            made.report.guessed.contains {
                $0.text == "0x002E is the Client Characteristic Configuration of the attribute 0x002D"
            })
    }

    @Test func `long values are read in parts, and written in parts`() throws {
        let long = (0..<50).map { UInt8($0) }
        let builder = builder {
            $0.discover()
            $0.send([0x0A, 0x15, 0x00])
            $0.receive([0x0B] + long[..<22])
            $0.send([0x0C, 0x15, 0x00, 22, 0])
            $0.receive([0x0D] + long[22..<44])
            $0.send([0x0C, 0x15, 0x00, 44, 0])
            $0.receive([0x0D] + long[44...])
            for part in [0..<18, 18..<36, 36..<50] {
                let prepared = [0x22, 0x00] + little(part.lowerBound, 2) + long[part]
                $0.send([0x16] + prepared)
                $0.receive([0x17] + prepared)
            }
            $0.send([0x18, 1])
            $0.receive([0x19])
        }
        let made = try imported(builder)
        #expect(try profile(made).services[0].characteristics[1].initialValue == long)
        let hex = long.map { String($0, radix: 16) }.map { $0.count == 1 ? "0" + $0 : $0 }.joined()
        #expect(
            try scenario(made).contains {
                $0.contains("occasion: written, on: 6E400002-B5A3-F393-E0A9-E50E24DCCA9E, value: hex:\(hex)")
            })
    }

    @Test func `several values read at once`() throws {
        let builder = builder {
            $0.discover()
            $0.send([0x20, 0x15, 0x00, 0x12, 0x00])
            $0.receive([0x21, 2, 0, 7, 8, 1, 0, 9])
        }
        #expect(try profile(imported(builder)).services[0].characteristics[1].initialValue == [7, 8])
    }

    /// What is said on an enhanced bearer, with these channels of the phone and the device.
    private func discover(_ builder: inout CaptureBuilder, _ phone: Int, _ device: Int) {
        for (request, response) in [
            ([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28], [0x11, 6, 0x10, 0x00, 0x1F, 0x00, 0x09, 0x18]),
            ([0x08, 0x10, 0x00, 0x1F, 0x00, 0x03, 0x28], [0x09, 7, 0x14, 0x00, 0x02, 0x15, 0x00, 0x1D, 0x2A]),
            ([0x0A, 0x15, 0x00], [0x0B, 4]),
        ] as [([UInt8], [UInt8])] {
            builder.l2cap(device, little(request.count, 2) + request, isFromPhone: true)
            builder.l2cap(phone, little(response.count, 2) + response, isFromPhone: false)
        }
    }

    private func expectThermometer(_ builder: CaptureBuilder) throws {
        let service = try profile(imported(builder)).services[0]
        #expect(service.uuid == "1809" && service.characteristics[0].initialValue == [4])
    }

    @Test func `an enhanced bearer is read as the fixed channel is`() throws {
        try expectThermometer(
            builder {
                // Credit-based connection request and response for PSM 0x0027.
                $0.l2cap(5, [0x17, 1, 10, 0, 0x27, 0, 64, 0, 64, 0, 5, 0, 0x40, 0], isFromPhone: true)
                $0.l2cap(5, [0x18, 1, 10, 0, 64, 0, 64, 0, 5, 0, 0, 0, 0x50, 0], isFromPhone: false)
                discover(&$0, 0x40, 0x50)
            })
    }

    @Test func `enhanced bearers that both sides ask for with the same number are told apart`() throws {
        try expectThermometer(
            builder {
                $0.l2cap(5, [0x17, 1, 10, 0, 0x27, 0, 64, 0, 64, 0, 5, 0, 0x40, 0], isFromPhone: true)
                $0.l2cap(5, [0x17, 1, 10, 0, 0x27, 0, 64, 0, 64, 0, 5, 0, 0x51, 0], isFromPhone: false)
                $0.l2cap(5, [0x18, 1, 10, 0, 64, 0, 64, 0, 5, 0, 0, 0, 0x41, 0], isFromPhone: true)
                $0.l2cap(5, [0x18, 1, 10, 0, 64, 0, 64, 0, 5, 0, 0, 0, 0x50, 0], isFromPhone: false)
                discover(&$0, 0x40, 0x50)
            })
    }

    @Test func `the end of an enhanced bearer does not end another, whatever identifier a host confuses`() throws {
        try expectThermometer(
            builder {
                $0.l2cap(5, [0x17, 1, 12, 0, 0x27, 0, 64, 0, 64, 0, 5, 0, 0x41, 0, 0x40, 0], isFromPhone: true)
                $0.l2cap(5, [0x18, 1, 12, 0, 64, 0, 64, 0, 5, 0, 0, 0, 0x40, 0, 0x41, 0], isFromPhone: false)
                // The device ends the second one, and Linux's response has the first one's identifier.
                $0.l2cap(5, [0x06, 7, 4, 0, 0x40, 0, 0x41, 0], isFromPhone: false)
                $0.l2cap(5, [0x07, 7, 4, 0, 0x40, 0, 0x40, 0], isFromPhone: true)
                discover(&$0, 0x41, 0x40)
            })
    }

    @Test func `what is refused before pairing needs pairing`() throws {
        let builder = builder {
            $0.discover()
            $0.refuse([0x0A, 0x15, 0x00], 0x05)
            $0.refuse([0x12, 0x13, 0x00, 2, 0], 0x0F)
            $0.encrypt()
            $0.read(0x15, [3])
            $0.write(0x13, [2, 0])
        }
        let made = try imported(builder)
        let characteristics = try profile(made).services[0].characteristics
        #expect(characteristics[1].encryption == .read && characteristics[1].initialValue == [3])
        #expect(characteristics[0].encryption == .notify)
    }

    @Test func `what was used on encrypted links alone may need pairing, and the file says so`() throws {
        let sentence =
            "# Not known: whether 1 characteristic may need pairing: used only on links that are or may be encrypted."
        func lines(_ body: (inout CaptureBuilder) -> Void) throws -> [String] {
            try imported(
                builder {
                    $0.discover()
                    body(&$0)
                    $0.encrypt()
                    $0.read(0x15, [3])
                }
            ).profile.lines
        }
        #expect(try lines { _ in }.contains(sentence))
        #expect(try !lines { $0.read(0x15, [3]) }.contains(sentence))
        #expect(try !lines { $0.refuse([0x0A, 0x15, 0x00], 0x05) }.contains(sentence))
    }

    @Test func `a link that begins before the capture is understood`() throws {
        var builder = CaptureBuilder()
        builder.discover()
        builder.read(0x15, [5])
        let made = try imported(builder)
        #expect(made.identity == "unknown-1")
        #expect(try profile(made).services[0].characteristics[1].initialValue == [5])
    }
}
