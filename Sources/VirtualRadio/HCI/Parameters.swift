/// The parameters of a command. The length is checked before a command is run, so nothing here is read beyond the end;
/// were it, it would be zero.
struct Parameters {
    let bytes: [UInt8]

    var count: Int { bytes.count }

    func byte(_ place: Int) -> UInt8 {
        place < bytes.count ? bytes[place] : 0
    }

    /// 16 bits, as all numbers with the least significant byte first.
    func number(_ place: Int) -> Int {
        Int(byte(place)) | Int(byte(place + 1)) << 8
    }

    /// 24 bits.
    func longNumber(_ place: Int) -> Int {
        number(place) | Int(byte(place + 2)) << 16
    }

    func bits64(_ place: Int) -> UInt64 {
        var value: UInt64 = 0
        for offset in 0..<8 { value |= UInt64(byte(place + offset)) << UInt64(8 * offset) }
        return value
    }

    /// An address whose type is elsewhere.
    func address(_ place: Int, isRandom: Bool) -> DeviceAddress {
        var value: UInt64 = 0
        for offset in 0..<6 { value |= UInt64(byte(place + offset)) << UInt64(8 * offset) }
        return DeviceAddress(bits: value, isRandom: isRandom)
    }

    /// An address after its type. Identity addresses (types 2 and 3) are those of devices, too.
    func typedAddress(_ place: Int) throws(ErrorCode) -> DeviceAddress {
        let type = byte(place)
        guard type <= 3 else { throw .invalidParameters }
        return address(place + 1, isRandom: type & 1 == 1)
    }

    func slice(_ place: Int, _ length: Int) -> [UInt8] {
        guard place >= 0, length > 0, place + length <= bytes.count else { return [] }
        return Array(bytes[place..<place + length])
    }
}
