import BlueZ
import DBus
import Foundation

/// Looks for what keeps a program of this package from working on a machine, and for the command that fixes it.
///
/// It changes nothing: it asks the bus and bluetoothd, and reads files.
package struct Doctor: Swift.Sendable {
    /// What the adapter is needed for.
    package enum Role: Swift.Sendable {
        /// `bluejay`: to find devices and connect to them.
        case central
        /// `dittojay`: to be found, and to have services.
        case peripheral

        /// The program that has the role.
        var program: String {
            switch self {
            case .central: "bluejay"
            case .peripheral: "dittojay"
            }
        }
    }

    let role: Role
    let adapter: String?
    let adapterVariable: String?
    let host: Host

    /// How long bluetoothd may take to answer.
    static let timeout = Duration.seconds(5)

    /// - Parameters:
    ///   - adapter: its name (`hci0`) or address; nil for the first that is powered, or else the first.
    ///   - adapterVariable: the environment variable that chooses it; nil if an option does, which is then the advice.
    package init(
        role: Role, adapter: String?, adapterVariable: String? = "BLUETOOTH_ADAPTER",
        host: Host = .current
    ) {
        self.role = role
        self.adapter = adapter
        self.adapterVariable = adapterVariable
        self.host = host
    }

    /// Makes all checks that can be made. A check that builds on one that has failed is left out.
    package func examine() async -> Report {
        let (findings, answer) = await examineBus()
        var all = findings
        all += checkProcesses(owner: answer?.process)
        let version = answer.flatMap { self.version(of: $0) }
        all += checkSettings(version: version)
        if let adapters = answer?.adapters {
            all += checkVersion(version)
            all += checkAdapter(among: adapters)
        }
        if answer?.adapters?.isEmpty ?? true {
            all += checkKernel(hasAnswered: answer?.adapters != nil)
            all += checkRadioSwitches(of: nil)
        }
        all += checkPairing()
        if role == .central { all += checkSockets() }
        // In the order in which they build on each other, whatever order they were made in.
        let order = Finding.Topic.allCases
        return Report(
            all.enumerated().sorted { first, second in
                let ranks = [first, second].map { order.firstIndex(of: $0.element.topic) ?? order.count }
                return ranks[0] != ranks[1] ? ranks[0] < ranks[1] : first.offset < second.offset
            }.map(\.element))
    }
}

/// bluetoothd's answer over the bus.
struct DaemonAnswer: Hashable, Swift.Sendable {
    /// The process that has the name `org.bluez`; nil if the bus does not know it.
    var process: Int?
    /// bluetoothd's adapters in the order of their names; nil if it did not answer.
    var adapters: [AdapterRecord]?
}

/// An adapter, as bluetoothd describes it.
struct AdapterRecord: Hashable, Swift.Sendable {
    var name: String
    var path: String
    var address: String
    var isPowered: Bool
    var isDiscovering: Bool
    /// `central`, `peripheral`; empty if bluetoothd is too old to report them.
    var roles: [String]
    /// The identity that bluetoothd gives to itself.
    var modalias: String?
    var offersServices: Bool
    /// Nil if it cannot advertise.
    var advertisements: Advertisements?

    struct Advertisements: Hashable, Swift.Sendable {
        /// How many there are.
        var active: Int
        /// How many more are possible.
        var left: Int
    }

    /// Nil if the object is not an adapter.
    init?(_ object: ManagedObject) {
        guard let properties = object.properties(of: Adapter1.self) else { return nil }
        name = object.path.lastElement
        path = object.path.string
        address = properties[Adapter1.address] ?? ""
        isPowered = properties[Adapter1.powered] ?? false
        isDiscovering = properties[Adapter1.discovering] ?? false
        roles = properties[Adapter1.roles] ?? []
        modalias = properties[Adapter1.modalias]
        offersServices = object.has(GattManager1.self)
        advertisements = object.properties(of: LEAdvertisingManager1.self).map { manager in
            Advertisements(
                active: Int(manager[LEAdvertisingManager1.activeInstances] ?? 0),
                left: Int(manager[LEAdvertisingManager1.supportedInstances] ?? 0))
        }
    }
}
