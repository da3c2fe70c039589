import CoreBluetooth
import Foundation

/// The requests that get no answer yet, or none at all, for as long as the link that they came over lasts. Used on the
/// peripheral's queue only.
///
/// A request that is released without an answer is answered by CoreBluetooth, with an error.
final class UnansweredRequests {
    /// By the central's address.
    private var requests: [String: [PostponedAnswer]] = [:]
    /// The centrals whose links are being ended: what they still ask for is released at once.
    private var ending: Set<String> = []
    private var areAllEnding = false

    /// Keeps a request without an answer.
    func hold(_ request: CBATTRequest, from address: String) {
        _ = postpone(from: address) { _ = request }
    }

    /// Keeps a request that is to be answered later.
    ///
    /// - Parameter answer: answers it, and keeps it until then.
    func postpone(from address: String, _ answer: @escaping () -> Void) -> PostponedAnswer {
        let postponed = PostponedAnswer(answer)
        guard !areAllEnding, !ending.contains(address) else {
            postponed.release()
            return postponed
        }
        requests[address]?.removeAll(where: \.isOver)
        requests[address, default: []].append(postponed)
        return postponed
    }

    /// Releases the requests of a central whose link has ended. What is to be done later with one is done.
    func release(from address: String) {
        requests[address] = nil
        ending.remove(address)
    }

    /// Releases all requests.
    func releaseAll() {
        requests = [:]
    }

    /// Hands over the requests of one central whose link is being ended, or of all if nil, to be released at the right
    /// moment. Until ``endIsOver(of:)`` no more of them are kept.
    func take(from address: String?) -> HeldRequests {
        guard let address else {
            areAllEnding = true
            defer { requests = [:] }
            return HeldRequests(answers: Array(requests.values.joined()))
        }
        ending.insert(address)
        return HeldRequests(answers: requests.removeValue(forKey: address) ?? [])
    }

    func endIsOver(of address: String?) {
        if let address { ending.remove(address) } else { areAllEnding = false }
    }
}

/// The answer to a request, to be given later.
///
/// Unchecked: it is given on the peripheral's queue. Other threads only release it, which is behind the lock.
final class PostponedAnswer: @unchecked Swift.Sendable {
    private let lock = NSLock()
    private var answer: (() -> Void)?

    fileprivate init(_ answer: @escaping () -> Void) {
        self.answer = answer
    }

    /// Whether it was given, or never will be.
    fileprivate var isOver: Bool { lock.withLock { answer == nil } }

    /// Gives the answer, unless the request was released.
    func give() { take()?() }

    /// Releases the request without this answer.
    fileprivate func release() { _ = take() }

    private func take() -> (() -> Void)? {
        lock.withLock {
            defer { answer = nil }
            return answer
        }
    }
}

/// Requests without an answer that can be released from any thread.
struct HeldRequests: Swift.Sendable {
    fileprivate let answers: [PostponedAnswer]

    func release() {
        for answer in answers { answer.release() }
    }
}
