import CoreBluetooth

private func domains() {
    let _: [String] = [CBErrorDomain, CBATTErrorDomain, CBError.errorDomain, CBATTError.errorDomain]
}

private func errors() {
    let _: any (CustomNSError & Hashable & Sendable).Type = CBError.self
    let _: (CBError.Code, [String: Any]) -> CBError = CBError.init(_:userInfo:)
    let _: KeyPath<CBError, CBError.Code> = \.code
    let _: KeyPath<CBError, Int> = \.errorCode
    let _: KeyPath<CBError, [String: Any]> = \.userInfo
    _ = CBError(.unknown)
    let _: [CBError.Code] = [
        CBError.unknown, CBError.invalidParameters, CBError.invalidHandle, CBError.notConnected, CBError.outOfSpace,
        CBError.operationCancelled, CBError.connectionTimeout, CBError.peripheralDisconnected, CBError.uuidNotAllowed,
        CBError.alreadyAdvertising, CBError.connectionFailed, CBError.connectionLimitReached, CBError.unknownDevice,
        CBError.operationNotSupported, CBError.peerRemovedPairingInformation, CBError.encryptionTimedOut,
        CBError.tooManyLEPairedDevices, CBError.leGattExceededBackgroundNotificationLimit,
        CBError.leGattNearBackgroundNotificationLimit,
    ]
}

private func codes(_ code: CBError.Code) {
    let _: (Int) -> CBError.Code? = CBError.Code.init(rawValue:)
    let _: Int = code.rawValue
    let _: any (Hashable & Sendable) = code
    switch code {
    case .unknown, .invalidParameters, .invalidHandle, .notConnected, .outOfSpace, .operationCancelled,
        .connectionTimeout, .peripheralDisconnected, .uuidNotAllowed, .alreadyAdvertising, .connectionFailed,
        .connectionLimitReached, .unknownDevice, .operationNotSupported, .peerRemovedPairingInformation,
        .encryptionTimedOut, .tooManyLEPairedDevices, .leGattExceededBackgroundNotificationLimit,
        .leGattNearBackgroundNotificationLimit:
        break
    }
}

private func attErrors() {
    let _: any (CustomNSError & Hashable & Sendable).Type = CBATTError.self
    let _: (CBATTError.Code, [String: Any]) -> CBATTError = CBATTError.init(_:userInfo:)
    let _: KeyPath<CBATTError, CBATTError.Code> = \.code
    let _: KeyPath<CBATTError, Int> = \.errorCode
    let _: KeyPath<CBATTError, [String: Any]> = \.userInfo
    _ = CBATTError(.success)
    let _: [CBATTError.Code] = [
        CBATTError.success, CBATTError.invalidHandle, CBATTError.readNotPermitted, CBATTError.writeNotPermitted,
        CBATTError.invalidPdu, CBATTError.insufficientAuthentication, CBATTError.requestNotSupported,
        CBATTError.invalidOffset, CBATTError.insufficientAuthorization, CBATTError.prepareQueueFull,
        CBATTError.attributeNotFound, CBATTError.attributeNotLong, CBATTError.insufficientEncryptionKeySize,
        CBATTError.invalidAttributeValueLength, CBATTError.unlikelyError, CBATTError.insufficientEncryption,
        CBATTError.unsupportedGroupType, CBATTError.insufficientResources,
    ]
}

private func attCodes(_ code: CBATTError.Code) {
    let _: (Int) -> CBATTError.Code? = CBATTError.Code.init(rawValue:)
    let _: Int = code.rawValue
    let _: any (Hashable & Sendable) = code
    switch code {
    case .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu, .insufficientAuthentication,
        .requestNotSupported, .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound,
        .attributeNotLong, .insufficientEncryptionKeySize, .invalidAttributeValueLength, .unlikelyError,
        .insufficientEncryption, .unsupportedGroupType, .insufficientResources:
        break
    // Not in Apple's enumeration, whose values may be any number.
    case .databaseOutOfSync, .valueNotAllowed, .writeRequestRejected, .clientCharacteristicConfigurationImproper,
        .procedureAlreadyInProgress, .outOfRange:
        break
    case .unlisted(let code):
        let _: Int = code.rawValue
    }
    let _: [CBATTError.Code] = [
        CBATTError.databaseOutOfSync, CBATTError.valueNotAllowed, CBATTError.writeRequestRejected,
        CBATTError.clientCharacteristicConfigurationImproper, CBATTError.procedureAlreadyInProgress,
        CBATTError.outOfRange,
    ]
}

private func matching(_ error: any Error) {
    do { throw error } catch CBError.connectionTimeout {} catch CBATTError.insufficientEncryption {} catch {}
    let _: CBError.Code? = (error as? CBError)?.code
    let _: CBATTError.Code? = (error as? CBATTError)?.code
}

@available(*, deprecated, message: "uses what is deprecated")
private func deprecated() {
    let _: [CBError.Code] = [CBError.unkownDevice, CBError.Code.unkownDevice]
}
