/// A completion that is called exactly once.
///
/// A second call does nothing. A completion that is released without a call is called then, with the fallback.
final class Completion<Value> {
    private var action: ((Value) -> Void)?
    private let fallback: () -> Value

    /// - Parameters:
    ///   - fallback: the value for a completion that is released without a call; put together only then.
    ///   - action: the closure to call once.
    init(fallback: @autoclosure @escaping () -> Value, _ action: @escaping (Value) -> Void) {
        self.action = action
        self.fallback = fallback
    }

    deinit {
        guard let action else { return }
        let fallback = fallback()
        MainQueue.run { action(fallback) }
    }

    func callAsFunction(_ value: Value) {
        guard let action else { return }
        self.action = nil
        action(value)
    }
}
