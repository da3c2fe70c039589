/// Does something on the main queue when the last reference to it goes.
///
/// Held by what the program holds, such as a sequence or its iterator, so that dropping that ends what is behind it.
final class Lifeline: Swift.Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Does it now, too.
    func cut() {
        MainQueue.run(end)
    }

    deinit {
        MainQueue.run(end)
    }
}
