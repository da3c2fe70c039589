import CoreBluetooth

/// Assembles the pieces of a long write.
enum WriteAssembly {
    /// The value after the writes, each of which replaces everything from its offset on.
    ///
    /// - Parameters:
    ///   - pieces: in the order of their arrival.
    ///   - value: the value before.
    /// - Throws: `invalidOffset` for a piece that would leave a gap, `invalidAttributeValueLength` for a value longer
    ///   than an attribute can be.
    static func value(
        after pieces: some Sequence<(offset: Int, bytes: Data)>, on value: @autoclosure () -> Data
    ) throws(CBATTError) -> Data {
        var result: Data?
        for piece in pieces {
            if piece.offset == 0 {
                result = piece.bytes
            } else {
                let before = result ?? value()
                guard piece.offset >= 0, piece.offset <= before.count else { throw CBATTError(.invalidOffset) }
                result = before.prefix(piece.offset) + piece.bytes
            }
        }
        let final = result ?? value()
        guard final.count <= 512 else { throw CBATTError(.invalidAttributeValueLength) }
        return final
    }
}
