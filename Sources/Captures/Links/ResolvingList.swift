package import CryptographicToolbox

/// Whose the resolvable private addresses of a capture are, as far as the capture says so. Specification: Core 5.4,
/// Vol 6, Part B, 1.3.2.3 and 4.7.
package struct ResolvingList: Sendable {
    /// A packet that has a key, or that has an address beside the identity.
    package struct Evidence: Hashable, Sendable {
        package enum Source: String, Hashable, Sendable {
            case pairing = "SMP Identity Information"
            case controller = "LE Add Device To Resolving List"
            case connection = "LE Enhanced Connection Complete"
            case loadedKeys = "Load Identity Resolving Keys"
            case newKey = "New Identity Resolving Key"
        }

        package let source: Source
        package let mark: PacketMark

        var hasKey: Bool { source != .connection }
    }

    private struct Entry {
        let key: IdentityResolvingKey
        let identity: DeviceAddress
    }

    private struct Resolution {
        let identity: DeviceAddress
        let first: PacketMark
    }

    private var entries: [Entry] = []
    /// By identity.
    private var evidence: [DeviceAddress: [Evidence]] = [:]
    /// Addresses that packets have beside the identity.
    private var told: [DeviceAddress: DeviceAddress] = [:]
    /// What the user says is the same device as another.
    private var joined: [DeviceIdentity: DeviceIdentity] = [:]
    private var resolutions: [DeviceAddress: Resolution] = [:]
    /// What no key resolves. A phone in a crowd sees a million.
    private var unresolved: Set<DeviceAddress> = []
    private var hasForgotten = false
    /// Whether a packet has told whose an address is that was seen before it.
    private(set) var isLate = false
    /// How many keys there was no room for.
    private(set) var omittedKeys = 0

    /// A phone is bonded with tens of devices; each address is tried with each key.
    package static let maximumKeys = 64
    private static let maximumTold = 10_000
    private static let maximumResolutions = 10_000
    private static let maximumUnresolved = 1 << 16

    package init() {}

    // MARK: What packets say

    mutating func add(
        _ key: IdentityResolvingKey, of identity: DeviceAddress, _ source: Evidence.Source, _ mark: PacketMark
    ) {
        guard !key.isZero, identity.isIdentity else { return }
        if !entries.contains(where: { $0.key == key && $0.identity == identity }) {
            guard entries.count < Self.maximumKeys else { return omittedKeys += 1 }
            entries.append(Entry(key: key, identity: identity))
            noteLate(unresolved.filter { key.resolves($0.number) })
        }
        add(Evidence(source: source, mark: mark), of: identity)
    }

    mutating func add(
        _ address: DeviceAddress, of identity: DeviceAddress, _ source: Evidence.Source, _ mark: PacketMark
    ) {
        guard address.isResolvable, identity.isIdentity else { return }
        guard told[address] != nil || told.count < Self.maximumTold else { return }
        if told.updateValue(identity, forKey: address) != identity { noteLate(unresolved.intersection([address])) }
        add(Evidence(source: source, mark: mark), of: identity)
    }

    private mutating func add(_ new: Evidence, of identity: DeviceAddress) {
        // Of each kind the first one, when a capture is read again, too.
        guard evidence[identity]?.contains(where: { $0.source == new.source }) != true else { return }
        evidence[identity, default: []].append(new)
    }

    /// Takes note of addresses that were seen before it was known whose they are.
    private mutating func noteLate(_ addresses: Set<DeviceAddress>) {
        isLate = isLate || hasForgotten || !addresses.isEmpty
        unresolved.subtract(addresses)
    }

    /// Makes everything of one device that of another.
    mutating func join(_ device: DeviceIdentity, to other: DeviceIdentity) {
        guard device != other else { return }
        joined[device] = other
    }

    /// The same for another reading of the capture, which knows whose each address is from its beginning on.
    var forAnotherReading: ResolvingList {
        var list = self
        list.resolutions = [:]
        list.unresolved = []
        list.hasForgotten = false
        list.isLate = false
        list.omittedKeys = 0
        return list
    }

    // MARK: Whose an address is

    mutating func identity(of device: DeviceIdentity, at mark: PacketMark) -> DeviceIdentity {
        guard case .address(let address) = device, let identity = resolve(address, mark) else {
            return joined[device] ?? device
        }
        return joined[.address(identity)] ?? .address(identity)
    }

    private mutating func resolve(_ address: DeviceAddress, _ mark: PacketMark) -> DeviceAddress? {
        guard address.isResolvable else { return nil }
        if let known = resolutions[address] { return known.identity }
        guard !unresolved.contains(address) else { return nil }
        let identity = told[address] ?? entries.first { $0.key.resolves(address.number) }?.identity
        if let identity {
            guard resolutions.count < Self.maximumResolutions else { return identity }
            resolutions[address] = Resolution(identity: identity, first: mark)
        } else {
            if unresolved.count >= Self.maximumUnresolved {
                unresolved = []
                hasForgotten = true
            }
            unresolved.insert(address)
        }
        return identity
    }

    // MARK: What was found

    /// The other addresses of each device, in the order in which they appear.
    var addresses: [DeviceIdentity: [DeviceAddress]] {
        var addresses: [DeviceIdentity: [DeviceAddress]] = [:]
        for (address, resolution) in resolutions.sorted(by: { $0.value.first.number < $1.value.first.number }) {
            let identity = DeviceIdentity.address(resolution.identity)
            addresses[joined[identity] ?? identity, default: []].append(address)
        }
        for (other, identity) in joined {
            if let address = other.address { addresses[identity, default: []].append(address) }
        }
        return addresses
    }

    /// The packets that say which addresses are those of a device, the first of each kind.
    func evidence(of identity: DeviceIdentity) -> [Evidence] {
        identities(identity).flatMap { evidence[$0] ?? [] }.sorted { $0.mark.number < $1.mark.number }
    }

    func keys(of identity: DeviceIdentity) -> [IdentityResolvingKey] {
        let identities = identities(identity)
        return entries.filter { identities.contains($0.identity) }.map(\.key)
    }

    private func identities(_ identity: DeviceIdentity) -> [DeviceAddress] {
        ([identity] + joined.filter { $0.value == identity }.map(\.key)).compactMap(\.address)
    }
}

extension DeviceAddress {
    /// Whether it may be an identity address: a public one, or a static random one.
    fileprivate var isIdentity: Bool { number != 0 && (!isRandom || number >> 46 == 0b11) }
}
