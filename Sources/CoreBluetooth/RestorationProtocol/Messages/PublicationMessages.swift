import Foundation

/// A service that a program publishes.
package struct ServiceRecord: Codable, Hashable, Sendable {
    /// Chosen by the program, never twice.
    package var number: UInt32
    /// A UUID as text.
    package var uuid: String
    package var isPrimary: Bool
    package var characteristics: [CharacteristicRecord]
    /// The numbers of the services that it includes.
    package var includes: [UInt32]?

    package init(number: UInt32, uuid: String, isPrimary: Bool, characteristics: [CharacteristicRecord]) {
        self.number = number
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
    }
}

/// A characteristic of a ``ServiceRecord``.
package struct CharacteristicRecord: Codable, Hashable, Sendable {
    package var uuid: String
    /// The raw value of `CBCharacteristicProperties`.
    package var properties: UInt
    /// The raw value of `CBAttributePermissions`.
    package var permissions: UInt
    /// The static value, with which the agent answers reads by itself.
    package var value: Data?
    package var descriptors: [DescriptorRecord]

    package init(
        uuid: String, properties: UInt, permissions: UInt, value: Data? = nil, descriptors: [DescriptorRecord] = []
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.value = value
        self.descriptors = descriptors
    }
}

/// A descriptor of a ``CharacteristicRecord``, with one of the two values.
package struct DescriptorRecord: Codable, Hashable, Sendable {
    package var uuid: String
    package var text: String?
    package var value: Data?

    package init(uuid: String, text: String? = nil, value: Data? = nil) {
        self.uuid = uuid
        self.text = text
        self.value = value
    }
}

/// What a program advertises.
package struct AdvertisementRecord: Codable, Hashable, Sendable {
    package var localName: String?
    package var services: [String]
    /// The companies' numbers, the lower byte first, and their data.
    package var manufacturerData: [Data]
    /// By UUIDs.
    package var serviceData: [String: Data]
    package var appearance: UInt16?
    /// Whether the controller's transmit power goes with it.
    package var hasTxPower: Bool

    package init(
        localName: String? = nil, services: [String] = [], manufacturerData: [Data] = [],
        serviceData: [String: Data] = [:], appearance: UInt16? = nil, hasTxPower: Bool = false
    ) {
        self.hasTxPower = hasTxPower
        self.localName = localName
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.appearance = appearance
    }
}

/// Which characteristic of a program's services.
package struct CharacteristicPlace: Codable, Hashable, Sendable {
    /// The number of the service.
    package var service: UInt32
    /// The place in the service, from 0.
    package var index: Int

    package init(service: UInt32, index: Int) {
        self.service = service
        self.index = index
    }
}

/// A central, as a peripheral knows it.
package struct CentralRecord: Codable, Hashable, Sendable {
    /// As in `CBCentral.identifier`.
    package var identifier: UUID
    /// The ATT MTU in bytes.
    package var mtu: Int

    package init(identifier: UUID, mtu: Int) {
        self.identifier = identifier
        self.mtu = mtu
    }
}

/// A central that is subscribed to a characteristic.
package struct SubscribedCentral: Codable, Hashable, Sendable {
    package var place: CharacteristicPlace
    package var central: CentralRecord

    package init(place: CharacteristicPlace, central: CentralRecord) {
        self.place = place
        self.central = central
    }
}

/// A central's read or write, which waits for its answer.
package struct CentralRequest: Codable, Hashable, Sendable {
    /// Chosen by the agent.
    package var number: UInt32
    package var place: CharacteristicPlace
    package var central: CentralRecord
    package var offset: Int
    /// What is to be written; nil for a read.
    package var value: Data?
    /// As in `CBATTRequest`.
    package var wantsResponse: Bool?

    package init(
        number: UInt32, place: CharacteristicPlace, central: CentralRecord, offset: Int, value: Data?,
        wantsResponse: Bool?
    ) {
        self.number = number
        self.place = place
        self.central = central
        self.offset = offset
        self.value = value
        self.wantsResponse = wantsResponse
    }
}

/// A program's answer to a ``CentralRequest``.
package struct CentralAnswer: Codable, Hashable, Sendable {
    package var request: UInt32
    /// The raw value of `CBATTError.Code`.
    package var code: Int
    /// The answer to a read.
    package var value: Data?

    package init(request: UInt32, code: Int, value: Data?) {
        self.request = request
        self.code = code
        self.value = value
    }
}

/// A value that is to be notified or indicated.
package struct ValueUpdate: Codable, Hashable, Sendable {
    package var place: CharacteristicPlace
    package var value: Data

    package init(place: CharacteristicPlace, value: Data) {
        self.place = place
        self.value = value
    }
}

/// What a program has published: what the agent keeps on disk of it.
package struct PublicationRecord: Codable, Hashable, Sendable {
    package var services: [ServiceRecord] = []
    package var advertisement: AdvertisementRecord?
    /// The first number of a service that was never used.
    package var nextService: UInt32 = 1

    package init() {}

    /// Whether there is anything to restore.
    package var isEmpty: Bool { services.isEmpty && advertisement == nil }
}

/// What a program learns of what its earlier run has published.
package struct Publication: Codable, Hashable, Sendable {
    /// The raw value of `CBManagerState`.
    package var state: Int
    /// Counts the states. What the program asks for by an earlier one is refused.
    package var epoch: Int
    package var record: PublicationRecord
    package var subscriptions: [SubscribedCentral]

    package init(state: Int, epoch: Int, record: PublicationRecord, subscriptions: [SubscribedCentral]) {
        self.state = state
        self.epoch = epoch
        self.record = record
        self.subscriptions = subscriptions
    }
}
