/// One listen: receives the values of a characteristic.
final class Listener {
    let option: MultipleListenOption
    /// Called when the peripheral has confirmed the listen.
    var onInstalled: (() -> Void)?
    /// Called when the listen has ended without a call of the callback: nil if the program has ended it, else the
    /// reason for the end of the connection.
    var onSilentEnd: (((any Error)?) -> Void)?
    /// The characteristic whose notifications were turned on; nil before that. The peripheral may have others with the
    /// same identifier.
    var source: CBCharacteristic?
    private var callback: ListenCallback?

    init(option: MultipleListenOption, callback: @escaping ListenCallback) {
        self.option = option
        self.callback = callback
    }

    /// Whether the listener will not be called again.
    var isEnded: Bool { callback == nil }

    func receive(_ result: ReadResult<Data?>) {
        callback?(result)
    }

    /// Ends the listen without calling the callback.
    func end() {
        if isEnded { return }
        callback = nil
        onSilentEnd?(nil)
    }

    /// Ends a listen that feeds a sequence, because the connection has ended or is about to.
    func linkEnded(_ reason: any Error) {
        guard let onSilentEnd, !isEnded else { return }
        callback = nil
        onSilentEnd(reason)
    }

    /// Ends the listen with an error.
    func end(with error: any Error) {
        let last = callback
        callback = nil
        last?(.failure(error))
    }
}
