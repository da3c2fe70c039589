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
    /// 0: all; 1: those of the accept list; 2 and 3: the same, and also what is directed to resolvable addresses that
    /// this controller does not know.
    let filterPolicy: UInt8
    let filtersDuplicates: Bool
    let plan: ListeningPlan
    /// On which it listens, a bit for each.
    let phys: UInt8
    /// Of the address with which it asks for more.
    private let ownType: OwnAddressType
    private var reported: Set<ReportKey> = []

    /// What makes a report a duplicate: of legacy packets the sender alone, of extended ones the data as well.
    private struct ReportKey: Hashable {
        let address: DeviceAddress
        let detail: Int
    }

    /// How many devices are remembered for filtering duplicates.
    private static let maximumRemembered = 4_096

    init(
        _ controller: Controller, isExtended: Bool, _ parameters: Controller.ScanParameters, filtersDuplicates: Bool,
        plan: ListeningPlan
    ) {
        self.controller = controller
        self.isExtended = isExtended
        isActive = parameters.isActive
        filterPolicy = parameters.filterPolicy
        phys = parameters.phys
        ownType = parameters.ownType
        self.filtersDuplicates = filtersDuplicates
        self.plan = plan
    }

    var usesAcceptList: Bool { filterPolicy & 1 == 1 }

    /// Reports an advertisement that was received, and asks for more if the scan is active.
    func hear(_ set: AdvertisingSet, strength: Int8) {
        guard let sender = controller.resolve(set.address), let target = target(set, sender),
            !usesAcceptList || controller.acceptList.contains(sender.identity)
        else { return }
        report(set, sender, target, isResponse: false, strength)
        guard isActive, set.has(AdvertisingSet.Property.scannable) else { return }
        let own = controller.ownAddress(ownType, random: controller.randomAddress, for: sender.identity)
        guard let own, let strength = controller.radio.exchangeScan(from: controller, own, with: set) else { return }
        report(set, sender, target, isResponse: true, strength)
    }

    /// For whom it is, or `nil` if it is for another.
    private func target(_ set: AdvertisingSet, _ sender: ResolvedAddress) -> DirectedTarget? {
        guard set.has(AdvertisingSet.Property.directed) else { return .everybody }
        let target = set.sentTarget
        if controller.isTarget(target, of: sender, ownType) {
            return controller.isOwn(target) ? .own(target) : .resolved(ownIdentity)
        }
        return filterPolicy & 2 != 0 && target.isResolvable ? .unresolved(target) : nil
    }

    /// By which address the host of this controller knows itself.
    private var ownIdentity: DeviceAddress {
        ownType.isRandom ? controller.randomAddress ?? controller.address : controller.address
    }

    private func report(
        _ set: AdvertisingSet, _ sender: ResolvedAddress, _ target: DirectedTarget, isResponse: Bool, _ strength: Int8
    ) {
        if filtersDuplicates {
            var detail = isResponse ? 1 : 0
            if !set.has(AdvertisingSet.Property.legacy) {
                detail |= 2 | Int(set.identifier) << 8 | Int(set.dataIdentifier) << 16
            }
            if reported.count >= Self.maximumRemembered { reported = [] }
            guard reported.insert(ReportKey(address: sender.identity, detail: detail)).inserted else { return }
        }
        if isExtended {
            controller.sendExtendedReport(set, sender, target, isResponse: isResponse, strength)
        } else if case .unresolved = target {
            controller.sendDirectedReport(set, sender, strength)
        } else {
            controller.sendReport(set, sender, isResponse: isResponse, strength)
        }
    }
}

/// For whom an advertisement is, as extended reports have it. (Core Specification, Vol 4 Part E, 7.7.65.13)
enum DirectedTarget {
    case everybody
    /// An address of the controller.
    case own(DeviceAddress)
    /// The controller: its identity address, in place of a resolvable one.
    case resolved(DeviceAddress)
    /// A resolvable address that the controller does not know.
    case unresolved(DeviceAddress)

    var type: UInt8 {
        switch self {
        case .everybody: 0
        case .own(let address): address.type
        case .resolved(let address): address.type + 2
        case .unresolved: 0xFE
        }
    }

    var address: DeviceAddress {
        switch self {
        case .everybody: DeviceAddress(bits: 0, isRandom: false)
        case .own(let address), .resolved(let address), .unresolved(let address): address
        }
    }
}
