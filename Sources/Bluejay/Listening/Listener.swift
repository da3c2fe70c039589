/// One listen: who is told about the values of a characteristic.
final class Listener {
    let option: MultipleListenOption
    /// Called when the peripheral has confirmed the listen.
    var onInstalled: (() -> Void)?
    /// Called when the listen has ended and the callback was not told: by a call of the program (nil) or with the
    /// connection (the reason).
    var onSilentEnd: (((any Error)?) -> Void)?
    /// The characteristic whose notifications were turned on; nil before. There may be others with the same identifier.
    var source: CBCharacteristic?
    private var callback: ListenCallback?

    init(option: MultipleListenOption, callback: @escaping ListenCallback) {
        self.option = option
        self.callback = callback
    }

    /// Whether the listener is never called again.
    var isEnded: Bool { callback == nil }

    func receive(_ result: ReadResult<Data?>) {
        callback?(result)
    }

    /// Ends the listen without a word.
    func end() {
        if isEnded { return }
        callback = nil
        onSilentEnd?(nil)
    }

    /// The connection has ended, or is about to.
    func linkEnded(_ reason: any Error) {
        guard let onSilentEnd, !isEnded else { return }
        callback = nil
        onSilentEnd(reason)
    }

    /// Ends the listen with an error.
    func end(telling error: any Error) {
        let last = callback
        callback = nil
        last?(.failure(error))
    }
}
