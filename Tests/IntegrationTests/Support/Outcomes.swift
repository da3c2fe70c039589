import Bluejay

// What became of a call, in short, as `failure(_:)` says it.

extension ReadResult {
    var outcome: String {
        switch self {
        case .success(let value): "\(value)"
        case .failure(let error): error.short
        }
    }
}

extension WriteResult {
    var outcome: String {
        switch self {
        case .success: "success"
        case .failure(let error): error.short
        }
    }
}

extension ConnectionResult {
    var outcome: String {
        switch self {
        case .success: "connected"
        case .failure(let error): error.short
        }
    }
}

extension DisconnectionResult {
    var outcome: String {
        switch self {
        case .disconnected: "disconnected"
        case .failure(let error): error.short
        }
    }
}

extension RunResult {
    var outcome: String {
        switch self {
        case .success(let value): "\(value)"
        case .failure(let error): error.short
        }
    }
}
