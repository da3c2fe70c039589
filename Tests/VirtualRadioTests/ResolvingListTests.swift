import CryptographicToolbox
import Testing

@testable import VirtualRadio

@Suite struct ResolvingListTests {
    private let device = DeviceAddress((0x00, 0xAA, 0x01, 9, 0, 9))
    private let key = [UInt8](1...16)
    private let localKey = [UInt8](17...32)
    private let none = [UInt8](repeating: 0, count: 16)

    private func typed(_ address: DeviceAddress) -> [UInt8] { [address.type] + [UInt8](bits: address.bits, count: 6) }

    /// The sample data of the Core Specification, Vol 3 Part H, D.7.
    @Test func `the hash of an address is that of the specification's sample data`() {
        let bytes: [UInt8] = [
            0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D, 0x9B,
        ]
        let key = IdentityResolvingKey(bytes.reversed())
        #expect(key.hash(0x708194) == 0x0DFBAA)
        #expect(key.resolves(DeviceAddress((0x70, 0x81, 0x94, 0x0D, 0xFB, 0xAA), isRandom: true)))
        #expect(!key.resolves(DeviceAddress((0x70, 0x81, 0x94, 0x0D, 0xFB, 0xAB), isRandom: true)))
        #expect(!key.resolves(DeviceAddress((0x70, 0x81, 0x94, 0x0D, 0xFB, 0xAA))), "a public address")
    }

    @Test func `a key knows the addresses that it has made`() {
        var random = RandomSource(seed: 1)
        let (own, other) = (IdentityResolvingKey(key), IdentityResolvingKey(localKey))
        var addresses: Set<DeviceAddress> = []
        for _ in 0..<100 {
            let address = own.makeAddress(&random)
            #expect(address.isResolvable && own.resolves(address) && !other.resolves(address))
            addresses.insert(address)
        }
        #expect(addresses.count == 100)
    }

    @Test(arguments: [ControllerKind.v4_2, .v5_3])
    func `devices are added once and removed`(kind: ControllerKind) {
        let host = TestHost(Radio(seed: 1), kind)
        #expect(host.result(0x202A) == [0, 32])
        let other = DeviceAddress((0x00, 0xAA, 0x01, 8, 0, 8))
        #expect(host.result(0x2027, typed(device) + key + localKey) == [0])
        #expect(host.result(0x2027, typed(device) + localKey + key) == [0x12], "the same device")
        #expect(host.result(0x2027, typed(other) + key + localKey) == [0x12], "the same key")
        #expect(host.result(0x2027, typed(other) + none + localKey) == [0])
        #expect(host.result(0x2028, typed(other)) == [0])
        #expect(host.result(0x2028, typed(other)) == [0x02])
        #expect(host.result(0x2027, [2] + typed(other).dropFirst() + none + none) == [0x12], "no identity address")
        for number: UInt8 in 1..<32 {
            let address = DeviceAddress((0xC0, 0, 0, 0, 0, number), isRandom: true)
            #expect(host.result(0x2027, typed(address) + none + localKey) == [0])
        }
        #expect(host.result(0x2027, typed(other) + none + localKey) == [0x07], "it is full")
        #expect(host.result(0x2029) == [0])
        #expect(host.result(0x2028, typed(device)) == [0x02])
    }

    @Test func `addresses of a device can be read when they have been used`() throws {
        let pair = Pair(.v4_2)
        let host = pair.peripheral
        #expect(host.result(0x202B, typed(device)) == [0x02])
        #expect(host.result(0x202C, typed(device)) == [0x02])
        host.result(0x2027, typed(device) + key + localKey)
        #expect(host.result(0x202B, typed(device)) == [0] + [UInt8](repeating: 0, count: 6))
        #expect(host.result(0x202C, typed(device)) == [0] + [UInt8](repeating: 0, count: 6))
        host.advertise(type: 4, target: device, own: 2)
        for (opcode, key) in [(0x202B, key), (0x202C, localKey)] {
            let read = Parameters(bytes: Array(host.result(opcode, typed(device)).dropFirst()))
            #expect(IdentityResolvingKey(key).resolves(read.address(0, isRandom: true)))
        }
    }

    @Test(arguments: [ControllerKind.v4_2, .v5_3])
    func `while addresses are resolved in the air the list does not change`(kind: ControllerKind) {
        let host = TestHost(Radio(seed: 1), kind)
        let entry = typed(device) + key + localKey
        host.advertise()
        #expect(host.result(0x202D, [1]) == [0x0C])
        #expect(host.result(0x2027, entry) == [0], "addresses are not resolved")
        host.stopAdvertising()
        #expect(host.result(0x202D, [2]) == [0x12])
        #expect(host.result(0x202D, [1]) == [0])
        #expect(host.result(0x2028, typed(device)) == [0], "nothing is in the air")
        let begins: [(String, () -> Void, () -> Void)] = [
            ("advertising", { host.advertise() }, host.stopAdvertising), ("a scan", { host.scan() }, host.stopScan),
            ("connecting", { host.connect(to: device) }, { _ = host.cancelConnecting() }),
        ]
        for (name, begin, end) in begins {
            begin()
            #expect(host.result(0x2027, entry) == [0x0C], "\(name)")
            #expect(host.result(0x2028, typed(device)) == [0x0C], "\(name)")
            #expect(host.result(0x2029) == [0x0C], "\(name)")
            #expect(host.result(0x202D, [0]) == [0x0C], "\(name)")
            end()
        }
        #expect(host.result(0x2027, entry) == [0])
        #expect(host.result(0x202D, [0]) == [0])
    }

    @Test func `the timeout of addresses is as long as the version allows`() {
        let old = TestHost(Radio(seed: 1), .v4_2)
        let new = TestHost(Radio(seed: 1), .v5_3)
        for host in [old, new] {
            #expect(host.result(0x202E, [0, 0]) == [0x12])
            #expect(host.result(0x202E, [1, 0]) == [0])
            #expect(host.result(0x202E, [0x10, 0x0E]) == [0])
        }
        #expect(new.result(0x202E, [0x11, 0x0E]) == [0x12])
        #expect(old.result(0x202E, [0xB8, 0xA1]) == [0])
        #expect(old.result(0x202E, [0xB9, 0xA1]) == [0x12])
    }

    @Test func `the privacy mode is that of a device in the list`() {
        let host = TestHost(Radio(seed: 1))
        #expect(host.result(0x204E, typed(device) + [1]) == [0x02])
        host.result(0x2027, typed(device) + key + localKey)
        #expect(host.result(0x204E, typed(device) + [1]) == [0])
        #expect(host.result(0x204E, typed(device) + [2]) == [0x12])
    }
}
