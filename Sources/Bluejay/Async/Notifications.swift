/// The values that a peripheral notifies or indicates of one characteristic.
///
/// Comes from ``Bluejay/listen(to:as:multipleListenOption:buffering:isolation:)``, which says how the sequence ends. It is
/// for one loop: values go to whoever asks first, and the end of the first loop is the end of the listen.
public struct Notifications<Value: Receivable>: AsyncSequence, Swift.Sendable {
    /// What the peripheral sent, decoded.
    public typealias Element = Value
    /// Anything that may end the loop.
    public typealias Failure = any Error

    private let buffer: AsyncBuffer<Data>
    private let cancellation: CancelOnDeinit

    init(_ buffer: AsyncBuffer<Data>, _ cancellation: CancelOnDeinit) {
        self.buffer = buffer
        self.cancellation = cancellation
    }

    /// How many values were dropped so far because the buffer was full. Always 0 if it is unbounded.
    public var droppedCount: Int { buffer.droppedCount }

    /// Begins a loop over the values.
    public func makeAsyncIterator() -> Iterator {
        Iterator(buffer, cancellation)
    }

    /// Takes the values one by one. When the last copy goes, the listen ends.
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
        /// - Throws: why the listen ended, what the decoding threw, or `CancellationError`; nil follows.
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

        /// The same for callers that do not say where they run.
        public mutating func next() async throws -> Value? {
            try await next(isolation: nil)
        }
    }
}
