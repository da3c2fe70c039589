import BlueZ
import DBus

/// What the connections of centrals show of failed pairings, which bluetoothd does not report.
struct ConnectionHistory {
    private struct Connection {
        /// The address when it connected: pairing may replace a private address with the device's own.
        let address: String
        let start: ContinuousClock.Instant
        /// Whether the central has used the peripheral, or bluetoothd has discovered the central's own services, over a
        /// link that is encrypted if they are paired: the link works.
        var wasUsed = false
        /// What is wrong if the agent has agreed to pair and the central is not paired at the end.
        var problem: String?
    }

    private static let failuresToBeSure = 2

    /// A paired central that stays longer than this without using the link has not failed to encrypt it.
    let longestFailure: Duration

    private var connections: [ObjectPath: Connection] = [:]
    /// How often in a row the connections of a paired central have ended at once.
    private var failures: [ObjectPath: Int] = [:]

    init(longestFailure: Duration = BlueZSession.Timing().failedEncryption) {
        self.longestFailure = longestFailure
    }

    /// The address that a connected central had when it connected.
    func address(_ path: ObjectPath) -> String? { connections[path]?.address }

    /// Whether it is connected, and nothing shows yet that its link works.
    func isUnused(_ path: ObjectPath) -> Bool { connections[path]?.wasUsed == false }

    mutating func connected(_ path: ObjectPath, address: String, at time: ContinuousClock.Instant = .now) {
        connections[path] = Connection(address: address, start: time)
    }

    mutating func used(_ path: ObjectPath) {
        connections[path]?.wasUsed = true
        failures[path] = nil
    }

    /// - Parameter problem: what is wrong if the central is not paired in the end.
    mutating func agreedToPair(_ path: ObjectPath, otherwise problem: String = "pairing with it failed") {
        connections[path]?.problem = problem
    }

    /// What has come of it is known.
    mutating func pairingHasEnded(_ path: ObjectPath) { connections[path]?.problem = nil }

    /// - Parameters:
    ///   - isPaired: whether bluetoothd has keys for the central at the end.
    ///   - failedAuthentication: whether bluetoothd reports that the link ended because it could not be encrypted.
    /// - Returns: the central's address, and what to report about its pairing; nil if it was not connected.
    mutating func disconnected(
        _ path: ObjectPath, isPaired: Bool, failedAuthentication: Bool = false, at time: ContinuousClock.Instant = .now
    ) -> (address: String, problem: String?)? {
        guard let connection = connections.removeValue(forKey: path) else { return nil }
        guard isPaired else {
            failures[path] = nil
            return (connection.address, connection.problem)
        }
        guard failedAuthentication || (!connection.wasUsed && time - connection.start < longestFailure) else {
            failures[path] = nil
            return (connection.address, nil)
        }
        failures[path, default: 0] += 1
        // Reported once for as long as it goes on.
        guard failures[path] == (failedAuthentication ? 1 : Self.failuresToBeSure) else {
            return (connection.address, nil)
        }
        let reason =
            "its connections end at once: it has probably lost the keys of its pairing with this machine; run "
            + "\"dittojay unpair \(connection.address)\", and pair again"
        return (connection.address, reason)
    }
}
