/// Which controller it is, by the version of the Core Specification that it is of.
public enum ControllerKind: String, Sendable, Comparable {
    /// Legacy advertising, and packets of up to 251 bytes, and resolvable private addresses.
    case v4_2 = "4.2"
    /// 5.3: also extended advertising with several sets, and the 2M and Coded PHYs.
    case v5_3 = "5.x"

    public static func < (left: ControllerKind, right: ControllerKind) -> Bool {
        left == .v4_2 && right == .v5_3
    }

    /// HCI and Link Layer have the same number. (Assigned Numbers, 2.1)
    var version: UInt8 {
        switch self {
        case .v4_2: 0x08
        case .v5_3: 0x0C
        }
    }

    /// The features of the Link Layer. (Core Specification, Vol 6 Part B, 4.6)
    var features: UInt64 {
        var features = LinkLayerFeature.encryption | LinkLayerFeature.connectionParametersRequest
        features |= LinkLayerFeature.peripheralInitiatedFeaturesExchange | LinkLayerFeature.dataLengthExtension
        features |= LinkLayerFeature.privacy | LinkLayerFeature.extendedScannerFilterPolicies
        if self == .v5_3 {
            features |= LinkLayerFeature.phy2M | LinkLayerFeature.codedPHY | LinkLayerFeature.extendedAdvertising
            features |= LinkLayerFeature.channelSelectionAlgorithm2
        }
        return features
    }
}

extension ControllerKind {
    /// Whether it knows the channel selection algorithm #2, which connections by extended advertising take. (4.5.8)
    var knowsSecondAlgorithm: Bool { features & LinkLayerFeature.channelSelectionAlgorithm2 != 0 }
}

enum LinkLayerFeature {
    static let encryption: UInt64 = 1 << 0
    static let connectionParametersRequest: UInt64 = 1 << 1
    static let peripheralInitiatedFeaturesExchange: UInt64 = 1 << 3
    static let dataLengthExtension: UInt64 = 1 << 5
    static let privacy: UInt64 = 1 << 6
    static let extendedScannerFilterPolicies: UInt64 = 1 << 7
    static let phy2M: UInt64 = 1 << 8
    static let codedPHY: UInt64 = 1 << 11
    static let extendedAdvertising: UInt64 = 1 << 12
    static let channelSelectionAlgorithm2: UInt64 = 1 << 14
}
