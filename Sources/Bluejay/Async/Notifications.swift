/// The values of one characteristic that a peripheral notifies or indicates.
///
/// Returned by ``Bluejay/listen(to:as:multipleListenOption:buffering:isolation:)``, which documents how the sequence
/// ends. It is for one loop: each value goes to one consumer only, and the end of the first loop ends the listen.
public struct Notifications<Value: Receivable>: AsyncSequence, Swift.Sendable {
    /// The decoded value.
    public typealias Element = Value
    /// Any error that may end the loop.
    public typealias Failure = any Error

    private let buffer: AsyncBuffer<Data>
    private let cancellation: CancelOnDeinit

    init(_ buffer: AsyncBuffer<Data>, _ cancellation: CancelOnDeinit) {
        self.buffer = buffer
        self.cancellation = cancellation
    }

    /// How many values have been dropped so far because the buffer was full. Always 0 if it is unbounded.
    public var droppedCount: Int { buffer.droppedCount }

    /// Begins a loop over the values.
    public func makeAsyncIterator() -> Iterator {
        Iterator(buffer, cancellation)
    }

    /// Returns the values one by one. When the last copy is released, the listen ends.
    public struct Iterator: AsyncIteratorProtocol {
        private let buffer: AsyncBuffer<Data>
        private let cancellation: CancelOnDeinit
        private let ownCancellation: CancelOnDeinit
        private var isOver = false

        fileprivate init(_ buffer: AsyncBuffer<Data>, _ cancellation: CancelOnDeinit) {
            self.buffer = buffer
            self.cancellation = cancellation
            ownCancellation = CancelOnDeinit { cancellation.cancel() }
        }

        /// The next value, decoded where the caller runs; nil at the end.
        ///
        /// - Throws: why the listen has ended, an error of decoding, or `CancellationError`. After that, nil follows.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            if isOver { return nil }
            do {
                if let data = try await buffer.next() { return try Value(bluetoothData: data) }
            } catch {
                isOver = true
                cancellation.cancel()
                throw error
            }
            isOver = true
            cancellation.cancel()
            return nil
        }

        /// The same for callers that do not pass their actor.
        public mutating func next() async throws -> Value? {
            try await next(isolation: nil)
        }
    }
}
