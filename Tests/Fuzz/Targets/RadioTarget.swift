import TestSupport
import VirtualRadio

extension FuzzTarget {
    /// Packets of two hosts for their controllers, beside a third one that must not notice.
    static let radio = FuzzTarget(name: "radio", weight: 20, generate: Hosts.generate, run: Hosts.run)
}

private enum Hosts {
    /// A byte for the kind of air, and for each packet: its host, milliseconds until it, its length and its content.
    static func generate(_ dice: inout Dice) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(dice.below(2))]
        for _ in 0..<dice.below(40) {
            let packet = packet(&dice)
            bytes += [UInt8(dice.below(2)), UInt8(dice.below(100)), UInt8(packet.count)] + packet
        }
        return bytes
    }

    private static func packet(_ dice: inout Dice) -> [UInt8] {
        if dice.happens(10) { return dice.bytes(dice.below(200)) }
        let opcode = dice.happens(90) ? 0x2000 + dice.below(0x50) : dice.pick([0x0406, 0x0C01, 0x0C03, 0x1405, 0x041D])
        var parameters = dice.bytes(dice.below(40))
        // Small numbers mean something more often.
        for index in parameters.indices where dice.happens(80) { parameters[index] %= 4 }
        return [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters
    }

    static func run(_ bytes: [UInt8]) throws {
        let radio = Radio(seed: 1, air: bytes.first == 1 ? .real : .ideal)
        let output = Output()
        for (number, kind) in [ControllerKind.v4_2, .v5_3, .v5_3].enumerated() {
            _ = radio.add(kind, address: DeviceAddress((0, 0, 0, 0, 0, UInt8(number)))) { packet in
                let isWhole = packet.count > 2 && (packet[0] == 2 || packet.count == 3 + Int(packet[2]))
                if !isWhole || number == 2 { output.isWrong = true }
            }
        }
        var rest = bytes.dropFirst()
        while rest.count >= 3 {
            let header = Array(rest.prefix(3))
            let packet = Array(rest.dropFirst(3).prefix(Int(header[2])))
            rest = rest.dropFirst(3 + packet.count)
            radio.advance(to: radio.now + Int(header[1]) * Span.millisecond)
            packet.withUnsafeBytes { radio.receive($0, from: Int(header[0])) }
        }
        radio.advance(to: radio.now + Span.second)
        try expect(!output.isWrong, "a packet that is none, or is for nobody")
    }

    private final class Output {
        var isWrong = false
    }
}
