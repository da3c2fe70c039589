public import CoreBluetooth
import GATTProfiles
package import LineOutput
package import PlainText

/// An event of a virtual peripheral, to be shown to its user.
public struct PeripheralEvent: Hashable, Swift.Sendable {
    /// What has happened.
    public enum Kind: String, CaseIterable, Swift.Sendable {
        /// The peripheral was started, and is about to use Bluetooth.
        case started
        /// The peripheral is advertising.
        case advertising
        /// The peripheral has stopped advertising, by command.
        case advertisingStopped = "advertising-stopped"
        /// The state of Bluetooth has changed.
        case state
        /// A central has connected.
        case connected
        /// A central's connection has ended.
        case disconnected
        /// A central has paired.
        case paired
        /// A central pairs, and these six digits are to be entered there.
        case passkeyDisplayed = "passkey-displayed"
        /// A central pairs, and the six digits that it shows are to be entered here.
        case passkeyRequested = "passkey-requested"
        /// A central pairs, and its user and this one are to confirm that it shows these six digits, too.
        case comparisonRequested = "comparison-requested"
        /// Pairing with a central has failed, or the central has lost the keys of its pairing.
        case pairingFailed = "pairing-failed"
        /// A central has turned notifications or indications on.
        case subscribed
        /// A central has turned notifications or indications off, or has disconnected.
        case unsubscribed
        /// A central has read a characteristic.
        case read
        /// A central has written a characteristic.
        case written
        /// The proxied device has sent a value, which was passed on to the subscribers.
        case notified
        /// A chirp was sent to its subscribers.
        case chirped
        /// A value was sent to the subscribers of a characteristic, by a command or by a step of a scenario.
        case sent
        /// A command has changed the value that reads of a characteristic give.
        case set
        /// A fault was injected.
        case fault
        /// A scenario has ended.
        case scenario
        /// The recording of the profile has begun to be sent, or its last value was sent.
        case recording
        /// A service was published.
        case serviceAdded = "service-added"
        /// A service was withdrawn.
        case serviceRemoved = "service-removed"
        /// An L2CAP channel can be opened.
        case channelOffered = "channel-offered"
        /// A central has opened an L2CAP channel.
        case channelOpened = "channel-opened"
        /// An L2CAP channel was closed, or has ended with its link.
        case channelClosed = "channel-closed"
        /// A proxy has connected to its device.
        case deviceConnected = "device-connected"
        /// A proxy has lost the link to its device, and is connecting again.
        case deviceDisconnected = "device-disconnected"
        /// Something failed.
        case failed
        /// One of several peripherals of a process has ended.
        case ended
    }

    /// What is known of a central.
    public struct Central: Hashable, Swift.Sendable {
        /// The address as `AA:BB:CC:DD:EE:FF`.
        public var address: String
        /// The ATT MTU in bytes; nil until the central's first request or subscription.
        public var mtu: Int?

        public init(address: String, mtu: Int? = nil) {
            self.address = address
            self.mtu = mtu
        }
    }

    public var kind: Kind
    package var time: Timestamp
    /// The id of the peripheral that it has happened to; nil if the process was started with one only.
    public var peripheral: String?
    /// The central that the event is about, if it is about one.
    public var central: Central?
    /// The service's name in the profile.
    public var service: String?
    /// The characteristic's name in the profile.
    public var characteristic: String?
    /// The L2CAP channel's name in the profile.
    public var channel: String?
    /// The number (PSM) of the L2CAP channel.
    public var psm: Int?
    /// How many bytes have come on the L2CAP channel that was closed.
    public var received: Int?
    /// How many bytes were sent on it.
    public var sent: Int?
    /// The bytes that were read, written or sent.
    public var value: Data?
    /// What the other side had sent, where a proxy has put ``value`` in its place.
    public var original: Data?
    /// How long the device behind a proxy took to answer, in seconds.
    public var deviceSeconds: Double?
    /// The address of the device behind a proxy.
    public var device: String?
    /// The six digits of a passkey, or of a numeric comparison.
    public var passkey: String?
    /// The ATT error that a request was refused with.
    public var attError: Int?
    /// Why a central's connection has ended: `timeout` (nothing was heard of it), `remote` (it ended the connection),
    /// `local` (this machine did), `authentication` (it could not be encrypted), `suspend`, or `unknown` (something
    /// else); nil where the system does not say.
    public var reason: String?
    /// More about the event, for people.
    public var message: String?
    /// With `started`: the profile's name.
    public var profile: String?
    /// With `started`: the seed to replay the run with.
    public var seed: UInt64?
    /// With `started`: the path of the control socket.
    public var socket: String?

    package init(_ kind: Kind, time: Timestamp = .now) {
        self.kind = kind
        self.time = time
    }
}

extension PeripheralEvent.Kind {
    /// Whether text names the central first.
    var isAboutPairing: Bool {
        switch self {
        case .paired, .passkeyDisplayed, .passkeyRequested, .comparisonRequested, .pairingFailed: true
        default: false
        }
    }
}

extension PeripheralEvent {
    /// One line for people.
    public var text: String { time.timeOfDay + " " + (peripheral.map { $0 + " " } ?? "") + textWithoutTime }

    /// The same without its time of day and the peripheral.
    var textWithoutTime: String {
        var line = kind.rawValue
        if kind.isAboutPairing, let central { line += " \(central.address)" }
        if let passkey { line += " \(passkey)" }
        if let device { line += " \(device)" }
        if let characteristic { line += " \(characteristic)" } else if let service { line += " \(service)" }
        if let channel { line += " \(channel)" }
        if let psm { line += " PSM \(psm)" }
        if let received, let sent { line += ", received \(counted(received, "byte")), sent \(counted(sent, "byte"))" }
        if let value { line += value.isEmpty ? " (empty)" : " " + readable(value) }
        if let original { line += " in place of " + (original.isEmpty ? "(empty)" : readable(original)) }
        if let attError { line += ": refused with ATT error \(hexadecimal(attError))" }
        if let message { line += ": \(message)" }
        if let profile { line += ": profile \(profile)" }
        if let seed { line += ", seed \(seed)" }
        if let socket { line += ", commands at \(socket)" }
        if !kind.isAboutPairing, let central {
            line += kind == .connected || kind == .disconnected ? " \(central.address)" : " by \(central.address)"
            if let mtu = central.mtu { line += " (MTU \(mtu))" }
        }
        if let reason { line += ", reason: \(reason)" }
        if let deviceSeconds { line += ", device took \(fixedPoint(deviceSeconds * 1000, places: 1)) ms" }
        return line
    }

    /// The names of members in JSON.
    enum Key: String, CodingKey {
        case time, event, peripheral, central, mtu, service, characteristic, channel, psm, received, sent
        case value, original, passkey, attError, device, deviceSeconds, reason, message, profile, seed, socket
        /// Of a record.
        case direction
        /// Of ``notice(ofDropped:)``.
        case lines
    }

    /// The same for programs.
    package var json: JSONObject {
        var object = JSONObject()
        object.add(Key.time, time.utc)
        object.add(Key.event, kind.rawValue)
        object.add(Key.peripheral, peripheral)
        object.add(Key.central, central?.address)
        object.add(Key.mtu, central?.mtu)
        object.add(Key.service, service)
        object.add(Key.characteristic, characteristic)
        object.add(Key.channel, channel)
        object.add(Key.psm, psm)
        object.add(Key.received, received)
        object.add(Key.sent, sent)
        object.add(Key.value, value.map { ValueText.hex($0) })
        object.add(Key.original, original.map { ValueText.hex($0) })
        object.add(Key.passkey, passkey)
        object.add(Key.attError, attError)
        object.add(Key.device, device)
        object.add(Key.deviceSeconds, deviceSeconds, places: 6)
        object.add(Key.reason, reason)
        object.add(Key.message, message)
        object.add(Key.profile, profile)
        object.add(Key.seed, seed)
        object.add(Key.socket, socket)
        return object
    }

    /// The same for a record, which says which way the event's value, or its request, went.
    package var recordJSON: JSONObject {
        var object = json
        switch kind {
        case .read, .written, .subscribed, .unsubscribed: object.add(Key.direction, "to-device")
        case .notified: object.add(Key.direction, "from-device")
        default: break
        }
        return object
    }

    /// The line, for programs, in place of events that were not read in time.
    package static func notice(ofDropped count: Int) -> JSONObject {
        var object = JSONObject()
        object.add(Key.time, Timestamp.now.utc)
        object.add(Key.event, droppedKind)
        object.add(Key.lines, count)
        return object
    }

    /// The kind of ``notice(ofDropped:)``, which is not an event of the peripheral.
    static let droppedKind: String = "dropped"

    private func hexadecimal(_ code: Int) -> String {
        let digits = String(code, radix: 16, uppercase: true)
        return "0x" + (digits.utf8.count == 1 ? "0" : "") + digits
    }

    /// Hexadecimal digits, and the text if it is one; long values shortened.
    private func readable(_ value: Data) -> String {
        let limit = 32
        let hex = ValueText.hex(value.prefix(limit)) + (value.count > limit ? "… (\(value.count) bytes)" : "")
        // A single byte is usually a number.
        guard value.count > 1, let text = ValueText.printable(value) else { return hex }
        return hex + " \"\(text.prefix(limit))\(text.count > limit ? "…" : "")\""
    }
}
