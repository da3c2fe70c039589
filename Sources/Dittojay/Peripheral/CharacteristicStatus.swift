import CoreBluetooth
import GATTProfiles
package import PlainText

/// A characteristic of a running peripheral: what it is, and its present values.
package struct CharacteristicStatus: Codable, Hashable, Swift.Sendable {
    /// The service's name in the profile.
    package var service: String
    /// Its own name in the profile.
    package var name: String
    /// In 4 or 36 characters, upper case.
    package var uuid: String
    /// The user description (2901).
    package var description: String?
    /// The presentation format (2904).
    package var format: Format?
    /// What centrals may do: `read`, `write`, `write-without-response`, `notify`, `indicate`.
    package var properties: [String]
    /// Whether centrals can find it at the moment.
    package var isPublished: Bool
    /// Whether `set` sets its value.
    package var canBeSet: Bool
    /// Whether `chirp` sends on it.
    package var chirps: Bool
    /// What a read gives, in hexadecimal digits; absent if it cannot be read.
    package var value: String?
    /// What was notified or indicated last, in hexadecimal digits; absent before that.
    package var sent: String?
    /// How many notifications and indications were handed over for sending since the start.
    package var notifications: UInt64 = 0
    /// How many centrals have subscribed.
    package var subscribers = 0

    package init(
        service: String, name: String, uuid: String, properties: [String], isPublished: Bool, canBeSet: Bool,
        chirps: Bool
    ) {
        self.service = service
        self.name = name
        self.uuid = uuid
        self.properties = properties
        self.isPublished = isPublished
        self.canBeSet = canBeSet
        self.chirps = chirps
    }

    package struct Format: Codable, Hashable, Swift.Sendable {
        /// The name of the type as profiles have it, `u8`, `i16`, …, or its assigned number.
        package var type: String
        /// The power of ten that the number is multiplied by.
        package var exponent: Int
        /// The unit's assigned number.
        package var unit: Int

        package init(type: String, exponent: Int, unit: Int) {
            self.type = type
            self.exponent = exponent
            self.unit = unit
        }
    }

    package var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.service, service)
        object.add(CodingKeys.name, name)
        object.add(CodingKeys.uuid, uuid)
        object.add(CodingKeys.description, description)
        object.add(CodingKeys.format, format?.json)
        object.add(CodingKeys.properties, properties)
        object.add(CodingKeys.isPublished, isPublished)
        object.add(CodingKeys.canBeSet, canBeSet)
        object.add(CodingKeys.chirps, chirps)
        object.add(CodingKeys.value, value)
        object.add(CodingKeys.sent, sent)
        object.add(CodingKeys.notifications, notifications)
        object.add(CodingKeys.subscribers, subscribers)
        return object
    }
}

extension CharacteristicStatus.Format {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.type, type)
        object.add(CodingKeys.exponent, exponent)
        object.add(CodingKeys.unit, unit)
        return object
    }
}

/// How strong a connected central is received.
package struct CentralSignal: Codable, Hashable, Swift.Sendable {
    /// The address.
    package var central: String
    /// In dBm.
    package var rssi: Int

    package init(central: String, rssi: Int) {
        self.central = central
        self.rssi = rssi
    }

    package var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.central, central)
        object.add(CodingKeys.rssi, rssi)
        return object
    }
}

extension SimulatedCharacteristic {
    /// Its present status.
    func status() -> CharacteristicStatus {
        var status = CharacteristicStatus(
            service: service.profile.name, name: profile.name, uuid: profile.uuid,
            properties: Self.propertyNames.filter { profile.properties.contains($0.property) }.map(\.name),
            isPublished: service.isPublished, canBeSet: obstacleToSetting == nil, chirps: profile.chirps)
        status.description = profile.userDescription
        status.format = profile.presentationFormat.map { format in
            .init(
                type: PresentationFormat.names.first { $0.format == format.format }?.name ?? "\(format.format)",
                exponent: Int(format.exponent), unit: Int(format.unit))
        }
        status.value = (try? read()).map { ValueText.hex($0) }
        status.sent = lastSent.map { ValueText.hex($0) }
        (status.notifications, status.subscribers) = (notificationCount, subscribers.count)
        return status
    }

    private static var propertyNames: [(name: String, property: CBCharacteristicProperties)] {
        [
            ("read", .read), ("write", .write), ("write-without-response", .writeWithoutResponse),
            ("notify", .notify), ("indicate", .indicate),
        ]
    }

    /// Why `set` cannot change what reads give; nil if it can.
    var obstacleToSetting: String? {
        guard profile.properties.contains(.read) else { return "\(path) does not have the read property" }
        switch profile.source {
        case .stored: return nil
        case .writeCount: return "\(path) is a write counter: its value cannot be set"
        case .psm: return "\(path) contains the PSM of an L2CAP channel: its value cannot be set"
        case .simulated: return "\(path) is simulated: its value cannot be set"
        }
    }
}
