/// A completion that is called exactly once.
///
/// A second call does nothing, and a completion that is dropped without a call is called then, with the fallback.
final class Completion<Value> {
    private var action: ((Value) -> Void)?
    private let fallback: Value

    /// - Parameters:
    ///   - fallback: what is reported if everybody who could call is gone.
    ///   - action: the completion.
    init(fallback: Value, _ action: @escaping (Value) -> Void) {
        self.action = action
        self.fallback = fallback
    }

    deinit {
        guard let action else { return }
        let fallback = fallback
        MainQueue.run { action(fallback) }
    }

    func callAsFunction(_ value: Value) {
        guard let action else { return }
        self.action = nil
        action(value)
    }
}
