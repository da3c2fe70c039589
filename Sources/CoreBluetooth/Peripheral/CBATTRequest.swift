/// A central's request to read or write one of our characteristics, to be answered by
/// ``CBPeripheralManager/respond(to:withResult:)``.
// @unchecked: the value is behind a lock; the rest is constant.
open class CBATTRequest: NSObject, @unchecked Swift.Sendable {
    /// Who asks.
    open var central: CBCentral { storedCentral }

    /// What is to be read or written.
    open var characteristic: CBCharacteristic { storedCharacteristic }

    /// At which byte of the value to begin.
    open var offset: Int { storedOffset }

    /// The bytes to be written, or the bytes from ``offset`` on as the answer to a read.
    open var value: Data? {
        get { lockedValue.withLock { $0 } }
        set { lockedValue.store(newValue) { swap(&$0, &$1) } }
    }

    /// Whether the central waits for an answer: false for a write without response, nil if that is not known.
    package let wantsResponse: Bool?

    private let lockedValue: Locked<Data?>

    private let storedCentral: CBCentral
    private let storedCharacteristic: CBCharacteristic
    private let storedOffset: Int
    /// Where the answer goes; nil for all but the first of several requests.
    let pendingAnswer: PendingAnswer?

    init(
        central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?, wantsResponse: Bool? = nil,
        pendingAnswer: PendingAnswer? = nil
    ) {
        self.wantsResponse = wantsResponse
        self.pendingAnswer = pendingAnswer
        storedCentral = central
        storedCharacteristic = characteristic
        storedOffset = offset
        lockedValue = Locked(value)
        super.init()
    }

    open override var description: String {
        let bytes = value.map { "\($0.count) bytes" } ?? "none"
        return """
            <\(type(of: self)): central = \(central.identifier), characteristic = \(characteristic.uuid), \
            offset = \(offset), value = \(bytes)>
            """
    }
}

extension CBATTRequest {
    /// Answers, if that is up to an engine and was not done before. Otherwise it is a misuse.
    func giveAnswer(_ result: CBATTError.Code, ofOwner owner: ObjectIdentifier) {
        guard let pendingAnswer, pendingAnswer.owner == owner else {
            return Diagnostics.misuse("respond to a request that is not this manager's, or not the first one: \(self)")
        }
        guard pendingAnswer.give(result, value: value) else {
            return Diagnostics.misuse("a second answer to \(self)")
        }
    }
}
