import CoreBluetooth

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

    /// Releases the requests of one central whose link is to end, or of all if nil; they get no other answer later.
    /// Until ``endIsOver(of:)`` none is kept.
    func beginEnd(of address: String?) {
        let released: [PostponedAnswer]
        if let address {
            ending.insert(address)
            released = requests.removeValue(forKey: address) ?? []
        } else {
            areAllEnding = true
            released = Array(requests.values.joined())
            requests = [:]
        }
        for answer in released { answer.release() }
    }

    func endIsOver(of address: String?) {
        if let address { ending.remove(address) } else { areAllEnding = false }
    }
}

/// The answer to a request, to be given later.
final class PostponedAnswer {
    private var answer: (() -> Void)?

    fileprivate init(_ answer: @escaping () -> Void) {
        self.answer = answer
    }

    /// Whether it was given, or never will be.
    fileprivate var isOver: Bool { answer == nil }

    /// Gives the answer, unless the request was released.
    func give() {
        let answer = answer
        release()
        answer?()
    }

    /// Releases the request without this answer.
    fileprivate func release() { answer = nil }
}
