extension Bluejay {
    /// What an asynchronous sequence does with elements that arrive faster than the loop takes them.
    ///
    /// A program cannot slow down the sender of notifications or advertisements: BlueZ receives them, confirms
    /// indications by itself, and passes them on at once, whether or not the program is ready. Elements therefore wait
    /// in the memory of the program until the loop takes them.
    public enum BufferingPolicy: Hashable, Swift.Sendable {
        /// Keep everything. Nothing is lost, but memory grows as long as the loop is slower than the peripheral.
        case unbounded
        /// Keep at most this many elements. When the buffer is full, drop the oldest. Zero or less: keep nothing; an
        /// element is delivered only if the loop is waiting for it.
        case newest(Int)
        /// Keep at most this many elements. When the buffer is full, drop what arrives. Zero or less: keep nothing; an
        /// element is delivered only if the loop is waiting for it.
        case oldest(Int)
    }
}
