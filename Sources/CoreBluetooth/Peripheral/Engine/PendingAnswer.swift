import BlueZ
import MainLoop
import Synchronization

/// The answer that a central waits for, to be given once. If it is released without, the central gets an error at once
/// instead of waiting in vain.
final class PendingAnswer: Swift.Sendable {
    /// Takes the answer on, on the loop. The value is the answer to a read.
    typealias Receiver = @LoopActor (CBATTError.Code, Data?) -> Void

    /// The engine whose request it is.
    let owner: ObjectIdentifier
    private let receiver: Receiver
    private let isAnswered = Atomic(false)
    private let isWithdrawn = Atomic(false)

    init(owner: ObjectIdentifier, _ receiver: @escaping Receiver) {
        self.owner = owner
        self.receiver = receiver
    }

    deinit { _ = give(.unlikelyError, value: nil) }

    /// Refuses the request, unless it was answered: its characteristic is withdrawn. An answer of the app that comes
    /// later is no mistake.
    @LoopActor
    func withdraw() {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
        isWithdrawn.store(true, ordering: .relaxed)
        receiver(.unlikelyError, nil)
    }

    /// Answers, on any thread.
    ///
    /// - Parameter value: the answer to a read.
    /// - Returns: false if that was done before.
    func give(_ result: CBATTError.Code, value: Data?) -> Bool {
        guard !isAnswered.exchange(true, ordering: .relaxed) else {
            return isWithdrawn.exchange(false, ordering: .relaxed)
        }
        let receiver = receiver
        MainLoop.shared.async { receiver(result, value) }
        return true
    }
}

extension PendingAnswer {
    /// The answer to a request that bluetoothd has passed on.
    convenience init(to request: LocalRequest, isRead: Bool, owner: ObjectIdentifier) {
        self.init(owner: owner) { result, value in
            if result != .success {
                request.fail(attError: UInt8(clamping: result.rawValue))
            } else if isRead {
                request.reply((value ?? Data()).prefix(ATT.maximumValueLength))
            } else {
                request.reply()
            }
        }
    }
}
