// The codes as members of the error, for `catch CBATTError.insufficientEncryption`.

extension CBATTError {
    /// The request succeeded.
    public static var success: Code { .success }
    /// The attribute's handle is not valid on the server.
    public static var invalidHandle: Code { .invalidHandle }
    /// The attribute cannot be read.
    public static var readNotPermitted: Code { .readNotPermitted }
    /// The attribute cannot be written.
    public static var writeNotPermitted: Code { .writeNotPermitted }
    /// The packet was not valid.
    public static var invalidPdu: Code { .invalidPdu }
    /// The attribute is for authenticated peers only: pairing is needed.
    public static var insufficientAuthentication: Code { .insufficientAuthentication }
    /// The server does not support the request.
    public static var requestNotSupported: Code { .requestNotSupported }
    /// The offset is beyond the end of the value.
    public static var invalidOffset: Code { .invalidOffset }
    /// The attribute is for authorized peers only.
    public static var insufficientAuthorization: Code { .insufficientAuthorization }
    /// Too many prepared writes are queued.
    public static var prepareQueueFull: Code { .prepareQueueFull }
    /// There is no such attribute.
    public static var attributeNotFound: Code { .attributeNotFound }
    /// The attribute cannot be read in parts.
    public static var attributeNotLong: Code { .attributeNotLong }
    /// The link's encryption key is too short.
    public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
    /// The value has a length that the attribute does not take.
    public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
    /// The request met an error that was not expected.
    public static var unlikelyError: Code { .unlikelyError }
    /// The attribute is for encrypted links only.
    public static var insufficientEncryption: Code { .insufficientEncryption }
    /// The attribute type is not a grouping attribute that the server supports.
    public static var unsupportedGroupType: Code { .unsupportedGroupType }
    /// The server has too few resources for the request.
    public static var insufficientResources: Code { .insufficientResources }
    /// The client's copy of the attribute table is out of date.
    public static var databaseOutOfSync: Code { .databaseOutOfSync }
    /// The server does not take the value.
    public static var valueNotAllowed: Code { .valueNotAllowed }
    /// The write was refused for a reason of the profile.
    public static var writeRequestRejected: Code { .writeRequestRejected }
    /// The client configuration descriptor is not set as the profile demands.
    public static var clientCharacteristicConfigurationImproper: Code { .clientCharacteristicConfigurationImproper }
    /// The procedure is running already.
    public static var procedureAlreadyInProgress: Code { .procedureAlreadyInProgress }
    /// The value is out of the range that the profile defines.
    public static var outOfRange: Code { .outOfRange }
}
