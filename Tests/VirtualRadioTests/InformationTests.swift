import CryptographicToolbox
import Testing

@testable import VirtualRadio

@Suite struct InformationTests {
    private let radio = Radio(seed: 1)

    @Test(arguments: [ControllerKind.v4_2, .v5_3])
    func `each command of Linux's initialization succeeds`(kind: ControllerKind) {
        let host = TestHost(radio, kind)
        for opcode in [0x0C03, 0x1001, 0x1002, 0x1003, 0x1009, 0x2002, 0x2003, 0x201C] {
            #expect(host.result(opcode).first == 0, "\(String(opcode, radix: 16))")
        }
        for opcode in [0x0C01, 0x2001] {
            #expect(host.result(opcode, [UInt8](repeating: 0xFF, count: 8)) == [0])
        }
    }

    @Test func `a controller is an LE controller of its version`() {
        let old = TestHost(radio, .v4_2)
        let new = TestHost(radio, .v5_3)
        #expect(old.result(0x1001) == [0, 0x08, 1, 0, 0x08, 0xFF, 0xFF, 1, 0])
        #expect(new.result(0x1001) == [0, 0x0C, 1, 0, 0x0C, 0xFF, 0xFF, 1, 0])
        #expect(new.result(0x1003) == [0, 0, 0, 0, 0, 0x60, 0, 0, 0])
        #expect(old.result(0x2003) == [0, 0xEB, 0, 0, 0, 0, 0, 0, 0])
        #expect(new.result(0x2003) == [0, 0xEB, 0x59, 0, 0, 0, 0, 0, 0])
    }

    @Test func `the address is read with its last byte first`() {
        let host = TestHost(radio, number: 7)
        #expect(host.result(0x1009) == [0, 0x07, 0x00, 0x07, 0x01, 0xAA, 0x00])
        #expect(host.address.description == "00:AA:01:07:00:07")
    }

    @Test func `the supported commands are those that are answered`() {
        for kind in [ControllerKind.v4_2, .v5_3] {
            let host = TestHost(radio, kind)
            let octets = Array(host.result(0x1002).dropFirst())
            #expect(octets.count == 64)
            for command in Command.all.values {
                let isSupported = octets[command.supported.octet] >> UInt8(command.supported.bit) & 1 == 1
                let isKnown =
                    host.command(command.opcode, [UInt8](repeating: 0, count: 255)) != [unknown(command.opcode)]
                #expect(isSupported == isKnown, "\(String(command.opcode, radix: 16))")
            }
            let bits = Command.all.values.map { $0.supported.octet * 8 + $0.supported.bit }
            #expect(Set(bits).count == bits.count)
        }
    }

    private func unknown(_ opcode: Int) -> [UInt8] {
        [0x0F, 4, 0x01, 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)]
    }

    @Test func `a command that the controller does not know is refused as such`() {
        let host = TestHost(radio, .v4_2)
        #expect(host.command(0xFC01, [1, 2, 3]) == [unknown(0xFC01)])
        #expect(host.command(0x204B) == [unknown(0x204B)])
    }

    @Test func `parameters of a wrong length are invalid`() {
        let host = TestHost(radio)
        #expect(host.result(0x2005, [1, 2, 3]) == [0x12])
        #expect(host.result(0x0C03, [1]) == [0x12])
        host.send([0x01, 0x05, 0x20, 6, 1, 2])
        #expect(host.take() == [[0x0E, 4, 1, 0x05, 0x20, 0x12]])
    }

    @Test func `what is not a packet has no effect`() {
        let host = TestHost(radio)
        for packet: [UInt8] in [[], [1], [1, 3], [1, 3, 0x0C], [2, 0], [3, 1, 2, 3], [4, 0x0E, 0], [0xFF, 0]] {
            host.send(packet)
        }
        [UInt8]([1, 3, 0x0C, 0]).withUnsafeBytes { radio.receive($0, from: 99) }
        #expect(host.take() == [])
    }

    @Test func `LE Encrypt has the cipher of FIPS 197 with all bytes reversed`() {
        let key = (0..<16).map { UInt8($0) }
        let text = (0..<16).map { UInt8($0 * 0x11) }
        let cipher: [UInt8] = [
            0x69, 0xC4, 0xE0, 0xD8, 0x6A, 0x7B, 0x04, 0x30, 0xD8, 0xCD, 0xB7, 0x80, 0x70, 0xB4, 0xC5, 0x5A,
        ]
        #expect(AES128(key: key).encrypt(text) == cipher)
        let host = TestHost(radio)
        #expect(host.result(0x2017, key.reversed() + text.reversed()) == [0] + cipher.reversed())
    }

    @Test func `random numbers follow from the seed`() {
        let first = TestHost(Radio(seed: 5))
        let second = TestHost(Radio(seed: 5))
        let other = TestHost(Radio(seed: 6))
        let numbers = (0..<4).map { _ in first.result(0x2018) }
        #expect(numbers == (0..<4).map { _ in second.result(0x2018) })
        #expect(numbers != (0..<4).map { _ in other.result(0x2018) })
        #expect(Set(numbers).count == 4)
    }
}
