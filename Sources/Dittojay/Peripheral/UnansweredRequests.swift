import CoreBluetooth
import Synchronization

/// The requests that get no answer on purpose, for as long as the link that they came over lasts. Used on the
/// peripheral's queue only.
///
/// A request that is released without an answer is answered by CoreBluetooth, with an error.
final class UnansweredRequests {
    /// By the central's address.
    private var requests: [String: [CBATTRequest]] = [:]

    /// Keeps a request without an answer.
    func hold(_ request: CBATTRequest, from address: String) {
        requests[address, default: []].append(request)
    }

    /// Releases the requests of a central whose link has ended.
    func release(from address: String) {
        requests[address] = nil
    }

    /// Releases all requests.
    func releaseAll() {
        requests = [:]
    }

    /// Hands over the requests of one central, or of all if nil, to be released at the right moment.
    func take(from address: String?) -> HeldRequests {
        guard let address else {
            defer { requests = [:] }
            return HeldRequests(Array(requests.values.joined()))
        }
        return HeldRequests(requests.removeValue(forKey: address) ?? [])
    }
}

/// Requests without an answer that can be released from any thread.
final class HeldRequests: Swift.Sendable {
    private let requests: Mutex<[CBATTRequest]>

    fileprivate init(_ requests: sending [CBATTRequest]) {
        self.requests = Mutex(requests)
    }

    func release() {
        requests.withLock { $0 = [] }
    }
}
