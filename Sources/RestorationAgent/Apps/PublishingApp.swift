import Foundation
import RestorationProtocol

/// What the agent has of a program that is a peripheral, beside its record.
final class PublishingApp {
    let publisher: any Publisher
    /// The controller that the program has asked for.
    let adapter: String?
    /// How many services, and the advertisement, are being published again.
    var republishing = 0
    /// The services of the record that are published, or about to be.
    var published: Set<UInt32> = []
    /// Whether it is advertised, or about to be.
    var isAdvertised = false
    /// What centrals wait for, the oldest first.
    private(set) var requests: [(request: CentralRequest, deadline: Double)] = []
    /// The next look at the deadlines.
    var expiry: AnyObject?
    /// Values that there was no room for, and whether the program waits to hear of them.
    var updates: [(update: ValueUpdate, isOwed: Bool)] = []

    init(_ publisher: any Publisher, adapter: String?) {
        self.publisher = publisher
        self.adapter = adapter
    }

    /// Whether the program may learn what is published: nothing of it is uncertain.
    var isSettled: Bool { publisher.state != 0 && republishing == 0 }

    /// Nothing is published any longer.
    func reset() {
        (published, isAdvertised) = ([], false)
        (requests, expiry) = ([], nil)
        updates = []
    }

    func add(_ request: CentralRequest, deadline: Double) { requests.append((request, deadline)) }

    /// - Returns: whether it still waited.
    func remove(_ number: UInt32) -> Bool {
        guard let index = requests.firstIndex(where: { $0.request.number == number }) else { return false }
        requests.remove(at: index)
        return true
    }

    /// Those whose time is up.
    func expired(at now: Double) -> [CentralRequest] { requests.filter { $0.deadline <= now }.map(\.request) }
}
