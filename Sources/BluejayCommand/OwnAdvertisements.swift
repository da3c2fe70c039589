import BlueZ
import CoreBluetooth
import Foundation
import MainLoop

/// A controller does not receive what it sends. A person who tries a peripheral and a central on one machine may not
/// expect this.
enum OwnAdvertisements {
    /// The hint for when a program on this machine advertises on the adapter that is scanned with; nil when none does.
    ///
    /// - Parameter option: the adapter that an option chooses, by name or address.
    @LoopActor
    static func hint(adapter option: String?) async -> String? {
        let session = BlueZSession.shared
        guard let adapter = adapterInUse(option, of: session), let count = try? await adapter.advertisementCount(),
            count > 0
        else { return nil }
        let others = session.adapters.map(\.name).filter { $0 != adapter.name }
        let advice =
            others.isEmpty ? "; use another adapter" : "; try --adapter \(others.joined(separator: " or "))"
        return
            "a program on this machine advertises on \(adapter.name), which cannot receive its own advertising\(advice)"
    }

    @LoopActor
    private static func adapterInUse(_ option: String?, of session: BlueZSession) -> Adapter? {
        let adapters = session.adapters
        return AdapterChoice(option: option).pick(from: adapters.map(AdapterChoice.Candidate.init)).map { adapters[$0] }
    }
}

/// The devices that a search has seen, other than the one that it looks for.
struct Sightings {
    private var names: [UUID: String] = [:]
    private var order: [UUID] = []
    private var hasMore = false

    /// How many are named and remembered: a search may be long, and addresses change.
    private static let limit = 8

    mutating func add(_ advertisement: AsyncCentral.Advertisement) {
        let identifier = advertisement.peripheral.identifier
        if names[identifier] == nil {
            guard order.count < Self.limit else { return hasMore = true }
            order.append(identifier)
        }
        names[identifier] = advertisement.localName ?? advertisement.peripheral.displayName
    }

    /// For the end of a sentence.
    var text: String {
        if order.isEmpty { return "; no device was seen" }
        var parts = order.map { identifier in
            let address = CBPeer.bluetoothAddress(forIdentifier: identifier) ?? identifier.uuidString
            return "\"\(names[identifier] ?? "")\" \(address)"
        }
        if hasMore { parts.append("and others") }
        return "; seen: " + parts.joined(separator: ", ")
    }
}
