/// The queue that all of Bluejay's state belongs to.
///
/// That is the dispatch queue, not the main thread: under `dispatchMain()` another thread drains it.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    /// Whether the caller runs on the main queue.
    static var isCurrent: Bool {
        _ = mark
        return DispatchQueue.getSpecific(key: key) == true
    }

    /// Ends the program with an explanation on standard error unless the caller runs on the main queue.
    static func require(_ call: StaticString = #function) {
        guard !isCurrent else { return }
        fatalError(
            "\(call) was called outside of the main queue. Bluejay's calls with completions are for the main queue only: "
                + "call it in DispatchQueue.main.async, or use the asynchronous form.")
    }

    /// The same for calls of a central manager. A manager that the program created may have another queue.
    static func requireForManager(_ call: StaticString = #function) {
        guard !isCurrent else { return }
        fatalError(
            "\(call) was called outside of the main queue. A CBCentralManager that is given to Bluejay must be created "
                + "with the main queue.")
    }

    /// Ends the program with an explanation on standard error if the caller runs on the main queue.
    static func forbid() {
        guard isCurrent else { return }
        fatalError(
            "A SynchronizedPeripheral was used on the main queue. Its calls block until they are answered, and the answers "
                + "arrive on the main queue: use it in its background task only.")
    }

    /// Runs a closure on the main queue and waits for it. Runs it directly if the caller is on that queue.
    static func sync<T>(_ body: () throws -> T) rethrows -> T {
        isCurrent ? try body() : try DispatchQueue.main.sync(execute: body)
    }

    /// Runs a closure on the main queue later.
    static func later(_ body: @escaping () -> Void) {
        let transfer = UncheckedTransfer(body)
        DispatchQueue.main.async { transfer.value() }
    }

    /// Runs a closure on the main queue: directly if the caller is on that queue, otherwise later.
    static func run(_ body: @escaping () -> Void) {
        if isCurrent { body() } else { later(body) }
    }
}
