import Testing

@testable import VirtualRadio

/// A host with a controller: it sends commands and keeps what comes back.
final class TestHost {
    let radio: Radio
    let address: DeviceAddress
    private let inbox = Inbox()
    let index: Int

    private final class Inbox {
        var packets: [[UInt8]] = []
    }

    init(_ radio: Radio, _ kind: ControllerKind = .v5_3, number: UInt8 = 0) {
        self.radio = radio
        address = DeviceAddress((0x00, 0xAA, 0x01, number, 0x00, number))
        index = radio.add(kind, address: address) { [inbox] in inbox.packets.append(Array($0)) }
    }

    /// What has come since the last call, without the type of the packets.
    func take() -> [[UInt8]] {
        defer { inbox.packets = [] }
        return inbox.packets.map { Array($0.dropFirst()) }
    }

    func send(_ packet: [UInt8]) {
        packet.withUnsafeBytes { radio.receive($0, from: index) }
    }

    /// Sends a command and returns what came at once.
    @discardableResult
    func command(_ opcode: Int, _ parameters: [UInt8] = []) -> [[UInt8]] {
        send([0x01, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters)
        return take()
    }

    /// Sends a command that Command Complete answers, and returns its status and its return parameters.
    @discardableResult
    func result(_ opcode: Int, _ parameters: [UInt8] = [], _ location: SourceLocation = #_sourceLocation) -> [UInt8] {
        let events = command(opcode, parameters)
        guard let event = events.first(where: { $0[0] == 0x0E && $0.count >= 6 && number($0, 3) == opcode }) else {
            Issue.record("no Command Complete but \(events)", sourceLocation: location)
            return []
        }
        return Array(event[5...])
    }

    /// Sends a command that Command Status answers, and returns the status.
    @discardableResult
    func status(_ opcode: Int, _ parameters: [UInt8] = [], _ location: SourceLocation = #_sourceLocation) -> UInt8 {
        let events = command(opcode, parameters)
        guard let event = events.first(where: { $0[0] == 0x0F && $0.count == 6 && number($0, 4) == opcode }) else {
            Issue.record("no Command Status but \(events)", sourceLocation: location)
            return 0xFF
        }
        return event[2]
    }

    /// As Linux does: every event that these tests are about.
    func wantAllEvents() {
        result(0x0C01, [UInt8](repeating: 0xFF, count: 8))
        result(0x2001, [UInt8](repeating: 0xFF, count: 8))
    }
}

func number(_ bytes: [UInt8], _ place: Int) -> Int {
    Int(bytes[place]) | Int(bytes[place + 1]) << 8
}
