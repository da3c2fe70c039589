package import CryptographicToolbox

/// What a capture has of one device.
package final class ObservedDevice {
    package internal(set) var identity: DeviceIdentity
    /// Under which it was seen, besides that of its identity, in the order in which they appear.
    package internal(set) var otherAddresses: [DeviceAddress] = []
    /// The packets that say that ``otherAddresses`` are its own.
    package internal(set) var evidence: [ResolvingList.Evidence] = []
    /// Its identity resolving keys, and those of the centrals of its links. Secret.
    package internal(set) var keys: [IdentityResolvingKey] = []
    /// Everything that it has advertised, the newest of each kind.
    package internal(set) var advertising = AdvertisingData()
    /// The same as others have received it.
    package internal(set) var heard = HeardAdvertising()
    /// Where its last new advertisement and scan response are.
    package internal(set) var advertisementMark: PacketMark?
    package internal(set) var scanResponseMark: PacketMark?
    package internal(set) var advertisementCount = 0
    /// How often what it advertised was not what it had advertised before.
    package internal(set) var advertisingChanges = 0
    package internal(set) var table = ObservedTable()
    /// The links on which it is the peripheral.
    package internal(set) var links: [CapturedLink] = []
    package internal(set) var sessions: [Session] = []
    /// Requests that it has sent to the central's own attributes.
    package internal(set) var requestsToCentral = 0
    /// What was found and cannot be used, in sentences.
    package internal(set) var remarks: [Remark] = []
    package internal(set) var first: PacketMark
    package internal(set) var last: PacketMark

    /// Something that is worth a sentence, and where it is.
    package struct Remark: Hashable, Sendable {
        package let text: String
        package let packet: Int?

        package init(text: String, packet: Int?) {
            self.text = text
            self.packet = packet
        }
    }

    private static let maximumRemarks = 200

    init(_ identity: DeviceIdentity, _ mark: PacketMark) {
        self.identity = identity
        first = mark
        last = mark
    }

    func remark(_ text: String, _ mark: PacketMark?) {
        let remark = Remark(text: text, packet: mark?.number)
        guard remarks.count < Self.maximumRemarks, !remarks.contains(where: { $0.text == text }) else { return }
        remarks.append(remark)
    }

    /// The name that it advertises, or that was read.
    package var name: String? {
        advertising.localName
            ?? Self.deviceName(table).flatMap { String(validating: $0.bytes, as: UTF8.self) }
    }

    private static func deviceName(_ table: ObservedTable) -> ObservedTable.Value? {
        let declared = table.characteristics.values.filter { $0.uuid == "2A00" }.map(\.valueHandle)
        let typed = table.types.filter { $0.value == "2A00" }.map(\.key)
        return (declared + typed).sorted().lazy.compactMap { table.values[$0] }.first
    }

    package var attCount: Int { links.reduce(0) { $0 + $1.attCount } }
    package var encryptedCount: Int { links.reduce(0) { $0 + $1.encryptedCount } }
    /// Whether there is anything that a profile can be made of.
    package var isImportable: Bool { attCount > 0 }
}
