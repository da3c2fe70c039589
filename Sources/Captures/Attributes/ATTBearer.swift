/// A request and its answer, or a PDU that has none.
struct ATTExchange {
    enum Answer {
        /// The response's parameters.
        case success(ArraySlice<UInt8>, isTruncated: Bool)
        case error(UInt8)
        /// It was not answered before the link ended or the next request came, or the capture does not have the answer.
        case none
        /// A command, a notification or an indication.
        case notNeeded
    }

    let opcode: UInt8
    let parameters: ArraySlice<UInt8>
    /// Whether the capture has only the beginning of the request.
    let isTruncated: Bool
    let answer: Answer
    let mark: PacketMark
    /// Where the answer is; nil without one.
    let answerMark: PacketMark?
    /// Whether the attributes are those of the peripheral.
    let isOfPeripheral: Bool
}

/// Finds the answers to requests on one bearer. Each side has at most one request at a time. Specification: Core 5.4,
/// Vol 3, Part F, 3.3.2.
struct ATTBearer {
    /// The request of each side that has no answer yet, by its direction.
    private var pending: [ATTPacket?] = [nil, nil]
    /// Answers to nothing: the capture does not have the request, or another one's answer.
    private(set) var strayCount = 0

    /// - Returns: what is complete now.
    mutating func receive(_ packet: ATTPacket) -> [ATTExchange] {
        guard let opcode = packet.bytes.first else { return [] }
        let isToPeripheral = packet.direction == .toPeripheral
        if ATTOpcode.requests.contains(opcode) {
            // Exactly one may be open: the answer to the one before is missing.
            let former = pending[packet.direction.rawValue].map { Self.unanswered($0) }
            pending[packet.direction.rawValue] = packet.kept
            return former.map { [$0] } ?? []
        }
        if ATTOpcode.responses.contains(opcode) { return answer(packet, opcode) }
        switch opcode {
        case ATTOpcode.writeCommand, ATTOpcode.signedWriteCommand:
            return [Self.unilateral(packet, isOfPeripheral: isToPeripheral)]
        case ATTOpcode.handleValueNotification, ATTOpcode.handleValueIndication,
            ATTOpcode.multipleHandleValueNotification:
            return [Self.unilateral(packet, isOfPeripheral: !isToPeripheral)]
        default: return []
        }
    }

    /// The link has ended.
    mutating func end() -> [ATTExchange] {
        defer { pending = [nil, nil] }
        return pending.compactMap { $0.map { Self.unanswered($0) } }
    }

    private mutating func answer(_ packet: ATTPacket, _ opcode: UInt8) -> [ATTExchange] {
        let direction = packet.direction.opposite
        guard let request = pending[direction.rawValue], let code = request.bytes.first else {
            strayCount += 1
            return []
        }
        let answer: ATTExchange.Answer
        if opcode == ATTOpcode.errorResponse {
            var cursor = ByteCursor(packet.bytes.dropFirst())
            guard cursor.u8() == code, cursor.skip(2), let error = cursor.u8(), error != 0 else {
                strayCount += 1
                return []
            }
            answer = .error(error)
        } else {
            guard opcode == code + 1 else {
                strayCount += 1
                return []
            }
            answer = .success(packet.bytes.dropFirst(), isTruncated: packet.isTruncated)
        }
        pending[direction.rawValue] = nil
        return [
            ATTExchange(
                opcode: code, parameters: request.bytes.dropFirst(), isTruncated: request.isTruncated, answer: answer,
                mark: request.mark, answerMark: packet.mark, isOfPeripheral: direction == .toPeripheral)
        ]
    }

    private static func unanswered(_ request: ATTPacket) -> ATTExchange {
        ATTExchange(
            opcode: request.bytes.first ?? 0, parameters: request.bytes.dropFirst(), isTruncated: request.isTruncated,
            answer: .none, mark: request.mark, answerMark: nil, isOfPeripheral: request.direction == .toPeripheral)
    }

    private static func unilateral(_ packet: ATTPacket, isOfPeripheral: Bool) -> ATTExchange {
        ATTExchange(
            opcode: packet.bytes.first ?? 0, parameters: packet.bytes.dropFirst(), isTruncated: packet.isTruncated,
            answer: .notNeeded, mark: packet.mark, answerMark: nil, isOfPeripheral: isOfPeripheral)
    }
}

extension ATTPacket {
    /// No request is as long: a value has at most 512 bytes.
    private static let maximumLength = 1024

    /// The packet with bytes of its own, apart from the file's.
    fileprivate var kept: ATTPacket {
        ATTPacket(
            bytes: Array(bytes.prefix(Self.maximumLength))[...],
            isTruncated: isTruncated || bytes.count > Self.maximumLength, direction: direction, bearer: bearer,
            mark: mark)
    }
}
