/// A packet in the air as files of the link type LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR (256) have it: a pseudo header of
/// ten bytes, then access address, header, payload and CRC. (tcpdump.org/linktypes)
struct AirPacket {
    enum Flag {
        static let isDewhitened = 0x0001
        static let hasSignal = 0x0002
        static let isDecrypted = 0x0008
        static let hasReferenceAddress = 0x0010
        static let isAuxiliary = 1 << 7
        static let isFromCentral = 2 << 7
        static let isFromPeripheral = 3 << 7
        static let isCRCChecked = 0x0400
        static let isCRCValid = 0x0800
    }

    /// Of advertising channels. (Core Specification, Vol 6 Part B, 2.1.2, 3.1.1)
    static let advertisingAddress: UInt32 = 0x8E89_BED6
    static let advertisingCRC: UInt32 = 0x55_5555

    private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - channel: of the Link Layer, from 0 to 39.
    ///   - flags: who has sent it.
    ///   - start: with what the CRC begins.
    init(
        channel: Int, signal: Int8, address: UInt32, start: UInt32, phy: PHY, flags: Int, header: (UInt8, UInt8),
        _ payload: some Collection<UInt8>
    ) {
        let always = Flag.isDewhitened | Flag.hasSignal | Flag.hasReferenceAddress | Flag.isCRCChecked | Flag.isCRCValid
        bytes.reserveCapacity(payload.count + 24)
        bytes.append(Self.frequency(channel))
        bytes.append(UInt8(bitPattern: signal))
        bytes.append(0)  // noise is not measured
        bytes.append(0)
        bytes += [UInt8](bits: UInt64(address), count: 4)
        bytes += [UInt8](number: flags | always | Int(phy.rawValue - 1) << 14)
        bytes += [UInt8](bits: UInt64(address), count: 4)
        // The coding indicator: eight symbols a bit.
        if phy == .coded { bytes.append(0) }
        let begin = bytes.count
        bytes.append(header.0)
        bytes.append(header.1)
        bytes += payload
        bytes += Self.check(bytes[begin...], start)
    }

    /// The channel's place in the band, by which files number them: advertising channels lie between the others.
    private static func frequency(_ channel: Int) -> UInt8 {
        switch channel {
        case 37: 0
        case 38: 12
        case 39: 39
        default: UInt8(truncatingIfNeeded: channel < 11 ? channel + 1 : channel + 2)
        }
    }

    /// The CRC of 24 bits, x²⁴ + x¹⁰ + x⁹ + x⁶ + x⁴ + x³ + x + 1, as it is sent. (3.1.1)
    static func check(_ content: ArraySlice<UInt8>, _ start: UInt32) -> [UInt8] {
        // Bit 23 is the one that is sent first: the register is kept in reverse, since bytes go from their lowest bit.
        var register = reversed(start)
        for byte in content {
            for place: UInt8 in 0..<8 {
                let bit = UInt32(byte >> place & 1) ^ register & 1
                register >>= 1
                if bit == 1 { register ^= 0xDA_6000 }
            }
        }
        return [UInt8](bits: UInt64(register), count: 3)
    }

    private static func reversed(_ value: UInt32) -> UInt32 {
        (0..<24).reduce(0) { $0 | (value >> UInt32($1) & 1) << UInt32(23 - $1) }
    }
}
