import CryptographicToolbox
import Testing

@testable import VirtualRadio

/// A central and a peripheral that know each other's keys.
private struct BondedPair {
    let pair: Pair
    let peripheral: TestHost
    let central: TestHost

    enum Key {
        static let peripheral = [UInt8](1...16)
        static let central = [UInt8](17...32)
        static let none = [UInt8](repeating: 0, count: 16)
    }

    /// - Parameter resolves: whether both have switched address resolution on.
    init(
        _ kind: ControllerKind = .v5_3, peripheralKey: [UInt8] = Key.peripheral, centralKey: [UInt8] = Key.central,
        resolves: Bool = true
    ) {
        pair = Pair(kind)
        (peripheral, central) = (pair.peripheral, pair.central)
        peripheral.result(0x2027, typed(central.address) + centralKey + peripheralKey)
        central.result(0x2027, typed(peripheral.address) + peripheralKey + centralKey)
        if resolves { for host in [peripheral, central] { host.result(0x202D, [1]) } }
    }

    func typed(_ address: DeviceAddress) -> [UInt8] { [address.type] + [UInt8](bits: address.bits, count: 6) }

    /// Of reports and of the two kinds of Connection Complete.
    func isMade(_ key: [UInt8], _ event: [UInt8], _ place: Int) -> Bool {
        IdentityResolvingKey(key).resolves(Parameters(bytes: event).address(place, isRandom: true))
    }

    func has(_ address: DeviceAddress, _ event: [UInt8], _ place: Int) -> Bool {
        Array(event[place..<place + 6]) == [UInt8](bits: address.bits, count: 6)
    }
}

@Suite struct PrivacyTests {
    private typealias Key = BondedPair.Key

    @Test(arguments: [ControllerKind.v4_2, .v5_3])
    func `an advertiser with a resolvable address is reported by its identity`(kind: ControllerKind) {
        let bonded = BondedPair(kind)
        let (pair, central) = (bonded.pair, bonded.central)
        let stranger = TestHost(pair.radio, kind, number: 2)
        stranger.wantAllEvents()
        bonded.peripheral.advertise(response: [2, 9, 0x41], target: central.address, own: 2)
        central.scan(own: 2)
        stranger.scan()
        pair.advance(35)
        let place = kind == .v4_2 ? 5 : 6  // the address's type
        let known = central.take()
        #expect(known.map { $0[place] } == [2, 2], "the advertisement and its response")
        #expect(known.allSatisfy { bonded.has(bonded.peripheral.address, $0, place + 1) })
        let unknown = stranger.take()
        #expect(unknown.map { $0[place] } == [1, 1])
        #expect(unknown.allSatisfy { bonded.isMade(Key.peripheral, $0, place + 1) })
    }

    @Test func `a resolvable address is renewed after its timeout`() {
        let bonded = BondedPair(resolves: false)
        bonded.peripheral.result(0x202E, [2, 0])
        bonded.peripheral.advertise(target: bonded.central.address, own: 2)
        bonded.central.scan(isActive: false, filtersDuplicates: false)
        bonded.pair.advance(9_900)
        let addresses = bonded.central.take().map { Array($0[7..<13]) }
        #expect(addresses.count > 80)
        #expect(Set(addresses).count == 5)
        #expect(addresses.first == addresses[15] && addresses.first != addresses.last)
        let sent = bonded.pair.radio.advertisedAddresses(of: 0)
        #expect(sent.map { [UInt8](bits: $0.bits, count: 6) } == [addresses.last])
        bonded.peripheral.stopAdvertising()
        #expect(bonded.pair.radio.advertisedAddresses(of: 0).isEmpty)
    }

    @Test(arguments: [ControllerKind.v4_2, .v5_3])
    func `bonded devices connect by resolvable addresses, which their events name`(kind: ControllerKind) throws {
        let bonded = BondedPair(kind)
        let (peripheral, central) = (bonded.peripheral, bonded.central)
        peripheral.advertise(target: central.address, own: 2)
        #expect(central.connect(to: peripheral.address, own: 2) == 0)
        bonded.pair.advance(40)
        let event = try #require(central.take().first)
        #expect(event[2] == 0x0A && event[3] == 0 && event[6] == 0 && event[7] == 2)
        #expect(bonded.has(peripheral.address, event, 8))
        #expect(bonded.isMade(Key.central, event, 14), "its own")
        #expect(bonded.isMade(Key.peripheral, event, 20), "the peer's")
        let other = try #require(peripheral.take().first)
        #expect(other[2] == 0x0A && other[3] == 0 && other[6] == 1 && other[7] == 2)
        #expect(bonded.has(central.address, other, 8))
        #expect(other[14..<20] == event[20..<26] && other[20..<26] == event[14..<20])
    }

    @Test func `the accept list has the identities of resolved devices`() {
        let bonded = BondedPair()
        let (pair, peripheral, central) = (bonded.pair, bonded.peripheral, bonded.central)
        let stranger = TestHost(pair.radio, number: 2)
        stranger.wantAllEvents()
        peripheral.result(0x2011, bonded.typed(central.address))
        central.result(0x2011, bonded.typed(peripheral.address))
        peripheral.advertise(response: [2, 9, 0x41], target: central.address, policy: 3, own: 2)
        stranger.scan()
        pair.advance(500)
        #expect(stranger.take().count == 1, "no response")
        central.scan(policy: 1, own: 2)
        pair.advance(500)
        #expect(central.take().count == 2)
        central.stopScan()
        stranger.connect(to: DeviceAddress(bits: peripheral.address.bits, isRandom: true))
        central.connect(to: nil, own: 2)
        pair.advance(500)
        #expect(central.take().first?[2...3] == [0x0A, 0])
        #expect(stranger.take().isEmpty)
    }

    @Test func `a scanner asks with an address that only bonded devices resolve`() {
        let bonded = BondedPair()
        let (peripheral, central) = (bonded.peripheral, bonded.central)
        // It reports who asks.
        let start: [UInt8] = [1, 0x13, 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, 2] + bonded.typed(central.address)
        peripheral.result(0x2036, start + [0, 0x7F, 1, 0, 1, 0, 1])
        peripheral.result(0x2038, [1, 3, 1, 3, 2, 9, 0x41])
        peripheral.result(0x2039, [1, 1, 1, 0, 0, 0])
        central.scan(own: 2)
        bonded.pair.advance(40)
        let event = peripheral.take().first ?? []
        #expect(event == [0x3E, 9, 0x13, 1, 2] + [UInt8](bits: central.address.bits, count: 6))
    }

    @Test func `a bonded device that does not use its key is ignored, except in device privacy mode`() {
        let bonded = BondedPair()
        let (pair, peripheral, central) = (bonded.pair, bonded.peripheral, bonded.central)
        peripheral.advertise(response: [2, 9, 0x41])
        central.scan()
        pair.advance(500)
        #expect(central.take().isEmpty)
        central.stopScan()
        central.connect(to: peripheral.address)
        pair.advance(500)
        #expect(central.take().isEmpty)
        _ = central.cancelConnecting()
        #expect(central.result(0x204E, bonded.typed(peripheral.address) + [1]) == [0])
        central.scan()
        pair.advance(500)
        #expect(central.take().count == 1, "the peripheral ignores the request of its own bonded device")
        central.stopScan()
        peripheral.stopAdvertising()
        #expect(peripheral.result(0x204E, bonded.typed(central.address) + [1]) == [0])
        peripheral.advertise(response: [2, 9, 0x41])
        central.scan()
        pair.advance(500)
        #expect(central.take().map { $0[6] } == [0, 0])
        central.stopScan()
        central.connect(to: peripheral.address)
        pair.advance(500)
        #expect(central.take().first?[..<8] == [0x3E, 31, 0x0A, 0, 1, 0, 0, 0])
    }

    @Test func `without resolution addresses are reported as they are sent`() {
        let bonded = BondedPair(resolves: false)
        bonded.peripheral.advertise(target: bonded.central.address, own: 2)
        bonded.central.scan()
        bonded.pair.advance(40)
        let event = bonded.central.take().first ?? []
        #expect(event[6] == 1 && bonded.isMade(Key.peripheral, event, 7))
        bonded.central.stopScan()
        bonded.central.connect(to: bonded.peripheral.address, own: 2)
        bonded.pair.advance(500)
        #expect(bonded.central.take().isEmpty)
    }

    @Test func `a device without a key is known by its identity address`() {
        let bonded = BondedPair(peripheralKey: Key.none)
        bonded.peripheral.advertise(target: bonded.central.address, own: 2)
        #expect(bonded.central.connect(to: bonded.peripheral.address, own: 2) == 0)
        bonded.pair.advance(40)
        let event = bonded.central.take().first ?? []
        #expect(event[2] == 0x0A && event[7] == 0 && bonded.has(bonded.peripheral.address, event, 8))
        #expect(bonded.isMade(Key.central, event, 14))
        #expect(event[20..<26].allSatisfy { $0 == 0 })
        let other = bonded.peripheral.take().first ?? []
        #expect(other[7] == 2 && other[14..<20].allSatisfy { $0 == 0 })
    }

    @Test func `type 3 is the random address for devices that are not in the list`() {
        let pair = Pair()
        #expect(pair.peripheral.command(0x2039, [1, 1, 1, 0, 0, 0]).count == 1)
        pair.peripheral.advertise(target: pair.central.address, own: 3)
        pair.central.scan()
        pair.advance(40)
        #expect(pair.central.take().isEmpty, "there is no random address")
        pair.peripheral.result(0x2035, [1, 1, 2, 3, 4, 5, 0xC6])
        pair.peripheral.result(0x2039, [1, 1, 1, 0, 0, 0])
        pair.advance(40)
        #expect(pair.central.take().first?[6...12] == [1, 1, 2, 3, 4, 5, 0xC6])
    }
}

/// Directed advertising to and from resolvable addresses.
@Suite struct DirectedPrivacyTests {
    private typealias Key = BondedPair.Key

    @Test(arguments: [ControllerKind.v4_2, .v5_3], [UInt8(1), 4])
    func `directed advertising to a bonded device connects by resolvable addresses`(
        kind: ControllerKind, type: UInt8
    ) throws {
        let bonded = BondedPair(kind)
        let (peripheral, central) = (bonded.peripheral, bonded.central)
        let stranger = TestHost(bonded.pair.radio, kind, number: 2)
        stranger.wantAllEvents()
        stranger.scan()
        peripheral.advertise(type: type, target: central.address, own: 2)
        central.scan(own: 2)
        bonded.pair.advance(40)
        let report = try #require(central.take().first)
        #expect(bonded.has(peripheral.address, report, kind == .v4_2 ? 6 : 7))
        if kind == .v5_3 {
            #expect(report[20] == 2 && bonded.has(central.address, report, 21), "the target was resolved")
        }
        central.stopScan()
        central.connect(to: peripheral.address, own: 2)
        bonded.pair.advance(140)
        let event = try #require(central.take().first)
        #expect(event[2] == 0x0A && event[3] == 0 && event[7] == 2)
        #expect(stranger.take().isEmpty)
    }

    @Test(arguments: [ControllerKind.v4_2, .v5_3])
    func `what is directed to an unknown resolvable address is reported only with the policies for it`(
        kind: ControllerKind
    ) throws {
        let bonded = BondedPair(kind)
        let stranger = TestHost(bonded.pair.radio, kind, number: 2)
        stranger.wantAllEvents()
        bonded.peripheral.advertise(type: 4, target: bonded.central.address, own: 2)
        stranger.scan()
        bonded.pair.advance(500)
        #expect(stranger.take().isEmpty)
        stranger.stopScan()
        stranger.scan(policy: 2)
        bonded.pair.advance(500)
        let event = try #require(stranger.take().first)
        if kind == .v4_2 {
            #expect(event[..<6] == [0x3E, 18, 0x0B, 1, 1, 1] && event[12] == 1 && event.count == 20)
            #expect(bonded.isMade(Key.peripheral, event, 6) && bonded.isMade(Key.central, event, 13))
        } else {
            #expect(event[..<4] == [0x3E, 26, 0x0D, 1] && event[6] == 1 && event[20] == 0xFE)
            #expect(bonded.isMade(Key.peripheral, event, 7) && bonded.isMade(Key.central, event, 21))
        }
    }

    @Test func `a central that uses resolvable addresses is not called by its identity`() {
        let bonded = BondedPair()
        let (pair, peripheral, central) = (bonded.pair, bonded.peripheral, bonded.central)
        peripheral.result(0x2029)
        peripheral.result(0x2027, bonded.typed(central.address) + Key.none + Key.peripheral)
        peripheral.advertise(type: 4, target: central.address, own: 2)
        central.connect(to: peripheral.address, own: 2)
        pair.advance(500)
        #expect(central.take().isEmpty)
        _ = central.cancelConnecting()
        central.connect(to: peripheral.address, own: 0)
        pair.advance(500)
        #expect(central.take().first?[2...3] == [0x0A, 0])
    }

    @Test func `the end of directed advertising of high duty names whom it was for`() {
        let bonded = BondedPair(.v4_2)
        bonded.peripheral.advertise(type: 1, target: bonded.central.address, own: 2)
        bonded.pair.advance(1_270)
        #expect(bonded.peripheral.take().isEmpty)
        bonded.pair.advance(20)
        let event = bonded.peripheral.take().first ?? []
        #expect(event[..<8] == [0x3E, 31, 0x0A, 0x3C, 0, 0, 1, 0])
        #expect(bonded.has(bonded.central.address, event, 8))
    }
}
