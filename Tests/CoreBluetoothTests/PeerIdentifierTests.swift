import Testing

@testable import CoreBluetooth

@Suite struct PeerIdentifierTests {
    /// Programs store identifiers, so these must never change. Computed by another implementation of the layout.
    @Test(
        arguments: [
            ("00:AA:01:00:00:00", false, "076D3F5A-9CC7-8B67-B57A-9425C8217069"),
            ("00:AA:01:01:00:01", false, "B4C758BA-201E-84A4-9F46-D924D5770D51"),
            ("00:00:00:00:00:00", false, "FFA8EB88-EA77-8403-975D-670C6CFA70D7"),
            ("00:00:00:00:00:00", true, "6229202F-DD88-8DAC-9CD0-4C7111C5EDD9"),
            ("FF:FF:FF:FF:FF:FF", true, "C5971AD7-6C44-8D4D-9865-FC8AB2A3571F"),
            ("C0:FF:EE:12:34:56", true, "F5F3EF58-EBAB-8262-9381-5ACCAF530C22"),
        ]) func `an address has the same identifier in every process and on every machine`(
            address: String, isRandom: Bool, identifier: String
        ) throws
    {
        let uuid = try #require(CBPeer.identifier(forBluetoothAddress: address, isRandom: isRandom))
        #expect(uuid.uuidString == identifier)

        let peer = CBPeer(identifier: uuid)
        #expect(peer.bluetoothAddress == address)
        #expect(peer.bluetoothAddressIsRandom == isRandom)
    }

    @Test func `every address and type can be decoded again and is a UUID of version 8`() throws {
        var generator = SeededGenerator(state: 42)
        var seen: Set<UUID> = []
        for _ in 0..<20_000 {
            let text = (0..<6).map { _ in hex(UInt8.random(in: 0...255, using: &generator)) }.joined(separator: ":")
            let original = try #require(PeerIdentifier(addressText: text, isRandom: .random(using: &generator)))
            let uuid = original.uuid
            #expect(PeerIdentifier(uuid) == original)
            #expect(original.addressText == text)
            #expect(uuid.uuid.6 >> 4 == 8)
            #expect(uuid.uuid.8 >> 6 == 0b10)
            #expect(seen.insert(uuid).inserted)
        }
    }

    @Test func `other UUIDs have no address`() throws {
        var generator = SeededGenerator(state: 7)
        let version: UInt128 = 8 << 76
        let variant: UInt128 = 0b10 << 62
        let fixed: UInt128 = 0xF << 76 | 0b11 << 62
        for _ in 0..<20_000 {
            // Version and variant are right in all of them, the rest is random.
            var bits = UInt128.random(in: 0...UInt128.max, using: &generator)
            bits &= ~fixed
            bits |= version | variant
            #expect(PeerIdentifier(UUID(bits: bits)) == nil)
        }
        #expect(PeerIdentifier(UUID()) == nil)
        let peer = CBPeer(identifier: UUID())
        #expect(peer.bluetoothAddress == nil)
        #expect(!peer.bluetoothAddressIsRandom)
    }

    @Test func `an identifier with one bit changed has no address`() throws {
        let uuid = try #require(PeerIdentifier(addressText: "00:AA:01:00:00:00", isRandom: false)).uuid
        for bit in 0..<128 {
            #expect(PeerIdentifier(UUID(bits: uuid.bits ^ 1 << UInt128(bit))) == nil, "bit \(bit)")
        }
    }

    @Test func `neighbouring addresses have identifiers that look nothing alike`() throws {
        let first = try #require(PeerIdentifier(addressText: "00:AA:01:00:00:00", isRandom: false)).uuid.bits
        let second = try #require(PeerIdentifier(addressText: "00:AA:01:00:00:01", isRandom: false)).uuid.bits
        #expect((40...82).contains((first ^ second).nonzeroBitCount))
    }

    @Test func `lower case is read too`() {
        #expect(
            PeerIdentifier(addressText: "c0:ff:ee:12:34:56", isRandom: true)
                == PeerIdentifier(addressText: "C0:FF:EE:12:34:56", isRandom: true))
    }

    @Test(
        arguments: [
            "", "00:AA:01:00:00", "00:AA:01:00:00:00:00", "00-AA-01-00-00-00", "0:AA:01:00:00:00", "00:AA:01:00:00:0G",
            "+1:AA:01:00:00:00", "00:AA:01:00:00:", "::::::", "00AA01000000",
        ]) func `text that is not an address is refused`(text: String)
    {
        #expect(CBPeer.identifier(forBluetoothAddress: text, isRandom: false) == nil)
    }

    @Test(arguments: [
        ("C0:FF:EE:12:34:56", false, AddressKind.fixed), ("C0:FF:EE:12:34:56", true, .randomStatic),
        ("7F:FF:EE:12:34:56", true, .resolvablePrivate), ("40:00:00:00:00:01", true, .resolvablePrivate),
        ("3F:FF:EE:12:34:56", true, .nonResolvablePrivate), ("00:AA:01:00:00:00", false, .fixed),
    ])
    func `an identifier says of what kind the address is`(address: String, isRandom: Bool, kind: AddressKind) throws {
        let identifier = try #require(CBPeer.identifier(forBluetoothAddress: address, isRandom: isRandom))
        #expect(AddressKind(identifier) == kind)
        #expect(AddressKind(UUID()) == nil)
    }

    private func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return text.count == 1 ? "0" + text : text
    }
}

/// The same numbers in every run (xorshift64*).
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
