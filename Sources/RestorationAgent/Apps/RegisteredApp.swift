import CoreBluetooth
import Foundation

/// One registration of a program, as the agent knows it.
final class RegisteredApp {
    /// The state of the program's process.
    enum Presence: Hashable {
        /// It is connected to the agent, or it runs and will be.
        case running
        /// It has ended, and nothing has happened since then that concerns it.
        case ended
        /// It has ended and is to be started.
        case wanted
        /// It was started and has not registered yet.
        case starting
    }

    var record: AppRecord
    var presence: Presence
    /// When its process was last found to have ended, in seconds of the agent's clock.
    var endedAt = 0.0
    weak var peer: (any AgentPeer)?
    let inbox: Inbox
    var policy = RestartPolicy()
    /// When it was last started, in seconds of the agent's clock.
    var lastStart: Double?
    /// The next look at the process, or the next start.
    var timer: AnyObject?
    /// The peripherals whose link is up, as far as the agent knows.
    var up: Set<UUID> = []
    /// While the program waits for its welcome: the agent's timeout for it.
    var greeting: AnyObject?
    /// How many subscriptions are being made again.
    var subscribing = 0
    /// How many lost values were reported.
    var reportedLoss = 0
    /// What it has published, for the role of a peripheral.
    var publishing: PublishingApp?

    init(_ record: AppRecord, presence: Presence, inbox: Inbox) {
        self.record = record
        self.presence = presence
        self.inbox = inbox
    }

    var name: String { "\(record.registration.identifier) of \(record.registration.program)" }

    func isRegistration(of other: AppRegistration) -> Bool {
        record.registration.isSameProgram(as: other)
    }

    /// The peripherals that were connected, while the agent has neither taken up their links nor found them lost.
    var awaited: [PeripheralRecord] {
        record.peripherals.filter { $0.state == .connected && !up.contains($0.identifier) }
    }

    /// What is reported to the program's next run.
    var welcome: Welcome {
        let peripherals = record.peripherals.map { peripheral in
            var peripheral = peripheral
            // It was connected, and will be again.
            if peripheral.state == .connected, !up.contains(peripheral.identifier) { peripheral.state = .connecting }
            return peripheral
        }
        return Welcome(nextSubscription: record.nextSubscription, peripherals: peripherals, scan: record.scan)
    }
}
