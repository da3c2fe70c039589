import Testing

@testable import Bluejay

/// Lets other work of the main actor run until something holds. Fails the test if that takes four minutes.
@MainActor func until(_ condition: () throws -> Bool, _ location: SourceLocation = #_sourceLocation) async throws {
    let deadline = ContinuousClock.now + .seconds(240)
    while try !condition() {
        try #require(ContinuousClock.now < deadline, "what was awaited did not come", sourceLocation: location)
        // Only yielding would leave little of the main queue and of the processor to what is awaited.
        try await Task.sleep(for: .milliseconds(1))
    }
}

extension Task where Failure == any Error {
    /// The result of the task: the value, or the short name of the error.
    var outcome: String {
        get async {
            switch await result {
            case .success(let value as Data): value.map { String($0) }.joined(separator: " ")
            case .success(let value as PeripheralIdentifier): value.name
            case .success(let value): "\(value)"
            case .failure(let error as CancellationError): "\(type(of: error))"
            case .failure(let error): error.short
            }
        }
    }
}

extension Bench {
    /// Occupies the queue until the peripheral answers, so that what is queued next waits.
    @MainActor func occupy() {
        read("occupied")
    }

    /// Waits until the queue has so many operations, discovery included.
    @MainActor func queued(_ count: Int, _ location: SourceLocation = #_sourceLocation) async throws {
        try await until({ bluejay.queue.count == count }, location)
    }
}
