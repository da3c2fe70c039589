/// What a host has its controller advertise, from the commands that it gives.
struct OwnAdvertiser {
    private let controller: UInt16
    var publicAddress: DeviceAddress?
    private var randomAddress: DeviceAddress?
    /// The kind of address that the host asked for last: 0 is public.
    private var ownAddressType: UInt8 = 0
    /// Data that come in pieces, by the set's number and whether they are of the scan response.
    private var pieces: [Piece: [UInt8]] = [:]

    private struct Piece: Hashable {
        let set: UInt8
        let isScanResponse: Bool
    }

    init(controller: UInt16) {
        self.controller = controller
    }

    var identity: DeviceIdentity {
        let address = ownAddressType & 1 == 1 ? randomAddress ?? publicAddress : publicAddress ?? randomAddress
        return address.map { .address($0) } ?? .host(controller: controller)
    }

    /// - Parameter advertise: gets the data, who advertises them, and whether they are a scan response.
    mutating func receive(
        _ opcode: UInt16, _ parameters: ByteCursor,
        _ advertise: (ArraySlice<UInt8>, DeviceIdentity, Bool) -> Void
    ) {
        var cursor = parameters
        switch opcode {
        // LE Set Random Address, LE Set Advertising Set Random Address.
        case 0x2005: randomAddress = cursor.bytes(6).map { DeviceAddress($0, isRandom: true) }
        case 0x2035:
            guard cursor.skip(1) else { return }
            randomAddress = cursor.bytes(6).map { DeviceAddress($0, isRandom: true) }
        // LE Set Advertising Parameters: two intervals, the type, then the kind of address.
        case 0x2006:
            guard cursor.skip(5) else { return }
            ownAddressType = cursor.u8() ?? 0
        // LE Set Extended Advertising Parameters: the set, properties, two intervals of three bytes and the channels.
        case 0x2036:
            guard cursor.skip(10) else { return }
            ownAddressType = cursor.u8() ?? 0
        // LE Set Advertising Data, LE Set Scan Response Data: always 31 bytes, behind the number of those that count.
        case 0x2008, 0x2009:
            guard let length = cursor.u8() else { return }
            advertise(cursor.rest.prefix(Int(length)), identity, opcode == 0x2009)
        // The same for extended advertising.
        case 0x2037, 0x2038:
            guard let set = cursor.u8(), let operation = cursor.u8(), cursor.skip(1), let length = cursor.u8() else {
                return
            }
            let piece = Piece(set: set, isScanResponse: opcode == 0x2038)
            // 0 to 2 are the pieces between the first and the last one, 3 is all of the data.
            var data = operation == 0 || operation == 2 ? pieces[piece] ?? [] : []
            data += cursor.rest.prefix(Int(length))
            // As much as a set can have. Specification: Core 5.4, Vol 4, Part E, 7.8.54.
            let isKept = (operation == 0 || operation == 1) && (pieces.count < 16 || pieces[piece] != nil)
            pieces[piece] = isKept ? Array(data.prefix(1650)) : nil
            if operation == 2 || operation == 3 { advertise(data[...], identity, opcode == 0x2038) }
        default: break
        }
    }
}
