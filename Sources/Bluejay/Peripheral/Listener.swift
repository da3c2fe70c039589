/// One listen: who is told about the values of a characteristic.
final class Listener {
    let option: MultipleListenOption
    /// Called when the peripheral has confirmed the listen.
    var onInstalled: (() -> Void)?
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
        callback = nil
    }

    /// Ends the listen with an error.
    func end(telling error: any Error) {
        let last = callback
        callback = nil
        last?(.failure(error))
    }
}
