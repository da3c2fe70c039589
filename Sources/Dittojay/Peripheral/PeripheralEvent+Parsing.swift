import Foundation
import GATTProfiles
import LineOutput
import PlainText

extension PeripheralEvent {
    private struct Members: Decodable {
        var time: String
        var event: String
        var peripheral: String?
        var central: String?
        var mtu: Int?
        var service: String?
        var characteristic: String?
        var channel: String?
        var psm: Int?
        var received: Int?
        var sent: Int?
        var value: String?
        var original: String?
        var passkey: String?
        var attError: Int?
        var device: String?
        var deviceSeconds: Double?
        var message: String?
        var profile: String?
        var seed: UInt64?
        var socket: String?
        var lines: Int?
    }

    /// Parses a line of the stream of events; nil if it is not an event of a kind that this version knows.
    public init?(line: some Sequence<UInt8>) {
        guard let members = try? JSONDecoder().decode(Members.self, from: Data(line)) else { return nil }
        self.init(members)
    }

    private init?(_ members: Members) {
        guard let kind = Kind(rawValue: members.event), let time = Timestamp(utc: members.time) else { return nil }
        self.init(kind, time: time)
        peripheral = members.peripheral
        central = members.central.map { Central(address: $0, mtu: members.mtu) }
        service = members.service
        characteristic = members.characteristic
        channel = members.channel
        psm = members.psm
        received = members.received
        sent = members.sent
        do {
            value = try members.value.map(Self.bytes)
            original = try members.original.map(Self.bytes)
        } catch {
            return nil
        }
        device = members.device
        deviceSeconds = members.deviceSeconds
        passkey = members.passkey
        attError = members.attError
        message = members.message
        profile = members.profile
        seed = members.seed
        socket = members.socket
    }

    private static func bytes(_ hex: String) throws -> Data { Data(try ValueText.parse("hex:" + hex, bare: .text)) }

    /// A line of the stream of events, for people; nil if it is of a kind that this version does not know.
    package static func text(ofLine line: some Sequence<UInt8>) -> String? {
        guard let members = try? JSONDecoder().decode(Members.self, from: Data(line)) else { return nil }
        if members.event == droppedKind, let time = Timestamp(utc: members.time), let count = members.lines {
            return "\(time.timeOfDay) dropped \(counted(count, "event")) that nobody read in time"
        }
        return PeripheralEvent(members)?.text
    }
}
