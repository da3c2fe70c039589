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

    /// Ends the program, with a sentence on standard error, if the caller does not run on the main queue.
    static func require(_ call: StaticString = #function) {
        guard !isCurrent else { return }
        fatalError(
            "\(call) was called outside of the main queue. Bluejay's calls with completions are for the main queue only: "
                + "call it in DispatchQueue.main.async, or use the form that is awaited.")
    }

    /// The same for what a central manager reports: one that was handed over may have another queue.
    static func requireForManager(_ call: StaticString = #function) {
        guard !isCurrent else { return }
        fatalError(
            "\(call) was called outside of the main queue. A CBCentralManager that Bluejay starts with has to be created "
                + "with the main queue.")
    }

    /// Ends the program, with a sentence on standard error, if the caller runs on the main queue.
    static func forbid() {
        guard isCurrent else { return }
        fatalError(
            "A SynchronizedPeripheral was used on the main queue. Its calls block until they are answered, and the answers "
                + "come on the main queue: use it in its background task only.")
    }

    /// Runs something on the main queue and waits for it, at once if the caller is there already.
    static func sync<T>(_ body: () throws -> T) rethrows -> T {
        isCurrent ? try body() : try DispatchQueue.main.sync(execute: body)
    }

    /// Runs something on the main queue later.
    static func later(_ body: @escaping () -> Void) {
        let transfer = UncheckedTransfer(body)
        DispatchQueue.main.async { transfer.value() }
    }

    /// Runs something on the main queue: at once if the caller is there, else later.
    static func run(_ body: @escaping () -> Void) {
        if isCurrent { body() } else { later(body) }
    }
}
