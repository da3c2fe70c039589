import CGLib

/// What a file descriptor on the loop can be ready for.
package struct DescriptorEvents: OptionSet, Swift.Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = DescriptorEvents(rawValue: 1)
    package static let writable = DescriptorEvents(rawValue: 2)
    /// The other end was closed, or the descriptor has an error. Reported whether or not it is asked for.
    package static let hangUp = DescriptorEvents(rawValue: 4)

    init(_ condition: GIOCondition) {
        var events: DescriptorEvents = []
        if condition.rawValue & G_IO_IN.rawValue != 0 { events.insert(.readable) }
        if condition.rawValue & G_IO_OUT.rawValue != 0 { events.insert(.writable) }
        if condition.rawValue & (G_IO_HUP.rawValue | G_IO_ERR.rawValue | G_IO_NVAL.rawValue) != 0 {
            events.insert(.hangUp)
        }
        self = events
    }

    var condition: GIOCondition {
        var bits: UInt32 = 0
        if contains(.readable) { bits |= G_IO_IN.rawValue }
        if contains(.writable) { bits |= G_IO_OUT.rawValue }
        if contains(.hangUp) { bits |= G_IO_HUP.rawValue | G_IO_ERR.rawValue }
        return GIOCondition(rawValue: bits)
    }
}
