/// Collects news of services into changes, each of which is reported to the app once.
///
/// bluetoothd reports one change of the peripheral's table as a burst of news: that services were removed, or that some
/// were added. A removal after an addition, or an addition after a removal, is another change, even if both are read
/// from the bus together.
struct ServiceChanges<Service> {
    /// One change.
    struct Change {
        /// Tells it from others.
        let number: Int
        /// The services that were removed; empty if some were added.
        fileprivate(set) var gone: [Service]
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
    mutating func went(_ service: Service) -> Change? {
        guard pending?.gone.isEmpty == false else { return begin([service]) }
        pending?.gone.append(service)
        return nil
    }

    /// Notes that a service has come.
    ///
    /// - Returns: the change before, if this is the beginning of another one.
    mutating func came() -> Change? {
        pending?.gone.isEmpty == true ? nil : begin([])
    }

    /// The end of the burst.
    ///
    /// - Returns: the change with the number, if it is still being collected.
    mutating func end(_ number: Int) -> Change? {
        guard let change = pending, change.number == number else { return nil }
        pending = nil
        return change
    }

    /// Forgets the changes so far: they are not reported.
    mutating func clear() {
        pending = nil
    }

    private mutating func begin(_ gone: [Service]) -> Change? {
        let former = pending
        count += 1
        pending = Change(number: count, gone: gone)
        return former
    }
}
