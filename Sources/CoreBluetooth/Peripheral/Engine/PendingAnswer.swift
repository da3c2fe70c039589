import BlueZ
import MainLoop
import Synchronization

/// The answer that bluetoothd waits for, to be given once. If it is released without, the central gets an error at once
/// instead of waiting in vain.
final class PendingAnswer: Swift.Sendable {
    /// The engine whose request it is.
    let owner: ObjectIdentifier
    private let request: LocalRequest
    private let isRead: Bool
    private let isAnswered = Atomic(false)

    init(to request: LocalRequest, isRead: Bool, owner: ObjectIdentifier) {
        self.request = request
        self.isRead = isRead
        self.owner = owner
    }

    /// Answers, on any thread.
    ///
    /// - Parameter value: the answer to a read.
    /// - Returns: false if that was done before.
    func give(_ result: CBATTError.Code, value: Data?) -> Bool {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return false }
        let (request, isRead) = (request, isRead)
        MainLoop.shared.async {
            if result != .success {
                request.fail(attError: UInt8(clamping: result.rawValue))
            } else if isRead {
                request.reply((value ?? Data()).prefix(ATT.maximumValueLength))
            } else {
                request.reply()
            }
        }
        return true
    }
}
