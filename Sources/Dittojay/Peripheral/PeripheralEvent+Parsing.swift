import Foundation
import GATTProfiles
import LineOutput
import PlainText

extension PeripheralEvent {
    /// Parses a line of the stream of events; nil if it is not an event of a kind that this version knows.
    public init?(line: some Sequence<UInt8>) {
        guard case .event(let event) = EventLine(line) else { return nil }
        self = event
    }

    /// A line of the stream of events, for people; nil if it is of a kind that this version does not know.
    package static func text(ofLine line: some Sequence<UInt8>) -> String? {
        switch EventLine(line) {
        case .event(let event): event.text
        case .dropped(let count, let time):
            "\(time.timeOfDay) dropped \(counted(count, "event")) that nobody read in time"
        case nil: nil
        }
    }
}

/// A line of the stream of events: an event, or how many are missing.
private enum EventLine: Decodable {
    case event(PeripheralEvent)
    case dropped(Int, Timestamp)

    init?(_ line: some Sequence<UInt8>) {
        guard let parsed = try? JSONDecoder().decode(EventLine.self, from: Data(line)) else { return nil }
        self = parsed
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: PeripheralEvent.Key.self)
        let kind = try members.decode(String.self, forKey: .event)
        let time = try members.value(.time, Timestamp.init(utc:))
        if kind == PeripheralEvent.droppedKind {
            self = .dropped(try members.decode(Int.self, forKey: .lines), time)
            return
        }
        var event = PeripheralEvent(try members.value(.event, PeripheralEvent.Kind.init(rawValue:)), time: time)
        event.peripheral = try members.decodeIfPresent(String.self, forKey: .peripheral)
        let mtu = try members.decodeIfPresent(Int.self, forKey: .mtu)
        event.central = try members.decodeIfPresent(String.self, forKey: .central).map {
            PeripheralEvent.Central(address: $0, mtu: mtu)
        }
        event.service = try members.decodeIfPresent(String.self, forKey: .service)
        event.characteristic = try members.decodeIfPresent(String.self, forKey: .characteristic)
        event.channel = try members.decodeIfPresent(String.self, forKey: .channel)
        event.psm = try members.decodeIfPresent(Int.self, forKey: .psm)
        event.received = try members.decodeIfPresent(Int.self, forKey: .received)
        event.sent = try members.decodeIfPresent(Int.self, forKey: .sent)
        event.value = try members.bytes(.value)
        event.original = try members.bytes(.original)
        event.passkey = try members.decodeIfPresent(String.self, forKey: .passkey)
        event.attError = try members.decodeIfPresent(Int.self, forKey: .attError)
        event.device = try members.decodeIfPresent(String.self, forKey: .device)
        event.deviceSeconds = try members.decodeIfPresent(Double.self, forKey: .deviceSeconds)
        event.reason = try members.decodeIfPresent(String.self, forKey: .reason)
        event.message = try members.decodeIfPresent(String.self, forKey: .message)
        event.profile = try members.decodeIfPresent(String.self, forKey: .profile)
        event.seed = try members.decodeIfPresent(UInt64.self, forKey: .seed)
        event.socket = try members.decodeIfPresent(String.self, forKey: .socket)
        self = .event(event)
    }
}

extension KeyedDecodingContainer<PeripheralEvent.Key> {
    /// What a text stands for.
    fileprivate func value<Value>(_ key: Key, _ parse: (String) -> Value?) throws -> Value {
        let text = try decode(String.self, forKey: key)
        guard let value = parse(text) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "unknown: \(text)")
        }
        return value
    }

    /// The bytes of hexadecimal digits.
    fileprivate func bytes(_ key: Key) throws -> Data? {
        try decodeIfPresent(String.self, forKey: key).map { Data(try ValueText.parseHex($0)) }
    }
}
