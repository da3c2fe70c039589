import Bluejay
import CoreBluetooth

/// What something throws, in short: the name of a Bluejay error's case, or the type and code of another; "nothing" if
/// it does not throw.
func failure(_ body: () async throws -> Void) async -> String {
    do {
        try await body()
        return "nothing"
    } catch {
        return error.short
    }
}

extension Error {
    var short: String {
        switch self {
        case let error as BluejayError: String("\(error)".prefix { $0 != "(" })
        case let error as CBATTError: "CBATTError \(error.errorCode)"
        case let error as CBError: "CBError \(error.errorCode)"
        default: "\(self)"
        }
    }
}
