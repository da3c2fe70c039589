/// Captures that tests make: a link of a phone and a device, in any format.
package struct CaptureBuilder {
    /// How the packets are stored.
    package enum Format: CaseIterable, Sendable {
        case btsnoopH1, btsnoopH4, monitor, packetLoggerBig, packetLoggerLittle
        case pcapH4, pcapH4WithHeader, pcapMonitor, pcapngH4WithHeader
        case airPlain, airWithHeader, airNordic

        package var isAir: Bool { [.airPlain, .airWithHeader, .airNordic].contains(self) }
    }

    /// What is in a packet.
    package enum Kind: Sendable {
        case command, event, aclSent, aclReceived
        case air(isFromCentral: Bool)
        /// Of Linux's management interface, from its code on. Only the monitor's formats have it.
        case management(isEvent: Bool)
    }

    package let format: Format
    package private(set) var bytes: [UInt8] = []
    /// By which Nordic's sniffer receives, in -dBm.
    package var strength: UInt8 = 40
    /// How many packets there are.
    package private(set) var count = 0
    /// Microseconds since the beginning of 1970.
    package var time: Int64 = 1_796_000_000_000_000
    /// Beyond it packets are cut off, as by Android's snooplen.
    package var snapLength = Int.max
    /// Whether each frame in the air is sent twice.
    package var repeatsFrames = false
    /// Whether the sniffer has missed the frame before each one.
    package var skipsSequenceNumber = false
    private var sequence: [UInt8] = [0, 0]

    package static let handle: UInt16 = 0x0040
    package static let peripheral: [UInt8] = [0x56, 0x34, 0x12, 0xE3, 0x64, 0xC4]
    package static let central: [UInt8] = [0x06, 0x05, 0x04, 0x03, 0x02, 0x01]
    private static let accessAddress: UInt32 = 0x50AA_1234

    package init(_ format: Format = .btsnoopH4) {
        self.format = format
        switch format {
        case .btsnoopH1: bytes = Array("btsnoop\0".utf8) + big(1, 4) + big(1001, 4)
        case .btsnoopH4: bytes = Array("btsnoop\0".utf8) + big(1, 4) + big(1002, 4)
        case .monitor: bytes = Array("btsnoop\0".utf8) + big(1, 4) + big(2001, 4)
        case .packetLoggerBig, .packetLoggerLittle: break
        case .pcapH4: bytes = pcapHeader(187)
        case .pcapH4WithHeader: bytes = pcapHeader(201)
        case .pcapMonitor: bytes = pcapHeader(254)
        case .airPlain: bytes = pcapHeader(251)
        case .airWithHeader: bytes = pcapHeader(256)
        case .airNordic: bytes = pcapHeader(272)
        case .pcapngH4WithHeader:
            bytes = little(0x0A0D_0D0A, 4) + little(28, 4) + little(0x1A2B_3C4D, 4) + little(1, 4)
            bytes += [UInt8](repeating: 0xFF, count: 8) + little(28, 4)
            bytes += little(1, 4) + little(20, 4) + little(201, 2) + little(0, 2) + little(0, 4) + little(20, 4)
        }
    }

    private func pcapHeader(_ linkType: Int) -> [UInt8] {
        little(0xA1B2_C3D4, 4) + little(2, 2) + little(4, 2) + little(0, 8) + little(0x40000, 4) + little(linkType, 4)
    }

    // MARK: Packets

    /// Adds a packet, a millisecond after the one before.
    package mutating func add(_ kind: Kind, _ content: [UInt8]) {
        if case .management = kind, format != .monitor, format != .pcapMonitor { return }
        count += 1
        time += 1000
        let (whole, flags, type, opcode): ([UInt8], Int, UInt8, Int) =
            switch kind {
            case .command: (content, 2, 1, 2)
            case .event: (content, 3, 4, 3)
            case .aclSent: (content, 0, 2, 4)
            case .aclReceived: (content, 1, 2, 5)
            case .air: (content, 0, 0, 0)
            case .management(let isEvent): (little(1, 4) + content, 0, 0, isEvent ? 17 : 16)
            }
        let h4 = [type] + whole
        switch format {
        case .btsnoopH1: addBtsnoop(whole, flags)
        case .btsnoopH4: addBtsnoop(h4, flags)
        case .monitor: addBtsnoop(whole, opcode)
        case .packetLoggerBig, .packetLoggerLittle: addPacketLogger(whole, UInt8([2, 3, 0, 1][flags]))
        case .pcapH4: addPcap(h4)
        case .pcapH4WithHeader: addPcap(big(flags & 1, 4) + h4)
        case .pcapMonitor: addPcap(big(0, 2) + big(opcode, 2) + whole)
        case .pcapngH4WithHeader: addPcapng(big(flags & 1, 4) + h4)
        case .airPlain: addPcap(whole)
        case .airWithHeader, .airNordic: addAir(whole, kind)
        }
    }

    private mutating func addAir(_ whole: [UInt8], _ kind: Kind) {
        guard case .air(let isFromCentral) = kind else { return }
        if format == .airWithHeader {
            let isData = !whole.starts(with: little(0x8E89_BED6, 4))
            let direction = isData ? (isFromCentral ? 2 : 3) << 7 : 0
            addPcap([10, 0xC0, 0, 0] + little(0, 4) + little(0x0C03 | direction, 2) + whole)
        } else {
            let length = UInt8(truncatingIfNeeded: whole.count + 10)
            addPcap([1, 6, length, 1, 0, 0, 6, 10, isFromCentral ? 3 : 1, 37, strength, 0, 0, 0, 0, 0, 0] + whole)
        }
    }

    private mutating func addBtsnoop(_ content: [UInt8], _ flags: Int) {
        let kept = content.prefix(snapLength)
        let stamp = UInt64(bitPattern: time + 0x00DC_DDB3_0F2F_8000)
        bytes += big(content.count, 4) + big(kept.count, 4) + big(flags, 4) + big(0, 4)
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: stamp >> UInt64(56 - 8 * $0)) } + kept
    }

    private mutating func addPacketLogger(_ content: [UInt8], _ type: UInt8) {
        let number = format == .packetLoggerBig ? big : little
        bytes += number(9 + content.count, 4) + number(Int(time / 1_000_000), 4) + number(Int(time % 1_000_000), 4)
        bytes += [type] + content
    }

    private mutating func addPcap(_ content: [UInt8]) {
        let kept = content.prefix(snapLength)
        bytes += little(Int(time / 1_000_000), 4) + little(Int(time % 1_000_000), 4)
        bytes += little(kept.count, 4) + little(content.count, 4) + kept
    }

    private mutating func addPcapng(_ content: [UInt8]) {
        let padded = content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
        bytes += little(6, 4) + little(32 + padded.count, 4) + little(0, 4)
        bytes += little(Int(time >> 32), 4) + little(Int(time & 0xFFFF_FFFF), 4)
        bytes += little(content.count, 4) + little(content.count, 4) + padded + little(32 + padded.count, 4)
    }

    // MARK: What devices do

    /// The device advertises, from a random address.
    package mutating func advertise(
        _ data: [UInt8], isScanResponse: Bool = false, from address: [UInt8] = Self.peripheral
    ) {
        if format.isAir {
            addAirFrame(
                0x8E89_BED6, [isScanResponse ? 0x44 : 0x40, UInt8(6 + data.count)] + address + data, false)
        } else {
            let report = [isScanResponse ? 4 : 0, 1] + address + [UInt8(data.count)] + data + [0xC0]
            add(.event, [0x3E, UInt8(2 + report.count), 0x02, 1] + report)
        }
    }

    /// The phone connects, to a random address.
    package mutating func connect(to address: [UInt8] = Self.peripheral) {
        if format.isAir {
            let data =
                little(Int(Self.accessAddress), 4) + [1, 2, 3, 3] + little(0, 2) + little(24, 2) + little(0, 2)
                + little(72, 2) + [255, 255, 255, 255, 31, 5]
            addAirFrame(0x8E89_BED6, [0x85, UInt8(12 + data.count)] + Self.central + address + data, true)
        } else {
            let parameters =
                [0x01, 0] + little(Int(Self.handle), 2) + [0, 1] + address + [24, 0, 0, 0, 72, 0, 0]
            add(.event, [0x3E, UInt8(parameters.count)] + parameters)
        }
    }

    package mutating func disconnect(reason: UInt8 = 0x13) {
        if format.isAir {
            addData([0x02, reason], identifier: 3, isFromCentral: true)
        } else {
            add(.event, [0x05, 4, 0] + little(Int(Self.handle), 2) + [reason])
        }
    }

    package mutating func encrypt() {
        if format.isAir {
            addData([0x05], identifier: 3, isFromCentral: false)
        } else {
            add(.event, [0x08, 4, 0] + little(Int(Self.handle), 2) + [1])
        }
    }

    /// A PDU of L2CAP, in fragments of this many bytes.
    package mutating func l2cap(_ channel: Int, _ payload: [UInt8], isFromPhone: Bool, fragment: Int = 251) {
        let pdu = little(payload.count, 2) + little(channel, 2) + payload
        for start in stride(from: 0, to: pdu.count, by: max(1, fragment)) {
            let piece = Array(pdu[start..<min(start + max(1, fragment), pdu.count)])
            if format.isAir {
                addData(piece, identifier: start == 0 ? 2 : 1, isFromCentral: isFromPhone)
            } else {
                let boundary = start > 0 ? 1 : isFromPhone ? 0 : 2
                add(
                    isFromPhone ? .aclSent : .aclReceived,
                    little(Int(Self.handle) | boundary << 12, 2) + little(piece.count, 2) + piece)
            }
        }
    }

    /// A request or a command of the phone.
    package mutating func send(_ pdu: [UInt8], fragment: Int = 251) {
        l2cap(4, pdu, isFromPhone: true, fragment: fragment)
    }

    /// A response, a notification or an indication of the device.
    package mutating func receive(_ pdu: [UInt8], fragment: Int = 251) {
        l2cap(4, pdu, isFromPhone: false, fragment: fragment)
    }

    private mutating func addData(_ payload: [UInt8], identifier: UInt8, isFromCentral: Bool) {
        // Each connection event has a frame of both sides: without a stored direction, the times have it.
        if format == .airPlain, !isFromCentral {
            time += 20_000
            addFrame([], identifier: 1, isFromCentral: true)
            time += 150 - 1000 + 80
        } else {
            time += 20_000
        }
        addFrame(payload, identifier: identifier, isFromCentral: isFromCentral)
    }

    private mutating func addFrame(_ payload: [UInt8], identifier: UInt8, isFromCentral: Bool) {
        let side = isFromCentral ? 0 : 1
        if !skipsSequenceNumber { sequence[side] ^= 1 }
        for _ in 0..<(repeatsFrames && !payload.isEmpty ? 2 : 1) {
            addAirFrame(
                Self.accessAddress, [identifier | sequence[side] << 3, UInt8(payload.count)] + payload, isFromCentral)
            if repeatsFrames { time += isFromCentral || format != .airPlain ? 20_000 : 0 }
        }
    }

    private mutating func addAirFrame(_ accessAddress: UInt32, _ pdu: [UInt8], _ isFromCentral: Bool) {
        add(.air(isFromCentral: isFromCentral), little(Int(accessAddress), 4) + pdu + [0, 0, 0])
    }

    // MARK: What is said

    /// The phone finds a thermometer: a service 1809 at 0x0010, Temperature Measurement that indicates at 0x0012 with
    /// its configuration at 0x0013, and Temperature Type at 0x0015; and one of 128 bits with rx and tx at 0x0020.
    package mutating func discover() {
        send([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28])
        receive([0x11, 6, 0x10, 0x00, 0x1F, 0x00, 0x09, 0x18])
        send([0x10, 0x20, 0x00, 0xFF, 0xFF, 0x00, 0x28])
        receive([0x11, 20, 0x20, 0x00, 0xFF, 0xFF] + Self.uart(1))
        send([0x08, 0x10, 0x00, 0x1F, 0x00, 0x03, 0x28])
        receive([0x09, 7, 0x11, 0x00, 0x20, 0x12, 0x00, 0x1C, 0x2A, 0x14, 0x00, 0x02, 0x15, 0x00, 0x1D, 0x2A])
        send([0x08, 0x16, 0x00, 0x1F, 0x00, 0x03, 0x28])
        receive([0x01, 0x08, 0x16, 0x00, 0x0A])
        send([0x08, 0x20, 0x00, 0xFF, 0xFF, 0x03, 0x28])
        receive([0x09, 21, 0x21, 0x00, 0x0C, 0x22, 0x00] + Self.uart(2))
        send([0x08, 0x22, 0x00, 0xFF, 0xFF, 0x03, 0x28])
        receive([0x09, 21, 0x23, 0x00, 0x10, 0x24, 0x00] + Self.uart(3))
        send([0x04, 0x13, 0x00, 0x13, 0x00])
        receive([0x05, 1, 0x13, 0x00, 0x02, 0x29])
        send([0x04, 0x25, 0x00, 0xFF, 0xFF])
        receive([0x05, 1, 0x25, 0x00, 0x02, 0x29])
    }

    /// The UUIDs of Nordic Semiconductor's UART service, as they are sent.
    package static func uart(_ number: UInt8) -> [UInt8] {
        [0x9E, 0xCA, 0xDC, 0x24, 0x0E, 0xE5, 0xA9, 0xE0, 0x93, 0xF3, 0xA3, 0xB5, number, 0x00, 0x40, 0x6E]
    }

    package mutating func read(_ handle: Int, _ value: [UInt8]) {
        send([0x0A] + little(handle, 2))
        receive([0x0B] + value)
    }

    package mutating func write(_ handle: Int, _ value: [UInt8]) {
        send([0x12] + little(handle, 2) + value)
        receive([0x13])
    }

    package mutating func refuse(_ request: [UInt8], _ error: UInt8) {
        send(request)
        receive([0x01, request[0]] + request[1...2] + [error])
    }

    package mutating func notify(_ handle: Int, _ value: [UInt8]) {
        receive([0x1B] + little(handle, 2) + value)
    }

    /// An app's whole session with the thermometer.
    package mutating func session() {
        advertise([2, 1, 6, 3, 3, 0x09, 0x18, 5, 9] + Array("Room".utf8))
        connect()
        send([0x02, 0x05, 0x02])
        receive([0x03, 0xF7, 0x00])
        discover()
        read(0x15, [2])
        write(0x25, [1, 0])
        for _ in 0..<2 {
            write(0x22, Array("PING".utf8))
            notify(0x24, Array("PONG".utf8))
        }
        write(0x13, [2, 0])
        for value: UInt8 in [3, 7, 5] {
            time += 500_000
            receive([0x1D, 0x12, 0x00, 0, value, 0, 0, 0xFF])
            send([0x1E])
        }
        disconnect()
    }
}

/// A number in this many bytes, the lowest first.
package func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

/// The same, the highest first.
package func big(_ number: Int, _ count: Int) -> [UInt8] { little(number, count).reversed() }
