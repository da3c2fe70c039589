/// The error codes of controllers. (Core Specification, Vol 1 Part F)
enum ErrorCode: UInt8, Error {
    case success = 0x00
    case unknownCommand = 0x01
    case unknownConnection = 0x02
    case authenticationFailure = 0x05
    case pinOrKeyMissing = 0x06
    case memoryExceeded = 0x07
    case connectionTimeout = 0x08
    case connectionLimitExceeded = 0x09
    case connectionExists = 0x0B
    case commandDisallowed = 0x0C
    case unsupportedFeature = 0x11
    case invalidParameters = 0x12
    case remoteUserTerminated = 0x13
    case remoteLowResources = 0x14
    case remotePowerOff = 0x15
    case localHostTerminated = 0x16
    case unsupportedRemoteFeature = 0x1A
    case linkLayerResponseTimeout = 0x22
    case pairingWithUnitKeyUnsupported = 0x29
    case unacceptableConnectionParameters = 0x3B
    case advertisingTimeout = 0x3C
    case micFailure = 0x3D
    case failedToBeEstablished = 0x3E
    case unknownAdvertisingIdentifier = 0x42
    case limitReached = 0x43
}
