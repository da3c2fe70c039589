import CryptographicToolbox

/// Replaces what says whose device it is: addresses, names, serial numbers and identity resolving keys, wherever they
/// occur. The same is always replaced by the same, of the same length and form.
package struct Anonymizer {
    private var random: any RandomNumberGenerator
    /// The longest first, so that a shorter one does not change a part of it.
    private var replacements: [(original: [UInt8], replacement: [UInt8])] = []
    private var known: [[UInt8]: [UInt8]] = [:]
    private var addresses: [UInt64: UInt64] = [:]

    /// Shorter ones would be found by chance.
    private static let minimumPart = 4

    /// - Parameter random: the system's, so that nobody finds from some replacements what others replace.
    package init(using random: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.random = random
    }

    /// Replaces everything of one device.
    package mutating func anonymize(_ device: ObservedDevice) { anonymize([device]) }

    package mutating func anonymize(_ devices: [ObservedDevice]) {
        for device in devices { learn(device) }
        replacements = known.map { ($0.key, $0.value) }.sorted {
            ($1.original.count, $0.original.hexDigits) < ($0.original.count, $1.original.hexDigits)
        }
        for device in devices { apply(to: device) }
    }

    /// Replaces the addresses and names of devices, which is all that a list has.
    package mutating func anonymize(namesOf devices: [ObservedDevice]) {
        for device in devices {
            let name = device.name
            learn(device)
            replaceAddresses(of: device)
            device.advertising.localName = name.map { String(decoding: known[Array($0.utf8)] ?? [], as: UTF8.self) }
        }
    }

    // MARK: What is to be replaced

    /// Device Name, Serial Number String and System ID, by the UUIDs of the characteristics.
    private static let telling: Set<String> = ["2A00", "2A23", "2A25"]

    private mutating func learn(_ device: ObservedDevice) {
        for identity in [device.identity] + device.links.compactMap(\.central) {
            if let address = identity.address { learn(address) }
        }
        for address in device.otherAddresses { learn(address) }
        for key in device.keys {
            // Whoever has a key recognizes the device for as long as it exists.
            let other = known[key.bytes] ?? key.bytes.map { _ in UInt8(truncatingIfNeeded: random.next()) }
            known[key.bytes] = other
            known[key.bytes.reversed()] = other.reversed()
        }
        if let name = device.advertising.localName { learn(Array(name.utf8)) }
        let handles = device.table.characteristics.values.filter { Self.telling.contains($0.uuid) }.map(\.valueHandle)
        let typed = device.table.types.filter { Self.telling.contains($0.value) }.map(\.key)
        for handle in Set(handles + typed).sorted() {
            if let value = device.table.values[handle] { learn(value.bytes) }
        }
    }

    private mutating func learn(_ text: [UInt8]) {
        guard !text.isEmpty, known[text] == nil else { return }
        known[text] = text.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): other(byte, from: UInt8(ascii: "0"), count: 10)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): other(byte, from: UInt8(ascii: "A"), count: 26)
            case UInt8(ascii: "a")...UInt8(ascii: "z"): other(byte, from: UInt8(ascii: "a"), count: 26)
            // What is beyond ASCII is a letter, most often; anything but text is bytes.
            case 0x80...: UInt8(ascii: "a") + UInt8(random.next() % 26)
            default: byte
            }
        }
    }

    private mutating func other(_ byte: UInt8, from first: UInt8, count: UInt8) -> UInt8 {
        let step = UInt8(random.next() % UInt64(count - 1)) + 1
        return first + (byte - first + step) % count
    }

    /// The two highest bits say of which kind a random address is.
    private mutating func learn(_ address: DeviceAddress) {
        guard addresses[address.number] == nil else { return }
        let kept: UInt64 = 0b11 << 46
        let replacement = DeviceAddress(
            number: address.number & kept | random.next() & ~kept, isRandom: address.isRandom)
        addresses[address.number] = replacement.number
        known[address.bytes] = replacement.bytes
        known[address.bytes.reversed()] = replacement.bytes.reversed()
    }

    // MARK: Replacing

    private func replaced(_ identity: DeviceIdentity) -> DeviceIdentity {
        guard let address = identity.address, let number = addresses[address.number] else { return identity }
        return .address(DeviceAddress(number: number, isRandom: address.isRandom))
    }

    private func replaceAddresses(of device: ObservedDevice) {
        device.identity = replaced(device.identity)
        device.otherAddresses = device.otherAddresses.map { address in
            DeviceAddress(number: addresses[address.number] ?? 0, isRandom: address.isRandom)
        }
        device.keys = []
    }

    private func replaced(_ bytes: [UInt8]) -> [UInt8] {
        if let whole = known[bytes] { return whole }
        var bytes = bytes
        for (original, replacement) in replacements
        where original.count >= Self.minimumPart && original.count <= bytes.count {
            for start in 0...bytes.count - original.count
            where bytes[start] == original[0] && bytes[start..<start + original.count].elementsEqual(original) {
                bytes.replaceSubrange(start..<start + original.count, with: replacement)
            }
        }
        return bytes
    }

    private func apply(to device: ObservedDevice) {
        replaceAddresses(of: device)
        for link in device.links {
            link.peripheral = replaced(link.peripheral)
            link.central = link.central.map { replaced($0) }
        }
        device.advertising.localName = device.advertising.localName.map {
            String(decoding: replaced(Array($0.utf8)), as: UTF8.self)
        }
        device.advertising.manufacturers = device.advertising.manufacturers.map { replaced($0) }
        device.advertising.serviceData = device.advertising.serviceData.mapValues { replaced($0) }
        device.heard.data = replaced(device.heard.data)
        device.heard.response = replaced(device.heard.response)
        for (handle, value) in device.table.values { device.table.values[handle]?.bytes = replaced(value.bytes) }
        for session in device.sessions.indices {
            for event in device.sessions[session].events.indices {
                let kind = device.sessions[session].events[event].kind
                device.sessions[session].events[event].kind = replaced(kind)
            }
        }
    }

    private func replaced(_ kind: SessionEvent.Kind) -> SessionEvent.Kind {
        switch kind {
        case .read(let handle, .success(let value)): .read(handle, .success(replaced(value)))
        case .write(let handle, let value, let hasResponse, let outcome):
            .write(handle, replaced(value), hasResponse: hasResponse, outcome)
        case .value(let handle, let value, let isIndication):
            .value(handle, replaced(value), isIndication: isIndication)
        case .connected, .encrypted, .disconnected, .mtu, .read, .truncatedWrite, .truncatedValue: kind
        }
    }
}

extension [UInt8] {
    /// For an order that is always the same.
    fileprivate var hexDigits: String { map { String($0, radix: 16) }.joined(separator: " ") }
}
