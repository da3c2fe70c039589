/// Makes events of exchanges: what was read, written and sent. Specification: Core 5.4, Vol 3, Part F, 3.4.
enum ExchangeReader {
    static func events(_ exchange: ATTExchange, _ device: ObservedDevice) -> [SessionEvent] {
        var cursor = ByteCursor(exchange.parameters)
        func event(_ kind: SessionEvent.Kind) -> SessionEvent {
            SessionEvent(kind, at: exchange.mark, answeredAt: exchange.answerMark)
        }
        switch exchange.opcode {
        case ATTOpcode.exchangeMTURequest:
            guard let own = cursor.u16() else { return [] }
            var other: Int?
            if case .success(let response, _) = exchange.answer {
                var response = ByteCursor(response)
                other = response.u16().map { Int($0) }
            }
            return [event(.mtu(central: Int(own), peripheral: other))]
        case ATTOpcode.readRequest:
            guard let handle = cursor.u16() else { return [] }
            return [event(.read(handle, exchange.outcome))]
        case ATTOpcode.readByTypeRequest: return readByType(exchange, event)
        case ATTOpcode.readMultipleRequest: return readMultiple(exchange, device, event)
        case ATTOpcode.readMultipleVariableRequest: return readVariable(exchange, event)
        case ATTOpcode.writeRequest, ATTOpcode.writeCommand:
            guard let handle = cursor.u16() else { return [] }
            if exchange.isTruncated { return [event(.truncatedWrite(handle))] }
            let hasResponse = exchange.opcode == ATTOpcode.writeRequest
            var outcome = hasResponse ? exchange.outcome : .success([])
            if outcome == .truncated { outcome = .success([]) }
            return [event(.write(handle, Array(cursor.rest), hasResponse: hasResponse, outcome))]
        case ATTOpcode.signedWriteCommand:
            // The signature is behind the value.
            guard let handle = cursor.u16(), !exchange.isTruncated else { return [] }
            return [event(.write(handle, Array(cursor.rest.dropLast(12)), hasResponse: false, .success([])))]
        case ATTOpcode.handleValueNotification, ATTOpcode.handleValueIndication:
            guard let handle = cursor.u16() else { return [] }
            if exchange.isTruncated { return [event(.truncatedValue(handle))] }
            let isIndication = exchange.opcode == ATTOpcode.handleValueIndication
            return [event(.value(handle, Array(cursor.rest), isIndication: isIndication))]
        case ATTOpcode.multipleHandleValueNotification:
            var events: [SessionEvent] = []
            while let handle = cursor.u16(), let length = cursor.u16() {
                guard let value = cursor.bytes(Int(length)) else {
                    events.append(event(.truncatedValue(handle)))
                    break
                }
                events.append(event(.value(handle, Array(value), isIndication: false)))
            }
            return events
        default: return []
        }
    }

    /// Values that were read by their type, except declarations, which are of discovery.
    private static func readByType(
        _ exchange: ATTExchange, _ event: (SessionEvent.Kind) -> SessionEvent
    ) -> [SessionEvent] {
        var request = ByteCursor(exchange.parameters)
        guard case .success(let response, let isTruncated) = exchange.answer, request.skip(4),
            !["2800", "2801", "2802", "2803"].contains(AttributeUUIDText.text(request.rest))
        else { return [] }
        var cursor = ByteCursor(response)
        guard let length = cursor.u8(), length >= 2 else { return [] }
        var events: [SessionEvent] = []
        while let entry = cursor.bytes(Int(length)) {
            var entry = ByteCursor(entry)
            guard let handle = entry.u16() else { break }
            events.append(event(.read(handle, .success(Array(entry.rest)))))
        }
        if events.isEmpty, isTruncated, let handle = cursor.u16() { events = [event(.read(handle, .truncated))] }
        return events
    }

    /// Values without their lengths: only what has a length that is known from another read can be told apart.
    private static func readMultiple(
        _ exchange: ATTExchange, _ device: ObservedDevice, _ event: (SessionEvent.Kind) -> SessionEvent
    ) -> [SessionEvent] {
        let handles = handles(exchange)
        guard case .success(let response, let isTruncated) = exchange.answer else {
            return handles.prefix(1).map { event(.read($0, exchange.outcome)) }
        }
        var cursor = ByteCursor(response)
        var events: [SessionEvent] = []
        for (index, handle) in handles.enumerated() {
            let isLast = index == handles.count - 1
            guard let length = isLast ? cursor.count : device.table.values[handle]?.bytes.count,
                let value = cursor.bytes(length), !isLast || !isTruncated
            else {
                device.remark(
                    "values that were read together (Read Multiple) and cannot be told apart, from handle "
                        + "\(HandleText.text(handle)) on", exchange.mark)
                break
            }
            events.append(event(.read(handle, .success(Array(value)))))
        }
        return events
    }

    private static func readVariable(
        _ exchange: ATTExchange, _ event: (SessionEvent.Kind) -> SessionEvent
    ) -> [SessionEvent] {
        let handles = handles(exchange)
        guard case .success(let response, _) = exchange.answer else {
            return handles.prefix(1).map { event(.read($0, exchange.outcome)) }
        }
        var cursor = ByteCursor(response)
        return handles.compactMap { handle in
            guard let length = cursor.u16() else { return nil }
            // Only the last one may be cut off, by the MTU.
            guard let value = cursor.bytes(Int(length)) else { return event(.read(handle, .truncated)) }
            return event(.read(handle, .success(Array(value))))
        }
    }

    private static func handles(_ exchange: ATTExchange) -> [UInt16] {
        var cursor = ByteCursor(exchange.parameters)
        var handles: [UInt16] = []
        while let handle = cursor.u16() { handles.append(handle) }
        return handles
    }
}

extension ATTExchange {
    var outcome: SessionEvent.Outcome {
        switch answer {
        case .success(let value, let isTruncated): isTruncated ? .truncated : .success(Array(value))
        case .error(let code): .error(code)
        case .none: .unanswered
        case .notNeeded: .success([])
        }
    }
}

/// Handles as `bluejay info` shows them.
package enum HandleText {
    /// `0x002A`
    package static func text(_ handle: UInt16) -> String {
        let digits = String(handle, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}
