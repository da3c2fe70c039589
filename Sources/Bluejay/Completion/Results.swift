/// What came of a connection request.
public enum ConnectionResult: Swift.Sendable {
    /// The peripheral is connected.
    case success(PeripheralIdentifier)
    /// It is not: a ``BluejayError``, or what CoreBluetooth reported.
    case failure(Error)
}

/// What came of a request to disconnect.
public enum DisconnectionResult: Swift.Sendable {
    /// The peripheral is disconnected, or the attempt to connect is given up.
    case disconnected(PeripheralIdentifier)
    /// The request was refused or overtaken by something else: a ``BluejayError``.
    case failure(Error)
}

/// What came of a read, or one value of a listen.
public enum ReadResult<R> {
    /// The decoded value.
    case success(R)
    /// A ``BluejayError``, what CoreBluetooth reported (`CBATTError`, `CBError`), or what the decoding threw.
    case failure(Error)
}

/// What came of a write or of ending a listen.
public enum WriteResult: Swift.Sendable {
    /// Done.
    case success
    /// A ``BluejayError`` or what CoreBluetooth reported (`CBATTError`, `CBError`).
    case failure(Error)
}

/// What came of a background task.
public enum RunResult<R> {
    /// What the task returned.
    case success(R)
    /// What the task threw, or why it was not run: a ``BluejayError``.
    case failure(Error)
}

extension ReadResult: Swift.Sendable where R: Swift.Sendable {}
extension RunResult: Swift.Sendable where R: Swift.Sendable {}

extension ReadResult<Data?> {
    /// The result of a read, decoded. A missing value counts as empty.
    func decoded<Value: Receivable>() -> ReadResult<Value> {
        switch self {
        case .success(let value): ReadResult<Value>(decoding: value ?? Data())
        case .failure(let error): .failure(error)
        }
    }

    /// A value of a listen, decoded. A missing value is an error.
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

// As the standard library's `Result`, for the calls that throw.
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
