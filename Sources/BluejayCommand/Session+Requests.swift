import Bluejay

extension Session {
    /// Reads a characteristic.
    func read(_ characteristic: CBCharacteristic) async throws -> Data {
        let identifier = try identifier(of: characteristic)
        return try await withCheckedThrowingContinuation { continuation in
            bluejay.read(from: identifier) { (result: ReadResult<Data>) in
                switch result {
                case .success(let value): continuation.resume(returning: value)
                case .failure(let error):
                    continuation.resume(throwing: Failure(error, attempt: "cannot read \(characteristic.label)"))
                }
            }
        }
    }

    /// Writes a characteristic.
    func write(_ value: Data, to characteristic: CBCharacteristic, type: CBCharacteristicWriteType) async throws {
        let identifier = try identifier(of: characteristic)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            bluejay.write(to: identifier, value: value, type: type) { result in
                switch result {
                case .success: continuation.resume()
                case .failure(let error):
                    continuation.resume(throwing: Failure(error, attempt: "cannot write \(characteristic.label)"))
                }
            }
        }
    }

    func identifier(of characteristic: CBCharacteristic) throws -> CharacteristicIdentifier {
        guard let identifier = CharacteristicIdentifier(characteristic) else {
            throw Failure(.noSuchCharacteristic, "the characteristic \(characteristic.label) is gone")
        }
        return identifier
    }
}
