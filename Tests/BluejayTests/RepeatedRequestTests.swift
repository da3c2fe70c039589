import CommandSupport
import Foundation
import Testing

@testable import CentralBench

@MainActor
struct RepeatedRequestTests {
    private struct Refusal: Error {}

    @Test func `the next request is made when the last is through`() async throws {
        var underWay = 0
        var made = 0
        let latencies = try await RepeatedRequest.measure(3) { completion in
            made += 1
            underWay += 1
            #expect(underWay == 1)
            DispatchQueue.main.async {
                underWay -= 1
                completion(nil)
            }
        }
        #expect(made == 3)
        #expect(latencies.text.hasPrefix("3 requests in "))
    }

    @Test func `the first failure ends it`() async throws {
        var made = 0
        await #expect(throws: Refusal.self) {
            try await RepeatedRequest.measure(3) { completion in
                made += 1
                let failure: (any Error)? = made == 2 ? Refusal() : nil
                DispatchQueue.main.async { completion(failure) }
            }
        }
        #expect(made == 2)
    }
}
