/// What was done with an attribute on all links.
struct AttributeUse {
    var reads = 0
    /// Reads that gave a value, also one that the capture has cut off.
    var values = 0
    var writes = 0
    var commands = 0
    var notifications = 0
    var indications = 0
    /// Whether all that was written looks like a Client Characteristic Configuration: subscriptions and their ends.
    var isConfiguration = true
    /// Whether one of these subscriptions, if they are any, asks for indications.
    var wantsIndications = false
    let first: PacketMark

    /// What each attribute of a device was used for, by its handle.
    static func all(_ sessions: [Session]) -> [UInt16: AttributeUse] {
        var uses: [UInt16: AttributeUse] = [:]
        for session in sessions {
            for event in session.events {
                guard let handle = event.kind.handle else { continue }
                uses[handle, default: AttributeUse(first: event.mark)].add(event.kind)
            }
        }
        return uses
    }

    private mutating func add(_ kind: SessionEvent.Kind) {
        switch kind {
        case .read(_, let outcome):
            reads += 1
            switch outcome {
            case .success, .truncated: values += 1
            case .error, .unanswered: break
            }
        case .write(_, let value, let hasResponse, _):
            if hasResponse { writes += 1 } else { commands += 1 }
            isConfiguration = isConfiguration && hasResponse && value.subscription != nil
            wantsIndications = wantsIndications || value.first.map { $0 & 2 != 0 } ?? false
        case .truncatedWrite:
            writes += 1
            isConfiguration = false
        case .value(_, _, let isIndication): if isIndication { indications += 1 } else { notifications += 1 }
        case .truncatedValue: notifications += 1
        case .connected, .encrypted, .disconnected, .mtu: break
        }
    }

    /// Whether there were writes, all of which look like subscriptions.
    var looksLikeConfiguration: Bool { writes > 0 && isConfiguration && notifications + indications == 0 }

    /// The properties that it must have, as profile files name them.
    var properties: [String] {
        var properties: [String] = []
        if values > 0 || (reads > 0 && writes + commands + notifications + indications == 0) {
            properties.append("read")
        }
        if writes > 0 { properties.append("write") }
        if commands > 0 { properties.append("write-without-response") }
        if notifications > 0 { properties.append("notify") }
        if indications > 0 { properties.append("indicate") }
        return properties
    }
}

extension SessionEvent.Kind {
    /// The attribute that it is about.
    package var handle: UInt16? {
        switch self {
        case .read(let handle, _), .write(let handle, _, _, _), .value(let handle, _, _), .truncatedWrite(let handle),
            .truncatedValue(let handle):
            handle
        case .connected, .encrypted, .disconnected, .mtu: nil
        }
    }
}

extension [UInt8] {
    /// Whether this, written to a Client Characteristic Configuration, subscribes (or ends it); nil if it cannot have
    /// been written to one. Specification: Core 5.4, Vol 3, Part G, 3.3.3.3.
    var subscription: Bool? {
        guard count == 2, self[1] == 0, self[0] <= 3 else { return nil }
        return self[0] != 0
    }
}
