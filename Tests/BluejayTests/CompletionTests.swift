import Testing

@testable import Bluejay

@MainActor @Suite struct CompletionTests {
    @Test func `a completion is called once, whoever calls`() {
        var values: [Int] = []
        do {
            let completion = Completion(fallback: 0) { values.append($0) }
            completion(1)
            completion(2)
        }
        #expect(values == [1])
    }

    @Test func `a completion that everybody dropped is called with the fallback`() {
        var values: [Int] = []
        _ = Completion(fallback: 7) { values.append($0) }
        #expect(values == [7])
    }

    @Test func `a completion may drop or call itself`() {
        var values: [Int] = []
        var completion: Completion<Int>?
        completion = Completion(fallback: 0) {
            values.append($0)
            completion?(3)
            completion = nil
        }
        completion?(1)
        #expect(values == [1])
    }
}
