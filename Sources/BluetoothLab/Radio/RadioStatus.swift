import Foundation

/// Device positions and links.
public struct RadioStatus: Swift.Sendable {
    /// A controller.
    public struct Device: Swift.Sendable {
        /// That of the scene, otherwise `hci0`, `hci1`, …
        public let name: String
        /// Its public address.
        public let address: String
        /// Where it is, in metres.
        public let x, y: Double
        /// What weakens all that it sends and receives, in dB.
        public let body: Double
        /// Whether it advertises.
        public let advertises: Bool
        /// The addresses that it advertises with now. A private one changes from time to time.
        public let advertisedAddresses: [String]
        /// Whether it scans.
        public let scans: Bool
    }

    /// A connection.
    public struct Link: Swift.Sendable {
        /// The name of the central.
        public let central: String
        /// The name of the peripheral.
        public let peripheral: String
        /// How strongly its ends hear each other on average, in dBm.
        public let rssi: Double
    }

    /// `ideal` or `real`.
    public let air: String
    /// Since the radio began.
    public let time: Duration
    /// All controllers.
    public let devices: [Device]
    /// All connections.
    public let links: [Link]
    /// How many devices without a host there are.
    public let phantoms: Int
    /// The names of those that disturb.
    public let jammers: [String]
}

extension RadioStatus: Decodable {
    private enum CodingKeys: String, CodingKey {
        case air, devices, links, phantoms, jammers
        case time = "time_ms"
    }

    /// Reads it as the radio writes it.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        air = try values.decode(String.self, forKey: .air)
        time = .milliseconds(try values.decode(Int.self, forKey: .time))
        devices = try values.decode([Device].self, forKey: .devices)
        links = try values.decode([Link].self, forKey: .links)
        phantoms = try values.decode(Int.self, forKey: .phantoms)
        jammers = try values.decode([String].self, forKey: .jammers)
    }
}

extension RadioStatus.Device: Decodable {
    private enum CodingKeys: String, CodingKey {
        case name, address, advertises, scans
        case place = "at_m"
        case body = "body_db"
        case advertisedAddresses = "advertises_as"
    }

    /// Reads it as the radio writes it.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        address = try values.decode(String.self, forKey: .address)
        let place = try values.decode([Double].self, forKey: .place)
        (x, y) = (place.first ?? 0, place.last ?? 0)
        body = try values.decode(Double.self, forKey: .body)
        advertises = try values.decode(Bool.self, forKey: .advertises)
        advertisedAddresses = try values.decode([String].self, forKey: .advertisedAddresses)
        scans = try values.decode(Bool.self, forKey: .scans)
    }
}

extension RadioStatus.Link: Decodable {
    private enum CodingKeys: String, CodingKey {
        case central, peripheral
        case rssi = "rssi_dbm"
    }
}
