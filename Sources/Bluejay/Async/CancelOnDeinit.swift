/// Cancels something on the main queue when the last reference to this object is released.
///
/// Held by what the program holds, such as a sequence or its iterator, so that releasing that cancels the work behind
/// it.
final class CancelOnDeinit: Swift.Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    /// Cancels without waiting for the release.
    func cancel() {
        MainQueue.run(action)
    }

    deinit {
        MainQueue.run(action)
    }
}
