/// Observers in the order of their registration, held weakly.
struct WeakObservers<Observer>: Swift.Sendable {
    private var entries: [WeakReference] = []

    /// The observers that still exist.
    var living: [Observer] {
        entries.compactMap { $0.object as? Observer }
    }

    /// Adds an observer at the end. One that is registered already moves to the end.
    mutating func register(_ observer: AnyObject) {
        unregister(observer)
        entries.append(WeakReference(observer))
    }

    /// Removes an observer, and all those that no longer exist.
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
