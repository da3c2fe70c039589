/// Values that are written in parts: each is prepared, and all are written together. Specification: Core 5.4, Vol 3,
/// Part F, 3.4.6.
struct PreparedWrites {
    private struct Write {
        let handle: UInt16
        var value: [UInt8]
        let mark: PacketMark
        var isTruncated: Bool
    }

    private var writes: [Write] = []

    private static let maximumWrites = 64
    private static let maximumLength = 512

    /// - Returns: what was written.
    mutating func receive(_ exchange: ATTExchange) -> [SessionEvent] {
        var cursor = ByteCursor(exchange.parameters)
        if exchange.opcode == ATTOpcode.prepareWriteRequest {
            guard let handle = cursor.u16(), let offset = cursor.u16() else { return [] }
            switch exchange.answer {
            case .success: add(handle, Int(offset), cursor.rest, exchange)
            case .error(let error):
                return [
                    .init(
                        .write(handle, Array(cursor.rest), hasResponse: true, .error(error)), at: exchange.mark,
                        answeredAt: exchange.answerMark)
                ]
            case .none, .notNeeded: break
            }
            return []
        }
        defer { writes = [] }
        // 0 cancels what was prepared.
        guard cursor.u8() == 1 else { return [] }
        return writes.map { write in
            if write.isTruncated { return .init(.truncatedWrite(write.handle), at: write.mark) }
            let outcome: SessionEvent.Outcome =
                switch exchange.answer {
                case .success, .notNeeded: .success([])
                case .error(let error): .error(error)
                case .none: .unanswered
                }
            return .init(
                .write(write.handle, write.value, hasResponse: true, outcome), at: write.mark,
                answeredAt: exchange.answerMark)
        }
    }

    private mutating func add(_ handle: UInt16, _ offset: Int, _ part: ArraySlice<UInt8>, _ exchange: ATTExchange) {
        if let last = writes.last, last.handle == handle, last.value.count == offset {
            guard last.value.count + part.count <= Self.maximumLength else { return }
            writes[writes.count - 1].value += part
            writes[writes.count - 1].isTruncated = last.isTruncated || exchange.isTruncated
        } else if writes.count < Self.maximumWrites {
            writes.append(
                Write(handle: handle, value: Array(part), mark: exchange.mark, isTruncated: exchange.isTruncated))
        }
    }
}
