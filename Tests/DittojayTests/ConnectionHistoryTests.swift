import DBus
import Testing

@testable import Dittojay

/// What the connections of a central show of its pairing.
final class ConnectionHistoryTests {
    private var history = ConnectionHistory()
    private let central = ObjectPath.root.appending("central")
    private var now = ContinuousClock.now
    private static let keyLoss =
        "its connections end at once: it has probably lost the keys of its pairing with this machine; run "
        + "\"dittojay unpair AA\", and pair again"

    /// - Returns: what is said of the pairing at the end.
    private func visit(
        for time: Duration = .seconds(1), isPaired: Bool = true, failedAuthentication: Bool = false,
        isOfUse: Bool = false, agrees: Bool = false
    ) -> String? {
        history.connected(central, address: "AA", at: now)
        if isOfUse { history.used(central) }
        if agrees { history.agreedToPair(central) }
        now += time
        let end = history.disconnected(central, isPaired: isPaired, failedAuthentication: failedAuthentication, at: now)
        #expect(end?.address == "AA")
        return end?.problem
    }

    @Test func `lost keys are said once for as long as it goes on`() {
        #expect(visit() == nil)
        #expect(visit() == Self.keyLoss)
        #expect(visit() == nil)
        // It has paired again meanwhile.
        #expect(visit(isOfUse: true) == nil)
        #expect(visit() == nil)
        #expect(visit() == Self.keyLoss)
    }

    @Test func `a reason is enough`() {
        #expect(visit(for: .seconds(60), failedAuthentication: true) == Self.keyLoss)
        #expect(visit(failedAuthentication: true) == nil)
    }

    @Test func `a central that is not paired or stays has lost nothing`() {
        for _ in 0..<3 { #expect(visit(isPaired: false) == nil) }
        for _ in 0..<3 { #expect(visit(for: .seconds(6)) == nil) }
        #expect(visit() == nil)
        #expect(visit(for: .seconds(6)) == nil)
        #expect(visit() == nil)
    }

    @Test func `a pairing that was agreed to can fail`() {
        #expect(visit(isPaired: false, agrees: true) == "pairing with it failed")
        #expect(visit(isPaired: true, agrees: true) == nil)
    }

    @Test func `nobody ends without a beginning`() {
        #expect(history.disconnected(central, isPaired: true) == nil)
        history.used(central)
        history.agreedToPair(central)
        #expect(history.address(central) == nil)
    }
}
