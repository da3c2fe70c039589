public import Foundation
import GATTProfiles
import PlainText

/// Something that has happened to a ``Sensor``. `docs/control-protocol.md` lists the kinds, and which of these members
/// each has.
public struct SensorEvent: Swift.Sendable, CustomStringConvertible {
    /// What has happened, by its name in the protocol.
    public enum Kind: String, CaseIterable, Swift.Sendable {
        case started, advertising
        case advertisingStopped = "advertising-stopped"
        case state, connected, disconnected
        case passkeyDisplayed = "passkey-displayed"
        case passkeyRequested = "passkey-requested"
        case comparisonRequested = "comparison-requested"
        case paired
        case pairingFailed = "pairing-failed"
        case subscribed, unsubscribed, read, written, notified, chirped, sent, set, fault, scenario, recording
        case serviceAdded = "service-added"
        case serviceRemoved = "service-removed"
        case channelOffered = "channel-offered"
        case channelOpened = "channel-opened"
        case channelClosed = "channel-closed"
        case deviceConnected = "device-connected"
        case deviceDisconnected = "device-disconnected"
        case failed, ended, dropped
    }

    /// What has happened; nil if this library does not know it.
    public let kind: Kind?
    /// The event as dittojay has written it, in JSON.
    public let description: String
    private let members: DataNode

    /// The event of a line of dittojay's output; nil if the line is not an event.
    init?(line: String) {
        guard line.hasPrefix("{"), let members = try? JSONReader.read(line.utf8), let name = members["event"]?.text
        else { return nil }
        kind = Kind(rawValue: name)
        description = line
        self.members = members
    }

    /// Any member, as text, by its name in the protocol: `event["event"]` is the name of an unknown kind, too. Nil if
    /// the event does not have it.
    public subscript(name: String) -> String? { members[name]?.text }

    /// When.
    public var time: Date? {
        self["time"].flatMap { try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse($0) }
    }

    /// The peripheral, if several were started together: its controller's name.
    public var peripheral: String? { self["peripheral"] }
    /// The address of the central that did it, or that it happened to.
    public var central: String? { self["central"] }
    /// The central's ATT MTU, in bytes.
    public var mtu: Int? { integer("mtu") }
    /// The service's name in the profile.
    public var service: String? { self["service"] }
    /// The characteristic's name in the profile.
    public var characteristic: String? { self["characteristic"] }
    /// What was read, written or sent.
    public var value: Data? { bytes("value") }
    /// What the other side had sent, where a proxy has replaced it by ``value``.
    public var original: Data? { bytes("original") }
    /// The ATT error that a request was refused with.
    public var attError: Int? { integer("attError") }
    /// Why a connection has ended, such as `timeout`, where the system says it.
    public var reason: String? { self["reason"] }
    /// More, for people.
    public var message: String? { self["message"] }
    /// The six digits of a pairing.
    public var passkey: String? { self["passkey"] }
    /// The L2CAP channel's name in the profile.
    public var channel: String? { self["channel"] }
    /// The L2CAP channel's number.
    public var psm: Int? { integer("psm") }
    /// How many bytes have come on an L2CAP channel.
    public var received: Int? { integer("received") }
    /// How many bytes were sent on an L2CAP channel.
    public var sent: Int? { integer("sent") }
    /// The address of a proxy's device.
    public var device: String? { self["device"] }
    /// How long a proxy's device took to answer, in seconds.
    public var deviceSeconds: Double? { self["deviceSeconds"].flatMap { Double($0) } }
    /// The profile's name.
    public var profile: String? { self["profile"] }
    /// The seed that repeats the run.
    public var seed: UInt64? { self["seed"].flatMap { UInt64($0) } }
    /// The path of the control socket.
    public var socket: String? { self["socket"] }
    /// How many events are missing.
    public var lines: Int? { integer("lines") }

    private func integer(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

    private func bytes(_ name: String) -> Data? { self[name].flatMap { try? Data(ValueText.parseHex($0)) } }
}
