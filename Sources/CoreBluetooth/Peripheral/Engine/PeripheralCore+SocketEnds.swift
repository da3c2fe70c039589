import BlueZ
import DBus
import MainLoop

/// Which subscriptions have ended with their sockets.
///
/// When a central that is not bonded disconnects, bluetoothd (5.82 and 5.87, `clear_ccc_state` and `ccc_write_cb` in
/// src/gatt-database.c) closes the first socket of each characteristic that the central was subscribed to, whoever that
/// socket is for, and then the central's own. It goes on taking the other central for a subscriber, and asks for no
/// other socket for it. What goes out as signals arrives, and not what goes over the sockets of others.
extension PeripheralCore {
    /// bluetoothd has closed the socket of a central, or has ended all notifications (nil).
    func socketEnded(_ link: CharacteristicLink, of central: ObjectPath?) {
        guard hasSocketForEach, link.subscribers.count > 1 || link.uncertainEnds != nil else {
            if let central { endSubscription(link, central) } else { unsubscribeAll(link) }
            return
        }
        let ended = central.map { [$0] } ?? link.subscribers.map(\.path)
        judgeEnds(of: link) { $0.centrals.formUnion(ended) }
    }

    /// A central that is not bonded has disconnected, which was subscribed.
    func unbondedSubscriberLeft(_ link: CharacteristicLink) {
        guard hasSocketForEach, !link.subscribers.isEmpty else { return }
        judgeEnds(of: link) { $0.followDisconnection = true }
    }

    /// Waits for what bluetoothd reports with the ends of sockets: it closes them before it says that the link has
    /// ended, and has said so by its answer to a call. The sockets' own reports may come after that.
    private func judgeEnds(of link: CharacteristicLink, _ note: (inout UncertainEnds) -> Void) {
        var ends = link.uncertainEnds ?? UncertainEnds()
        note(&ends)
        ends.inquiries += 1
        link.uncertainEnds = ends
        session.afterPendingSignals { [weak self, weak link] in
            guard let self, let link, links[link.key] === link else { return }
            link.uncertainEnds?.inquiries -= 1
            link.local.removeEndedSockets()
            guard let ends = link.uncertainEnds, ends.inquiries == 0 else { return }
            link.uncertainEnds = nil
            settle(ends, of: link)
            sendUpdates()
        }
    }

    private func settle(_ ends: UncertainEnds, of link: CharacteristicLink) {
        var ended: [ObjectPath] = []
        for central in link.subscribers.map(\.path) where ends.centrals.contains(central) {
            if ends.followDisconnection, session.device(at: central)?.isConnected == true {
                link.local.resumeNotifying(central)
            } else {
                ended.append(central)
            }
        }
        guard link.local.isSubscribed || ended.isEmpty else { return unsubscribeAll(link) }
        for central in ended { endSubscription(link, central) }
    }
}

/// The centrals whose sockets have ended, while it is uncertain whether their subscriptions have.
struct UncertainEnds {
    var centrals: Set<ObjectPath> = []
    /// Whether a subscriber that is not bonded has disconnected at that time.
    var followDisconnection = false
    /// How many answers of bluetoothd are still to come.
    var inquiries = 0
}
