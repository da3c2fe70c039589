import Foundation
import Posix

/// What is to be restored, of all programs of a user. It is what the agent keeps on disk.
package struct RestorationRecord: Codable, Hashable, Sendable {
    package var version = 1
    package var apps: [AppRecord] = []

    package init(apps: [AppRecord] = []) {
        self.apps = apps
    }
}

/// What is to be restored of one registration of a program.
package struct AppRecord: Codable, Hashable, Sendable {
    /// As last registered.
    package var registration: AppRegistration
    /// The process that registered last; nil when it could not be found out.
    package var process: ProcessMark?
    /// The process that the agent has started and that has not registered yet. The next agent must not start another.
    package var started: ProcessMark?
    /// The first number of a subscription that was never used.
    package var nextSubscription: UInt32 = 1
    package var peripherals: [PeripheralRecord] = []
    package var scan: ScanRecord?
    /// For the role of a peripheral only.
    package var publication: PublicationRecord?

    package init(registration: AppRegistration, process: ProcessMark?) {
        self.registration = registration
        self.process = process
    }

    package subscript(_ peripheral: UUID) -> PeripheralRecord? {
        get { peripherals.first { $0.identifier == peripheral } }
        set {
            let index = peripherals.firstIndex { $0.identifier == peripheral }
            switch (index, newValue) {
            case (let index?, let value?): peripherals[index] = value
            case (let index?, nil): peripherals.remove(at: index)
            case (nil, let value?): peripherals.append(value)
            case (nil, nil): break
            }
        }
    }
}

/// A process. Its start distinguishes it from a later one of the same number.
package struct ProcessMark: Codable, Hashable, Sendable {
    package var identifier: Int32
    /// In the kernel's ticks since the machine was started.
    package var start: UInt64
    /// Of the machine's run that the ticks belong to.
    package var boot: String

    package init(identifier: Int32, start: UInt64, boot: String) {
        self.identifier = identifier
        self.start = start
        self.boot = boot
    }

    /// The process with this number; nil when there is none, or it has ended and waits for its parent.
    package init?(running identifier: Int32) {
        guard let status = ProcessStatus(of: identifier), !status.hasEnded else { return nil }
        self.init(identifier: identifier, start: status.start, boot: Self.currentBoot)
    }

    /// Whether the process still runs.
    package var isAlive: Bool { ProcessMark(running: identifier) == self }

    private static let currentBoot: String = {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return (text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }()
}
