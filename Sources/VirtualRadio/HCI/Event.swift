/// The events that a controller sends. (Core Specification, Vol 4 Part E, 7.7)
enum EventCode: UInt8 {
    case disconnectionComplete = 0x05
    case encryptionChange = 0x08
    case readRemoteVersionInformationComplete = 0x0C
    case commandComplete = 0x0E
    case commandStatus = 0x0F
    case numberOfCompletedPackets = 0x13
    case encryptionKeyRefreshComplete = 0x30
    case leMeta = 0x3E

    /// The event's bit in the mask that the host sets. Some events cannot be masked.
    var maskBit: UInt64? {
        switch self {
        case .commandComplete, .commandStatus, .numberOfCompletedPackets: nil
        default: 1 << UInt64(rawValue - 1)
        }
    }
}

/// The subevents of LE Meta. (7.7.65)
enum LEEventCode: UInt8 {
    case connectionComplete = 0x01
    case advertisingReport = 0x02
    case connectionUpdateComplete = 0x03
    case readRemoteFeaturesComplete = 0x04
    case longTermKeyRequest = 0x05
    case remoteConnectionParameterRequest = 0x06
    case dataLengthChange = 0x07
    case readLocalPublicKeyComplete = 0x08
    case generateSharedKeyComplete = 0x09
    case enhancedConnectionComplete = 0x0A
    case directedAdvertisingReport = 0x0B
    case phyUpdateComplete = 0x0C
    case extendedAdvertisingReport = 0x0D
    case scanTimeout = 0x11
    case advertisingSetTerminated = 0x12
    case scanRequestReceived = 0x13
    case channelSelectionAlgorithm = 0x14

    var maskBit: UInt64 { 1 << UInt64(rawValue - 1) }
}

/// Which events the host wants. (7.3.1, 7.8.1)
struct EventMasks {
    /// The specification's defaults after a reset.
    var events: UInt64 = 0x1FFF_FFFF_FFFF
    var leEvents: UInt64 = 0x1F

    func allows(_ code: EventCode) -> Bool {
        guard let bit = code.maskBit else { return true }
        return events & bit != 0
    }

    func allows(_ code: LEEventCode) -> Bool {
        allows(.leMeta) && leEvents & code.maskBit != 0
    }
}
