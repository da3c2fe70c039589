package import PlainText

/// The answer to a ``ControlRequest``: one JSON object on a line, with `ok`, with `error` if that is false, and with
/// the command's results.
public struct ControlReply: Codable, Hashable, Swift.Sendable {
    /// Whether the command was carried out.
    public var ok: Bool
    /// Why not.
    public var error: String?
    /// version, events: the version of the protocol, ``ControlRequest/protocolVersion``.
    public var protocolVersion: Int?
    /// chirp, send: how many centrals have subscribed.
    public var subscribers: Int?
    /// burst: how many notifications were handed over for sending.
    public var sent: Int?
    /// burst: how often it had to wait for room.
    public var waits: Int?
    /// burst: how long it took, in seconds.
    public var seconds: Double?
    /// disconnect: the addresses of the centrals.
    public var disconnected: [String]?
    /// status: the status.
    public var status: PeripheralStatus?
    /// characteristics: all of the profile, in its order.
    package var characteristics: [CharacteristicStatus]?
    /// signal: the centrals whose signal is known.
    package var signals: [CentralSignal]?

    /// peripherals: those that run.
    public var peripherals: [Peripheral]?

    /// One of the peripherals of a process.
    public struct Peripheral: Codable, Hashable, Swift.Sendable {
        /// What requests name it by.
        public var id: String
        /// The controller's name; nil until it is known.
        public var adapter: String?
        /// The name that it advertises.
        public var name: String
        /// The name of its profile.
        public var profile: String
    }

    private enum CodingKeys: String, CodingKey {
        case ok, error, subscribers, sent, waits, seconds, disconnected, status, peripherals, characteristics, signals
        case protocolVersion = "protocol"
    }

    /// The answer to `version`, and to `events` when they follow.
    static var version: ControlReply {
        var reply = ControlReply()
        reply.protocolVersion = ControlRequest.protocolVersion
        return reply
    }

    /// A plain success.
    package init() {
        ok = true
    }

    /// A failure.
    package init(error: String) {
        ok = false
        self.error = error
    }

    /// The line, without its end.
    package var line: String { json.text }

    /// The object.
    package var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.ok, ok)
        object.add(CodingKeys.error, error)
        object.add(CodingKeys.protocolVersion, protocolVersion)
        object.add(CodingKeys.subscribers, subscribers)
        object.add(CodingKeys.sent, sent)
        object.add(CodingKeys.waits, waits)
        object.add(CodingKeys.seconds, seconds, places: 6)
        object.add(CodingKeys.disconnected, disconnected)
        object.add(CodingKeys.status, status?.json)
        object.add(CodingKeys.peripherals, peripherals?.map(\.json))
        object.add(CodingKeys.characteristics, characteristics?.map(\.json))
        object.add(CodingKeys.signals, signals?.map(\.json))
        return object
    }
}

extension ControlReply.Peripheral {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.id, id)
        object.add(CodingKeys.adapter, adapter)
        object.add(CodingKeys.name, name)
        object.add(CodingKeys.profile, profile)
        return object
    }

    /// One line for people.
    package var text: String {
        let place = adapter == id ? "" : adapter.map { " on \($0)" } ?? ""
        return "\(id)\(place) \(name) (profile \(profile))"
    }
}
