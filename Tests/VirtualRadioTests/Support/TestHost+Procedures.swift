import Testing

@testable import VirtualRadio

/// What the tests do with hosts, by the commands that Linux sends: legacy ones to a 4.2 controller, extended ones to
/// the other kind.
extension TestHost {
    static let flags: [UInt8] = [2, 1, 6]

    var isExtended: Bool { radio.controllers[index]?.kind == .v5_3 }

    /// Advertises as connectable and scannable, every 100 ms. `type`: of legacy advertising.
    func advertise(
        _ data: [UInt8] = flags, response: [UInt8] = [], type: UInt8 = 0, target: DeviceAddress? = nil,
        policy: UInt8 = 0, own: UInt8 = 0
    ) {
        let peer = target.map { [$0.type] + bytes($0) } ?? [UInt8](repeating: 0, count: 7)
        if isExtended {
            let properties: [UInt8] = [0x13, 0x1D, 0x12, 0x10, 0x15]
            let first: [UInt8] = [1, properties[Int(type)], 0, 0xA0, 0, 0, 0xA0, 0, 0, 7, own] + peer
            result(0x2036, first + [policy, 0x7F, 1, 0, 1, 0, 0])
            if type != 1, type != 4 {
                result(0x2037, [1, 3, 1, UInt8(data.count)] + data)
                if type == 0 || type == 2 { result(0x2038, [1, 3, 1, UInt8(response.count)] + response) }
            }
            result(0x2039, [1, 1, 1, type == 1 ? 100 : 0, 0, 0])
        } else {
            result(0x2006, [0xA0, 0, 0xA0, 0, type, own] + peer + [7, policy])
            result(0x2008, [UInt8(data.count)] + filled(data))
            result(0x2009, [UInt8(response.count)] + filled(response))
            result(0x200A, [1])
        }
    }

    func stopAdvertising() {
        result(isExtended ? 0x2039 : 0x200A, isExtended ? [0, 0] : [0])
    }

    func scan(isActive: Bool = true, filtersDuplicates: Bool = true, policy: UInt8 = 0, own: UInt8 = 0) {
        let active: UInt8 = isActive ? 1 : 0
        let filter: UInt8 = filtersDuplicates ? 1 : 0
        if isExtended {
            result(0x2041, [own, policy, 1, active, 0x60, 0, 0x30, 0])
            result(0x2042, [1, filter, 0, 0, 0, 0])
        } else {
            result(0x200B, [active, 0x60, 0, 0x30, 0, own, policy])
            result(0x200C, [1, filter])
        }
    }

    func stopScan() {
        result(isExtended ? 0x2042 : 0x200C, isExtended ? [0, 0, 0, 0, 0, 0] : [0, 0])
    }

    /// Begins to connect, with an interval of 30 ms and a supervision timeout of 420 ms. `nil`: to any of the accept
    /// list.
    @discardableResult
    func connect(
        to peer: DeviceAddress?, interval: UInt8 = 24, latency: UInt8 = 0, timeout: UInt8 = 42, phys: UInt8 = 1,
        own: UInt8 = 0
    ) -> UInt8 {
        let policy: UInt8 = peer == nil ? 1 : 0
        let typed = peer.map { [$0.type] + bytes($0) } ?? [UInt8](repeating: 0, count: 7)
        let parameters: [UInt8] = [interval, 0, interval, 0, latency, 0, timeout, 0, 0, 0, 0, 0]
        if isExtended {
            return status(0x2043, [policy, own] + typed + [phys, 0x60, 0, 0x60, 0] + parameters)
        }
        return status(0x200D, [0x60, 0, 0x60, 0, policy] + typed + [own] + parameters)
    }

    func cancelConnecting() -> [[UInt8]] { command(0x200E) }

    func disconnect(_ handle: Int, reason: UInt8 = 0x13) -> UInt8 {
        status(0x0406, [UInt8(handle), 0, reason])
    }

    /// Sends a packet of data.
    func send(_ content: [UInt8], _ handle: Int, isStart: Bool = true) {
        let length = [UInt8(content.count & 0xFF), UInt8(content.count >> 8)]
        send([2, UInt8(handle & 0xFF), UInt8(handle >> 8) | (isStart ? 0 : 0x10)] + length + content)
    }

    func bytes(_ address: DeviceAddress) -> [UInt8] { [UInt8](bits: address.bits, count: 6) }

    private func filled(_ data: [UInt8]) -> [UInt8] {
        data + [UInt8](repeating: 0, count: 31 - data.count)
    }
}

/// A central and a peripheral.
struct Pair {
    let radio: Radio
    let peripheral: TestHost
    let central: TestHost

    init(_ kind: ControllerKind = .v5_3, seed: UInt64 = 1, air: AirModel = .ideal) {
        radio = Radio(seed: seed, air: air)
        peripheral = TestHost(radio, kind, number: 0)
        central = TestHost(radio, kind, number: 1)
        for host in [peripheral, central] { host.wantAllEvents() }
    }

    func advance(_ milliseconds: Int) {
        radio.advance(to: radio.now + milliseconds * Span.millisecond)
    }

    /// Connects and returns the handles, after what follows by itself.
    func connect(interval: UInt8 = 24, latency: UInt8 = 0, timeout: UInt8 = 42) -> (central: Int, peripheral: Int) {
        peripheral.advertise()
        central.connect(to: peripheral.address, interval: interval, latency: latency, timeout: timeout)
        advance(40)
        let events = (central.take(), peripheral.take())
        guard let first = events.0.first, let second = events.1.first, first.count > 5, second.count > 5 else {
            return (0xFFF, 0xFFF)
        }
        return (number(first, 4), number(second, 4))
    }
}
