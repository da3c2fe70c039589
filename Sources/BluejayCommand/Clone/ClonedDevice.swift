import AssignedNumbers
import Foundation
import GATTProfiles

/// A device as far as a central gets to know it, and as far as a profile file can say it.
struct ClonedDevice: Hashable {
    struct Advertisement: Hashable {
        var localName: String?
        var appearance: UInt16?
        /// The companies' numbers and their data.
        var manufacturers: [Data] = []
        /// dBm.
        var txPower: Int?
        /// By the service's UUID.
        var serviceData: [String: Data] = [:]
    }

    struct Service: Hashable {
        let uuid: String
        var isAdvertised = false
        var characteristics: [Characteristic] = []
    }

    struct Characteristic: Hashable {
        let uuid: String
        /// As profile files name them.
        var properties: [String]
        var value: Data?
        /// Whether the device wanted to be paired before it gave the value.
        var needsPairing = false
        /// The ATT error with which a read was refused.
        var readError: UInt8?
        /// Whether it does not answer a read, or ends the connection instead.
        var readFault: ReadFault?
        var description: String?
        var format: Data?
    }

    /// Where a characteristic is.
    struct Place: Hashable {
        /// Both count from 0.
        let service: Int
        let characteristic: Int
    }

    enum ReadFault: String, Hashable {
        case noAnswer = "no-answer"
        case disconnect
    }

    var advertisement = Advertisement()
    var services: [Service] = []
    /// What the device has and a profile file cannot say, in sentences.
    var losses: [String] = []

    /// What an advertisement holds besides its flags, in bytes.
    private static let advertisementRoom = 28
    private static let nameRoom = 26

    /// Leaves out of the advertisement what does not fit into one of 31 bytes.
    mutating func fitAdvertisement() {
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
