/// The queue to which all of Bluejay's state belongs.
///
/// That is the dispatch queue, not the main thread: under `dispatchMain()` it is drained by another thread.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    /// Whether the caller runs on the main queue.
    static var isCurrent: Bool {
        _ = mark
        return DispatchQueue.getSpecific(key: key) == true
    }

    /// Ends the program if the caller does not run on the main queue.
    static func require() {
        dispatchPrecondition(condition: .onQueue(.main))
    }

    /// Runs something on the main queue and waits for it, at once if the caller is there already.
    static func sync<T>(_ body: () throws -> T) rethrows -> T {
        isCurrent ? try body() : try DispatchQueue.main.sync(execute: body)
    }

    /// Runs something on the main queue later.
    static func later(_ body: @escaping () -> Void) {
        let carried = Carried(body)
        DispatchQueue.main.async { carried.value() }
    }

    /// Runs something on the main queue: at once if the caller is there, else later.
    static func run(_ body: @escaping () -> Void) {
        if isCurrent { body() } else { later(body) }
    }
}

/// Takes a value across to another queue.
///
/// The API's closures are not `@Sendable`, as programs written for Bluejay expect; what they do on the queue where Bluejay
/// promises to call them is up to the program.
// @unchecked: the sender does not touch the value after handing it over.
struct Carried<Value>: @unchecked Swift.Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
