/// When a controller listens: `window` in each `interval`.
struct ListeningPlan {
    var interval: Int
    var window: Int
    var began: Instant

    func isOpen(_ time: Instant) -> Bool {
        interval <= window || (time - began) % interval < window
    }
}

/// A scan that is enabled.
final class Scanner {
    private unowned let controller: Controller
    let isExtended: Bool
    let isActive: Bool
    /// 0: all; 1: those of the accept list. 2 and 3 are the same here, where nobody has resolvable addresses.
    let filterPolicy: UInt8
    let filtersDuplicates: Bool
    let plan: ListeningPlan
    /// On which it listens, a bit for each.
    let phys: UInt8
    /// With which it asks for more.
    private let address: DeviceAddress
    private var reported: Set<ReportKey> = []

    /// What makes a report a duplicate: of legacy packets the sender alone, of extended ones the data as well.
    private struct ReportKey: Hashable {
        let address: DeviceAddress
        let detail: Int
    }

    /// How many devices are remembered for filtering duplicates.
    private static let mostRemembered = 4_096

    init(
        _ controller: Controller, isExtended: Bool, _ parameters: Controller.ScanParameters, filtersDuplicates: Bool,
        plan: ListeningPlan
    ) {
        self.controller = controller
        self.isExtended = isExtended
        isActive = parameters.isActive
        filterPolicy = parameters.filterPolicy
        phys = parameters.phys
        address = parameters.usesRandomAddress ? controller.randomAddress ?? controller.address : controller.address
        self.filtersDuplicates = filtersDuplicates
        self.plan = plan
    }

    var usesAcceptList: Bool { filterPolicy & 1 == 1 }

    /// Reports an advertisement that was received, and asks for more if the scan is active.
    func hear(_ set: AdvertisingSet, strength: Int8) {
        let sender = set.address
        let isDirected = set.has(AdvertisingSet.Property.directed)
        guard !isDirected || controller.isOwn(set.target) else { return }
        guard !usesAcceptList || controller.acceptList.contains(sender) else { return }
        report(set, sender, isResponse: false, strength)
        guard isActive, set.has(AdvertisingSet.Property.scannable) else { return }
        guard let strength = controller.radio.exchangeScan(from: controller, address, with: set) else { return }
        report(set, sender, isResponse: true, strength)
    }

    private func report(_ set: AdvertisingSet, _ sender: DeviceAddress, isResponse: Bool, _ strength: Int8) {
        if filtersDuplicates {
            var detail = isResponse ? 1 : 0
            if !set.has(AdvertisingSet.Property.legacy) {
                detail |= 2 | Int(set.identifier) << 8 | Int(set.dataIdentifier) << 16
            }
            if reported.count >= Self.mostRemembered { reported = [] }
            guard reported.insert(ReportKey(address: sender, detail: detail)).inserted else { return }
        }
        if isExtended {
            controller.sendExtendedReport(set, sender, isResponse: isResponse, strength)
        } else {
            controller.sendReport(set, sender, isResponse: isResponse, strength)
        }
    }
}
