package import BlueZ
package import MainLoop

/// Which controller a manager uses: the one that the program names, else the one that `BLUETOOTH_ADAPTER` names, else
/// the first one that is powered.
package enum AdapterChoice: Hashable, Swift.Sendable {
    /// By name (`hci0`) or address, in any letter case.
    case named(String)
    case firstPowered

    static let environmentVariable = "BLUETOOTH_ADAPTER"

    /// - Parameter option: the value of the manager's option, if there is one; what is not a text is ignored.
    package init(option: Any?, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let name = [option as? String, environment[Self.environmentVariable]].compactMap { $0 }.first { !$0.isEmpty }
        self = name.map(AdapterChoice.named) ?? .firstPowered
    }

    /// The name or the address; nil if the program leaves the choice.
    var name: String? {
        if case .named(let name) = self { name } else { nil }
    }

    /// What the choice depends on.
    package struct Candidate: Hashable, Swift.Sendable {
        let name: String
        let address: String
        let isPowered: Bool
    }

    /// Picks one of `candidates`, which are in the order of their names.
    ///
    /// - Parameters:
    ///   - settled: the address of the controller that was in use before. A manager stays with it, powered or not.
    ///   - insists: whether only that one will do, because bluetoothd may still be finding its controllers.
    /// - Returns: the index, or nil if none is suitable.
    package func pick(from candidates: [Candidate], settledOn settled: String? = nil, insists: Bool = false) -> Int? {
        switch self {
        case .named(let name):
            return candidates.firstIndex {
                $0.name == name || $0.address.caseInsensitiveCompare(name) == .orderedSame
            }
        case .firstPowered:
            if let settled {
                if let index = candidates.firstIndex(where: { $0.address == settled }) { return index }
                if insists { return nil }
            }
            return candidates.firstIndex(where: \.isPowered) ?? candidates.indices.first
        }
    }
}

extension AdapterChoice.Candidate {
    @LoopActor
    package init(_ adapter: Adapter) {
        self.init(name: adapter.name, address: adapter.address, isPowered: adapter.isPowered)
    }
}
