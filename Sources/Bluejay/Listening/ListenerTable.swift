/// The listeners of one connection.
///
/// A characteristic is listened to from the call of `listen` on; values go to its listener from when the peripheral has
/// confirmed.
final class ListenerTable {
    private struct Reservation {
        /// The first listener's option, which decides about further ones.
        let option: MultipleListenOption
        /// Listeners on their way through the queue.
        var pending: [Listener]
    }

    private var reservations: [CharacteristicIdentifier: Reservation] = [:]
    /// Those that values go to. A table of its own, because it is looked up for every value.
    private var installed: [CharacteristicIdentifier: Listener] = [:]
    /// How many ends of a listen are on their way through the queue.
    private var ending: [CharacteristicIdentifier: Int] = [:]

    /// Whether there is a listener, installed or on its way.
    func isListening(to characteristic: CharacteristicIdentifier) -> Bool {
        reservations[characteristic] != nil
    }

    /// Whether an end of a listen is on its way, so that values may still arrive.
    func isEnding(_ characteristic: CharacteristicIdentifier) -> Bool {
        ending[characteristic] != nil
    }

    /// Enters a listener that is on its way.
    ///
    /// - Returns: false if the present listener does not allow another.
    func reserve(_ listener: Listener, _ characteristic: CharacteristicIdentifier) -> Bool {
        guard let present = reservations[characteristic] else {
            reservations[characteristic] = Reservation(option: listener.option, pending: [listener])
            return true
        }
        if present.option == .trap { return false }
        reservations[characteristic]?.pending.append(listener)
        return true
    }

    /// The peripheral has confirmed a listener: values go to it, and the listener before it is told.
    func installed(_ listener: Listener, _ characteristic: CharacteristicIdentifier) {
        if listener.isEnded { return }
        reservations[characteristic]?.pending.removeAll { $0 === listener }
        let replaced = installed.updateValue(listener, forKey: characteristic)
        listener.onInstalled?()
        replaced?.end(telling: BluejayError.multipleListenReplaced)
    }

    /// A listener could not be installed. The one before it stays.
    func failed(_ listener: Listener, _ characteristic: CharacteristicIdentifier, _ error: any Error) {
        if listener.isEnded { return }
        reservations[characteristic]?.pending.removeAll { $0 === listener }
        if installed[characteristic] == nil, reservations[characteristic]?.pending.isEmpty == true {
            reservations[characteristic] = nil
        }
        listener.end(telling: error)
    }

    /// Removes the listeners of a characteristic, without a word to them. Values that still arrive are expected until
    /// `ended(_:)`.
    func end(_ characteristic: CharacteristicIdentifier) {
        ending[characteristic, default: 0] += 1
        installed.removeValue(forKey: characteristic)?.end()
        for listener in reservations.removeValue(forKey: characteristic)?.pending ?? [] { listener.end() }
    }

    /// Removes one listener, without a word to it. Others of the characteristic stay.
    ///
    /// - Returns: whether nobody listens to the characteristic any more because of that.
    func withdraw(_ listener: Listener, _ characteristic: CharacteristicIdentifier) -> Bool {
        if listener.isEnded { return false }
        listener.end()
        if installed[characteristic] === listener { installed[characteristic] = nil }
        reservations[characteristic]?.pending.removeAll { $0 === listener }
        guard installed[characteristic] == nil, reservations[characteristic]?.pending.isEmpty == true
        else { return false }
        reservations[characteristic] = nil
        return true
    }

    /// Some services have gone: ends the listeners of their characteristics with an error.
    func servicesWereRemoved(_ services: [CBService]) {
        let ended = installed.filter { _, listener in
            services.contains { $0 === listener.source?.service }
        }
        for characteristic in ended.keys {
            installed[characteristic] = nil
            if reservations[characteristic]?.pending.isEmpty == true { reservations[characteristic] = nil }
        }
        for (characteristic, listener) in ended {
            listener.end(telling: BluejayError.missingService(characteristic.service))
        }
    }

    /// Tells those installed listeners that want to know that the connection has ended, or is about to.
    func linkEnded(_ reason: any Error) {
        for listener in Array(installed.values) { listener.linkEnded(reason) }
    }

    /// An end of a listen has come out of the queue.
    func ended(_ characteristic: CharacteristicIdentifier) {
        let left = (ending[characteristic] ?? 0) - 1
        ending[characteristic] = left > 0 ? left : nil
    }

    /// Gives a value to the installed listener.
    ///
    /// - Returns: whether there is one.
    func receive(_ value: Data?, _ error: (any Error)?, _ characteristic: CharacteristicIdentifier) -> Bool {
        guard let listener = installed[characteristic] else { return false }
        if let error {
            listener.receive(.failure(error))
        } else {
            listener.receive(.success(value))
        }
        return true
    }

    /// Tells every installed listener about an error. They stay installed.
    func broadcast(_ error: any Error) {
        for listener in Array(installed.values) {
            listener.receive(.failure(error))
        }
    }
}
