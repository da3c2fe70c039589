/// The result of a connection request.
public enum ConnectionResult: Swift.Sendable {
    /// The peripheral is connected.
    case success(PeripheralIdentifier)
    /// The connection failed: a ``BluejayError``, or an error of CoreBluetooth.
    case failure(Error)
}

/// The result of a disconnect.
public enum DisconnectionResult: Swift.Sendable {
    /// The peripheral is disconnected, or the attempt to connect was given up.
    case disconnected(PeripheralIdentifier)
    /// The request was refused or cancelled: a ``BluejayError``.
    case failure(Error)
}

/// The result of a read, or one value of a listen.
public enum ReadResult<R> {
    /// The decoded value.
    case success(R)
    /// A ``BluejayError``, an error of CoreBluetooth (`CBATTError`, `CBError`), or an error of decoding.
    case failure(Error)
}

/// The result of a write or of ending a listen.
public enum WriteResult: Swift.Sendable {
    /// The value was written, or the listen has ended.
    case success
    /// A ``BluejayError`` or an error of CoreBluetooth (`CBATTError`, `CBError`).
    case failure(Error)
}

/// The result of a background task.
public enum RunResult<R> {
    /// What the task returned.
    case success(R)
    /// The error that the task threw, or a ``BluejayError`` if it was refused.
    case failure(Error)
}

extension ReadResult: Swift.Sendable where R: Swift.Sendable {}
extension RunResult: Swift.Sendable where R: Swift.Sendable {}

extension ReadResult<Data?> {
    /// Decodes the result of a read. A missing value counts as empty.
    func decoded<Value: Receivable>() -> ReadResult<Value> {
        switch self {
        case .success(let value): ReadResult<Value>(decoding: value ?? Data())
        case .failure(let error): .failure(error)
        }
    }

    /// Decodes a value of a listen. A missing value is an error.
    func decodedNotification<Value: Receivable>() -> ReadResult<Value> {
        switch self {
        case .success(let value?): ReadResult<Value>(decoding: value)
        case .success(nil): .failure(BluejayError.missingData)
        case .failure(let error): .failure(error)
        }
    }
}

extension ReadResult where R: Receivable {
    fileprivate init(decoding data: Data) {
        do {
            self = .success(try R(bluetoothData: data))
        } catch {
            self = .failure(error)
        }
    }
}

// Conversions to the standard library's `Result`, for calls that throw.
extension ReadResult {
    var asResult: Result<R, any Error> {
        switch self {
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        }
    }
}

extension WriteResult {
    var asResult: Result<Void, any Error> {
        switch self {
        case .success: .success(())
        case .failure(let error): .failure(error)
        }
    }
}

extension ConnectionResult {
    var asResult: Result<PeripheralIdentifier, any Error> {
        switch self {
        case .success(let peripheral): .success(peripheral)
        case .failure(let error): .failure(error)
        }
    }
}

extension DisconnectionResult {
    var asResult: Result<PeripheralIdentifier, any Error> {
        switch self {
        case .disconnected(let peripheral): .success(peripheral)
        case .failure(let error): .failure(error)
        }
    }
}
