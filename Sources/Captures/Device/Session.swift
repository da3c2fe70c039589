/// What happened on one link, in its order: enough to do the same again, from either side.
package struct Session: Sendable {
    /// The link's number.
    package let link: Int
    /// Whether it is known when the link began.
    package let isBeginKnown: Bool
    /// Whether the link was captured by a sniffer, or at which side's host, and at which controller.
    package let vantage: CapturedLink.Vantage
    package let controller: UInt16
    package var events: [SessionEvent] = []
    /// Events that are not kept: the capture has more than there is room for.
    package var omittedCount = 0
}

extension Session {
    /// Who has ended a link.
    enum Ending {
        case central, device
        /// Nobody: one no longer heard the other, for example.
        case loss
        /// A sniffer's capture does not say it.
        case unknown
    }

    /// - Parameter reason: the HCI error code with which the link ended.
    func ending(_ reason: UInt8?) -> Ending {
        guard let reason, vantage != .air else { return .unknown }
        return switch (reason, vantage == .central) {
        // Connection Terminated By Local Host.
        case (0x16, true): .central
        case (0x16, false): .device
        // Remote User Terminated Connection, or because of low resources, or of power off.
        case (0x13...0x15, true): .device
        case (0x13...0x15, false): .central
        default: .loss
        }
    }

    /// Whether the device has ended the link instead of answering the request that is this event.
    func isAnsweredByEnd(_ index: Int) -> Bool {
        guard events.indices.contains(index), index + 1 < events.count,
            case .disconnected(let reason) = events[index + 1].kind, ending(reason) == .device
        else { return false }
        return switch events[index].kind {
        case .read(_, .unanswered), .write(_, _, hasResponse: true, .unanswered): true
        default: false
        }
    }
}

/// One thing that happened.
package struct SessionEvent: Sendable {
    package let mark: PacketMark
    /// Where the answer is; nil if there is none.
    package let answerMark: PacketMark?
    package var kind: Kind

    package enum Kind: Sendable, Hashable {
        case connected
        case encrypted
        /// - Parameter reason: the HCI error code, if it is known.
        case disconnected(reason: UInt8?)
        /// The MTU that each side has offered; nil for the peripheral's if it has not answered.
        case mtu(central: Int, peripheral: Int?)
        /// A read of an attribute by its handle, with all of its parts.
        case read(UInt16, Outcome)
        /// A write. Without a response the outcome is not known, and taken for success.
        case write(UInt16, [UInt8], hasResponse: Bool, Outcome)
        /// A notification or an indication.
        case value(UInt16, [UInt8], isIndication: Bool)
        /// Whether the capture has the value as a whole.
        case truncatedWrite(UInt16)
        case truncatedValue(UInt16)
    }

    package enum Outcome: Sendable, Hashable {
        /// The value that was read; nothing for a write.
        case success([UInt8])
        /// An ATT error.
        case error(UInt8)
        case unanswered
        /// The answer is there, but the capture has cut off the value.
        case truncated
    }

    package init(_ kind: Kind, at mark: PacketMark, answeredAt answerMark: PacketMark? = nil) {
        self.kind = kind
        self.mark = mark
        self.answerMark = answerMark
    }
}

extension SessionEvent {
    /// The longest value of an attribute. Specification: Core 5.4, Vol 3, Part F, 3.2.9.
    static let maximumValueLength = 512

    /// The same without a value that is longer than any can be.
    var withinLimits: SessionEvent {
        var event = self
        switch kind {
        case .read(let handle, .success(let value)) where value.count > Self.maximumValueLength:
            event.kind = .read(handle, .truncated)
        case .write(let handle, let value, _, _) where value.count > Self.maximumValueLength:
            event.kind = .truncatedWrite(handle)
        case .value(let handle, let value, _) where value.count > Self.maximumValueLength:
            event.kind = .truncatedValue(handle)
        default: break
        }
        return event
    }
}
