extension Data: Sendable, Receivable {
    /// The bytes themselves.
    public func toBluetoothData() -> Data {
        self
    }

    /// The bytes themselves.
    public init(bluetoothData: Data) {
        self = bluetoothData
    }

    /// Reinterprets some of the bytes as a value of a trivial type such as an integer, in the machine's byte order.
    ///
    ///     let rate: UInt16 = try data.extract(start: 1, length: 2)
    ///
    /// - Parameters:
    ///   - start: the offset of the first byte from the beginning of this data, even if the data is a slice.
    ///   - length: the number of bytes, at least the size of `T`. The value is in the first of them.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if the range is not inside the data or too short
    ///   for `T`.
    public func extract<T>(start: Int, length: Int) throws -> T {
        // A class or a String of arbitrary bytes would corrupt memory. That is a mistake in the program, not in the
        // data.
        precondition(_isPOD(T.self), "Data.extract: \(T.self) is not a type of plain bytes")
        guard start >= 0, length >= MemoryLayout<T>.size, start <= count, length <= count - start else {
            throw BluejayError.dataOutOfBounds(start: start, length: length, count: count)
        }
        return withUnsafeBytes { source in
            // Copied first, because the bytes need not be aligned for T.
            withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { target in
                UnsafeMutableRawBufferPointer(target).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: source[start..<start + MemoryLayout<T>.size]))
                return target[0]
            }
        }
    }
}
