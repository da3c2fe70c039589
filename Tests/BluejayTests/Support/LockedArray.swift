import Synchronization

/// An array that several threads append to.
final class LockedArray<Element: Swift.Sendable>: Swift.Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }
}
