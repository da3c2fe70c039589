/// The listeners of one connection.
///
/// A characteristic counts as listened to from the call of `listen` on. Its listener receives values as soon as the
/// peripheral has confirmed.
final class ListenerTable {
    private struct Reservation {
        /// The option of the first listener, which decides whether there may be others.
        let option: MultipleListenOption
        /// Listeners whose operations are still in the queue.
        var pending: [Listener]
    }

    private var reservations: [CharacteristicIdentifier: Reservation] = [:]
    /// The listeners that receive values. In a table of its own, because it is looked up for every value.
    private var installed: [CharacteristicIdentifier: Listener] = [:]
    /// How many operations that end a listen are still in the queue.
    private var ending: [CharacteristicIdentifier: Int] = [:]

    /// Whether there is a listener, installed or not yet.
    func isListening(to characteristic: CharacteristicIdentifier) -> Bool {
        reservations[characteristic] != nil
    }

    /// Whether a listen is being ended, so that values may still arrive.
    func isEnding(_ characteristic: CharacteristicIdentifier) -> Bool {
        ending[characteristic] != nil
    }

    /// Adds a listener that is about to be installed.
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

    /// The peripheral has confirmed a listener: it starts receiving the values, and its predecessor ends.
    func installed(_ listener: Listener, _ characteristic: CharacteristicIdentifier) {
        if listener.isEnded { return }
        reservations[characteristic]?.pending.removeAll { $0 === listener }
        let replaced = installed.updateValue(listener, forKey: characteristic)
        listener.onInstalled?()
        replaced?.end(with: BluejayError.multipleListenReplaced)
    }

    /// A listener could not be installed. Its predecessor stays.
    func failed(_ listener: Listener, _ characteristic: CharacteristicIdentifier, _ error: any Error) {
        if listener.isEnded { return }
        reservations[characteristic]?.pending.removeAll { $0 === listener }
        if installed[characteristic] == nil, reservations[characteristic]?.pending.isEmpty == true {
            reservations[characteristic] = nil
        }
        listener.end(with: error)
    }

    /// Removes the listeners of a characteristic without calling them. Values may still arrive until `ended(_:)`.
    func end(_ characteristic: CharacteristicIdentifier) {
        ending[characteristic, default: 0] += 1
        installed.removeValue(forKey: characteristic)?.end()
        for listener in reservations.removeValue(forKey: characteristic)?.pending ?? [] { listener.end() }
    }

    /// Removes one listener without calling it. Others of the characteristic stay.
    ///
    /// - Returns: whether that was the last listener of the characteristic.
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

    /// Some services were removed: ends the listeners of their characteristics with an error.
    func servicesWereRemoved(_ services: [CBService]) {
        let ended = installed.filter { _, listener in
            services.contains { $0 === listener.source?.service }
        }
        for characteristic in ended.keys {
            installed[characteristic] = nil
            if reservations[characteristic]?.pending.isEmpty == true { reservations[characteristic] = nil }
        }
        for (characteristic, listener) in ended {
            listener.end(with: BluejayError.missingService(characteristic.service))
        }
    }

    /// Ends the installed listeners that feed a sequence, because the connection has ended or is about to.
    func linkEnded(_ reason: any Error) {
        for listener in Array(installed.values) { listener.linkEnded(reason) }
    }

    /// An operation that ends a listen has left the queue.
    func ended(_ characteristic: CharacteristicIdentifier) {
        let left = (ending[characteristic] ?? 0) - 1
        ending[characteristic] = left > 0 ? left : nil
    }

    /// Passes a value to the installed listener.
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

    /// Calls every installed listener with an error. They stay installed.
    func broadcast(_ error: any Error) {
        for listener in Array(installed.values) {
            listener.receive(.failure(error))
        }
    }
}
