package import Foundation
import GATTProfiles

/// A device as far as a central gets to know it, and as far as a profile file can say it.
package struct ClonedDevice: Hashable {
    package struct Advertisement: Hashable {
        package var localName: String?
        package var appearance: UInt16?
        /// The companies' numbers and their data.
        package var manufacturers: [Data] = []
        /// dBm.
        package var txPower: Int?
        /// By the service's UUID.
        package var serviceData: [String: Data] = [:]
    }

    package struct Service: Hashable {
        package let uuid: String
        package var isAdvertised: Bool
        package var isPrimary = true
        package var characteristics: [Characteristic]
        /// The standard service of this name that takes the place of ``characteristics``.
        package var standard: String?
        /// For people, in front of it.
        package var comments: [String] = []

        package init(uuid: String, isAdvertised: Bool = false, characteristics: [Characteristic] = []) {
            self.uuid = uuid
            self.isAdvertised = isAdvertised
            self.characteristics = characteristics
        }
    }

    package struct Characteristic: Hashable {
        package let uuid: String
        /// As profile files name them.
        package var properties: [String]
        package var value: Data?
        /// What the device wanted to be paired for: `read`, `write`, `notify`.
        package var encrypted: [String]
        /// The ATT error with which a read was refused.
        package var readError: UInt8?
        /// Whether it does not answer a read, or ends the connection instead.
        package var readFault: ReadFault?
        /// Other faults, each as a profile file has it on one line.
        package var faults: [String] = []
        package var description: String?
        package var format: Data?
        /// Others than these two.
        package var descriptors: [Descriptor] = []
        /// What a write does, unless it is only kept for reads.
        package var writes: Writes?
        /// What it sends by itself, as a profile file has it on one line.
        package var notify: String?
        /// For people, in front of it.
        package var comments: [String] = []

        package init(
            uuid: String, properties: [String], value: Data? = nil, encrypted: [String] = [], readError: UInt8? = nil,
            readFault: ReadFault? = nil, description: String? = nil, format: Data? = nil
        ) {
            self.uuid = uuid
            self.properties = properties
            self.value = value
            self.encrypted = encrypted
            self.readError = readError
            self.readFault = readFault
            self.description = description
            self.format = format
        }

        /// Descriptors that bluetoothd makes from the properties.
        package static let impliedDescriptors = ["2900", "2902", "2903"]

        /// Takes a descriptor that the device has, unless it is implied.
        ///
        /// - Parameter value: nil if it was not read.
        /// - Returns: whether a profile can have it.
        package mutating func add(descriptor uuid: String, value: Data?) -> Bool {
            switch uuid {
            case _ where Self.impliedDescriptors.contains(uuid): break
            case "2901":
                guard let text = value.flatMap({ ValueText.printable($0) }) else { return false }
                description = text
            case "2904":
                guard value?.count == 7 else { return false }
                format = value
            default: descriptors.append(Descriptor(uuid: uuid, value: value))
            }
            return true
        }
    }

    package struct Descriptor: Hashable {
        package let uuid: String
        /// Nil if it was not read.
        package let value: Data?

        package init(uuid: String, value: Data?) {
            self.uuid = uuid
            self.value = value
        }
    }

    /// What the writes to a characteristic do.
    package enum Writes: Hashable {
        case echo(to: Place)
        /// - Parameter stores: whether reads give what was written.
        case reactions([Reaction], stores: Bool)
    }

    /// What a certain value does when it is written.
    package struct Reaction: Hashable {
        package enum Step: Hashable {
            /// Seconds.
            case wait(Double)
            case send(Data, on: Place)
        }

        package enum Outcome: Hashable {
            case play([Step])
            /// The ATT error with which it is refused.
            case refuse(UInt8)
        }

        package enum Match: Hashable {
            case value(Data)
            /// As profile files have it: `hex:01 ?? 03`.
            case pattern(String)
        }

        package let match: Match
        package let outcome: Outcome
        /// For people, behind it.
        package let comment: String?

        package init(_ match: Match, _ outcome: Outcome, comment: String? = nil) {
            self.match = match
            self.outcome = outcome
            self.comment = comment
        }
    }

    /// Where a characteristic is.
    package struct Place: Hashable {
        /// Both count from 0.
        package let service: Int
        package let characteristic: Int

        package init(service: Int, characteristic: Int) {
            self.service = service
            self.characteristic = characteristic
        }
    }

    package enum ReadFault: String, Hashable {
        case noAnswer = "no-answer"
        case disconnect
    }

    package var advertisement = Advertisement()
    package var services: [Service] = []
    /// What the device has and a profile file cannot say, in sentences.
    package var losses: [String] = []
    /// For people, at the beginning of the file.
    package var comments: [String] = []

    package init() {}

    /// What an advertisement holds besides its flags, in bytes.
    private static let advertisementRoom = 28
    private static let nameRoom = 26

    /// Leaves out of the advertisement what does not fit into one of 31 bytes.
    package mutating func fitAdvertisement() {
        if let name = advertisement.localName, name.utf8.count > Self.nameRoom {
            var shorter = name
            while shorter.utf8.count > Self.nameRoom { shorter.removeLast() }
            advertisement.localName = shorter
            losses.append("the name \"\(name)\" has more than \(Self.nameRoom) bytes and is cut off")
        }
        if advertisementLength > Self.advertisementRoom, !advertisement.serviceData.isEmpty {
            advertisement.serviceData = [:]
            losses.append("the data of services in the advertisement do not fit into 31 bytes with the rest")
        }
        if advertisementLength > Self.advertisementRoom, advertisement.txPower != nil {
            advertisement.txPower = nil
            losses.append("the transmit power does not fit into an advertisement of 31 bytes with the rest")
        }
        while advertisementLength > Self.advertisementRoom, let last = advertisement.manufacturers.popLast() {
            losses.append(
                "the manufacturer's data \(ValueText.hex(last)) do not fit into an advertisement of 31 bytes with the rest"
            )
        }
        for index in services.indices.reversed() where advertisementLength > Self.advertisementRoom {
            guard services[index].isAdvertised else { continue }
            services[index].isAdvertised = false
            losses.append("the service \(services[index].uuid) does not fit into an advertisement of 31 bytes")
        }
    }

    private var advertisementLength: Int {
        let uuids = Set(services.filter(\.isAdvertised).map(\.uuid))
        let short = uuids.filter { $0.utf8.count == 4 }.count
        let long = uuids.count - short
        return (short > 0 ? 2 + 2 * short : 0) + (long > 0 ? 2 + 16 * long : 0)
            + (advertisement.appearance == nil ? 0 : 4) + (advertisement.txPower == nil ? 0 : 3)
            + advertisement.manufacturers.reduce(0) { $0 + 2 + $1.count }
            + advertisement.serviceData.reduce(0) { $0 + 2 + ($1.key.utf8.count == 4 ? 2 : 16) + $1.value.count }
    }
}
