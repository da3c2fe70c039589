import DBus
import TestSupport
import Testing

/// The ``BusError`` that `body` throws.
func busError<T>(
    isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> T
) async throws -> BusError {
    do {
        _ = try await body()
    } catch let error as BusError {
        return error
    }
    Issue.record("no error was thrown", sourceLocation: sourceLocation)
    throw DeadlineMissed(what: "an error")
}
