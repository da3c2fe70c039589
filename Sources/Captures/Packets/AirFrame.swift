/// A frame of the link layer, as a sniffer has received it.
struct AirFrame {
    let accessAddress: UInt32
    /// The header and the payload.
    let pdu: ArraySlice<UInt8>
    /// Whether the central has sent it; nil if the sniffer does not say.
    let isFromCentral: Bool?
    let isDamaged: Bool
    /// Whether it was encrypted on the air, and the sniffer knows the key.
    let isDecrypted: Bool
    /// In dBm; nil if the sniffer does not say.
    let strength: Int?

    static let advertisingAccessAddress: UInt32 = 0x8E89_BED6

    var isAdvertising: Bool { accessAddress == Self.advertisingAccessAddress }

    private static let crcLength = 3

    private init?(
        _ bytes: ArraySlice<UInt8>, isFromCentral: Bool?, isDamaged: Bool, isDecrypted: Bool, strength: Int? = nil,
        hasCRC: Bool = true
    ) {
        var cursor = ByteCursor(bytes)
        guard let address = cursor.u32(), cursor.count >= 2 else { return nil }
        accessAddress = address
        pdu = hasCRC ? cursor.rest.dropLast(Self.crcLength) : cursor.rest
        self.isFromCentral = isFromCentral
        self.isDamaged = isDamaged
        self.isDecrypted = isDecrypted
        self.strength = strength
    }

    /// Link type 251: from the access address to the CRC.
    init?(plain bytes: ArraySlice<UInt8>) {
        self.init(bytes, isFromCentral: nil, isDamaged: false, isDecrypted: false)
    }

    /// Link type 256: channel, powers, offenses, the reference access address and flags in front. Specification:
    /// www.tcpdump.org/linktypes/LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR.html.
    init?(withHeader bytes: ArraySlice<UInt8>) {
        var cursor = ByteCursor(bytes)
        guard cursor.skip(1), let power = cursor.u8(), cursor.skip(6), let flags = cursor.u16() else { return nil }
        let direction: Bool? =
            switch flags >> 7 & 7 {
            case 2: true
            case 3: false
            default: nil
            }
        self.init(
            cursor.rest, isFromCentral: direction, isDamaged: flags & 0x0C00 == 0x0400,
            isDecrypted: flags & 0x0008 != 0, strength: flags & 0x0002 != 0 ? Int(Int8(bitPattern: power)) : nil)
    }

    /// Link type 272. Behind the board's number and a header of six bytes there are ten more: their length, flags,
    /// channel, strength, the event's number and a time.
    init?(nordic bytes: ArraySlice<UInt8>) {
        var cursor = ByteCursor(bytes)
        guard cursor.skip(8), let flags = cursor.u8(), cursor.skip(1), let strength = cursor.u8(), cursor.skip(6) else {
            return nil
        }
        // A connection's frames only: a sniffer has no direction for advertisements.
        self.init(
            cursor.rest, isFromCentral: flags & 2 != 0, isDamaged: flags & 1 == 0,
            isDecrypted: flags & 0b1100 == 0b1100, strength: strength <= 127 ? -Int(strength) : nil)
    }
}
