/// The operation codes of the attribute protocol. Specification: Core 5.4, Vol 3, Part F, 3.4.8.
enum ATTOpcode {
    static let errorResponse: UInt8 = 0x01
    static let exchangeMTURequest: UInt8 = 0x02
    static let findInformationRequest: UInt8 = 0x04
    static let findByTypeValueRequest: UInt8 = 0x06
    static let readByTypeRequest: UInt8 = 0x08
    static let readRequest: UInt8 = 0x0A
    static let readBlobRequest: UInt8 = 0x0C
    static let readMultipleRequest: UInt8 = 0x0E
    static let readByGroupTypeRequest: UInt8 = 0x10
    static let writeRequest: UInt8 = 0x12
    static let prepareWriteRequest: UInt8 = 0x16
    static let executeWriteRequest: UInt8 = 0x18
    static let handleValueNotification: UInt8 = 0x1B
    static let handleValueIndication: UInt8 = 0x1D
    static let handleValueConfirmation: UInt8 = 0x1E
    static let readMultipleVariableRequest: UInt8 = 0x20
    static let multipleHandleValueNotification: UInt8 = 0x23
    static let writeCommand: UInt8 = 0x52
    static let signedWriteCommand: UInt8 = 0xD2

    /// What a client sends and a server answers.
    static let requests: Set<UInt8> = [
        exchangeMTURequest, findInformationRequest, findByTypeValueRequest, readByTypeRequest, readRequest,
        readBlobRequest, readMultipleRequest, readByGroupTypeRequest, writeRequest, prepareWriteRequest,
        executeWriteRequest, readMultipleVariableRequest,
    ]

    /// The response to a request has the next code.
    static let responses = Set(requests.map { $0 + 1 } + [errorResponse])
}
