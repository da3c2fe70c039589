import BlueZ
import DBus

/// The connections of centrals, as far as they tell whether pairing has failed: bluetoothd does not say so.
struct CentralVisits {
    private struct Visit {
        /// The address when it connected: pairing may replace a private address by the device's own.
        let address: String
        let start: ContinuousClock.Instant
        /// Whether it has used the peripheral, or bluetoothd has found out what it offers itself: the link can be used.
        var isOfUse = false
        /// Whether the agent has agreed to pair.
        var hasAgreed = false
    }

    /// A paired central that stays so long, without a sign of use, has not just failed to encrypt the link.
    private static let longestFailure: Duration = .seconds(5)
    private static let failuresToBeSure = 2

    private var visits: [ObjectPath: Visit] = [:]
    /// How often in a row the connections of a paired central have ended at once.
    private var failures: [ObjectPath: Int] = [:]

    /// The address that a connected central had when it connected.
    func address(_ path: ObjectPath) -> String? { visits[path]?.address }

    mutating func begins(_ path: ObjectPath, address: String, at time: ContinuousClock.Instant = .now) {
        visits[path] = Visit(address: address, start: time)
    }

    mutating func isOfUse(_ path: ObjectPath) {
        visits[path]?.isOfUse = true
        failures[path] = nil
    }

    mutating func agrees(_ path: ObjectPath) { visits[path]?.hasAgreed = true }

    /// - Parameters:
    ///   - isPaired: whether bluetoothd has keys of the central at the end.
    ///   - failedAuthentication: whether bluetoothd says that the link ended for want of encryption.
    /// - Returns: the central's address, and what to say of its pairing; nil if it was not connected.
    mutating func ends(
        _ path: ObjectPath, isPaired: Bool, failedAuthentication: Bool = false, at time: ContinuousClock.Instant = .now
    ) -> (address: String, problem: String?)? {
        guard let visit = visits.removeValue(forKey: path) else { return nil }
        guard isPaired else {
            failures[path] = nil
            return (visit.address, visit.hasAgreed ? "pairing with it failed" : nil)
        }
        guard failedAuthentication || (!visit.isOfUse && time - visit.start < Self.longestFailure) else {
            failures[path] = nil
            return (visit.address, nil)
        }
        failures[path, default: 0] += 1
        // Said once for as long as it goes on.
        guard failures[path] == (failedAuthentication ? 1 : Self.failuresToBeSure) else { return (visit.address, nil) }
        let reason =
            "its connections end at once: it seems to have lost the keys of its pairing with this machine; run "
            + "\"dittojay unpair \(visit.address)\", and pair again"
        return (visit.address, reason)
    }
}
