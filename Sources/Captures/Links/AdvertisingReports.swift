/// What controllers report of devices that advertise: LE Advertising Report and LE Extended Advertising Report.
struct AdvertisingReports {
    /// Extended advertisements of which more is to come.
    private var pieces: [DeviceAddress: [UInt8]] = [:]
    private static let maximumPieces = 64
    private static let maximumLength = 1650

    /// A device's address, what it advertises, whether that is a scan response, and how it was received.
    typealias Report = (DeviceAddress, ArraySlice<UInt8>, Bool, Reception) -> Void

    mutating func receive(_ parameters: ByteCursor, isExtended: Bool, _ report: Report) {
        var cursor = parameters
        guard let count = cursor.u8() else { return }
        for _ in 0..<count {
            guard isExtended ? extended(&cursor, report) : legacy(&cursor, report) else { return }
        }
    }

    private func legacy(_ cursor: inout ByteCursor, _ report: Report) -> Bool {
        guard let type = cursor.u8(), let addressType = cursor.u8(), let address = cursor.bytes(6),
            let length = cursor.u8()
        else { return false }
        let data = cursor.rest.prefix(Int(length))
        guard cursor.skip(data.count) else { return false }
        let strength = cursor.u8()
        report(
            DeviceAddress(address, isRandom: addressType & 1 == 1), data, type == 4, Reception(reported: strength))
        return strength != nil
    }

    private mutating func extended(_ cursor: inout ByteCursor, _ report: Report) -> Bool {
        // PHYs, set and power of the sender are in front of the strength, and behind it the interval of periodic
        // advertisements and whom they are for.
        guard let type = cursor.u16(), let addressType = cursor.u8(), let bytes = cursor.bytes(6), cursor.skip(4),
            let strength = cursor.u8(), cursor.skip(9), let length = cursor.u8()
        else { return false }
        let part = cursor.rest.prefix(Int(length))
        let address = DeviceAddress(bytes, isRandom: addressType & 1 == 1)
        var data = Array(part)
        if let former = pieces.removeValue(forKey: address) { data = former + part }
        // Two bits have the state of the data: 1 is incomplete.
        if type >> 5 & 3 == 1 {
            if pieces.count < Self.maximumPieces, data.count <= Self.maximumLength { pieces[address] = data }
        } else if addressType != 0xFF {
            report(address, data[...], type & 0b1000 != 0, Reception(reported: strength))
        }
        return cursor.skip(part.count)
    }
}

extension Reception {
    /// - Parameter number: as controllers report it: signed, and 127 if it is not known.
    fileprivate init(reported number: UInt8?) {
        strength = number.flatMap { $0 == 127 ? nil : Int(Int8(bitPattern: $0)) }
    }
}
