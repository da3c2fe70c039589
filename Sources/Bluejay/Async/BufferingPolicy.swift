extension Bluejay {
    /// What an asynchronous sequence does with what arrives before it is asked for.
    ///
    /// Neither a notification nor an advertisement can be held back at its sender: BlueZ takes it from the air, confirms
    /// an indication by itself, and passes it on at once, whether or not the program is ready. A slow consumer therefore
    /// does not slow down the peripheral. What arrives is kept in the memory of this program and handed over one by one as
    /// the consumer asks.
    public enum BufferingPolicy: Hashable, Swift.Sendable {
        /// Keep everything. Nothing is lost, and memory grows as long as the consumer is slower than the peripheral.
        case unbounded
        /// Keep at most so many; when that is full, the oldest gives way. Zero or less: only what is being waited for.
        case newest(Int)
        /// Keep at most so many; when that is full, what arrives is dropped. Zero or less: only what is being waited for.
        case oldest(Int)
    }
}
