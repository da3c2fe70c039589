/// Observers in the order of their registration, held weakly.
struct WeakObservers<Observer>: Swift.Sendable {
    private var entries: [WeakReference] = []

    /// Those that are still alive.
    var living: [Observer] {
        entries.compactMap { $0.object as? Observer }
    }

    /// Adds an observer at the end; one that is there already moves to the end.
    mutating func register(_ observer: AnyObject) {
        unregister(observer)
        entries.append(WeakReference(observer))
    }

    /// Removes an observer, and all dead ones.
    mutating func unregister(_ observer: AnyObject) {
        entries.removeAll { $0.object == nil || $0.object === observer }
    }

    mutating func removeAll() {
        entries.removeAll()
    }
}

/// A reference that does not keep its object alive.
// @unchecked: weak references are read and cleared atomically, and nothing else is mutable.
struct WeakReference: @unchecked Swift.Sendable {
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject) {
        self.object = object
    }
}
