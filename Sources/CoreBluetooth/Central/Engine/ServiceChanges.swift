/// Collects additions and removals of services into changes, each of which is reported to the app once.
///
/// bluetoothd reports one change of the peripheral's table as a burst of signals: that services were removed, or some
/// were added. A removal after an addition, or an addition after a removal, is another change, even if both are read
/// from the bus together.
struct ServiceChanges<Service> {
    /// One change.
    struct Change {
        /// Distinguishes it from others.
        let number: Int
        /// The services that were removed; empty if some were added.
        fileprivate(set) var removed: [Service]
    }

    private var pending: Change?
    private var count = 0

    /// Whether there is a change that was not reported to the app.
    var isPending: Bool { pending != nil }

    /// The number of the change that is being collected.
    var number: Int { count }

    /// Notes that a service was removed.
    ///
    /// - Returns: the change before, if this is the beginning of another one.
    mutating func serviceRemoved(_ service: Service) -> Change? {
        guard pending?.removed.isEmpty == false else { return begin([service]) }
        pending?.removed.append(service)
        return nil
    }

    /// Notes that a service was added.
    ///
    /// - Returns: the change before, if this is the beginning of another one.
    mutating func serviceAdded() -> Change? {
        pending?.removed.isEmpty == true ? nil : begin([])
    }

    /// The end of the burst.
    ///
    /// - Returns: the change with the number, if it is still being collected.
    mutating func end(_ number: Int) -> Change? {
        guard let change = pending, change.number == number else { return nil }
        pending = nil
        return change
    }

    /// Discards the changes so far; they are not reported.
    mutating func clear() {
        pending = nil
    }

    private mutating func begin(_ removed: [Service]) -> Change? {
        let former = pending
        count += 1
        pending = Change(number: count, removed: removed)
        return former
    }
}
