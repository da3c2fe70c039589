import CoreBluetooth

/// What the control points of the standard services have in common: one procedure at a time, which ends with a response
/// that is indicated.
struct ControlPoint {
    /// The ATT errors of a control point, which differ between services.
    struct Errors {
        let procedureInProgress: UInt8
        let notConfigured: UInt8

        /// Core Specification Supplement, Part B, 1.2.
        static let common = Errors(procedureInProgress: 0xFE, notConfigured: 0xFD)
        /// The first services had numbers of their own.
        static let application = Errors(procedureInProgress: 0x80, notConfigured: 0x81)
    }

    let uuid: String
    /// The op code of responses.
    let responseCode: UInt8
    private let errors: Errors
    private var messages: [ModelMessage] = []
    /// Whether the response to a procedure has not been sent yet.
    private(set) var isBusy = false

    init(_ uuid: String, responseCode: UInt8, errors: Errors) {
        self.uuid = uuid
        self.responseCode = responseCode
        self.errors = errors
    }

    /// Begins a procedure.
    ///
    /// - Parameters:
    ///   - others: the characteristics that have to be subscribed to besides the control point.
    ///   - interrupts: whether it ends the one that is in progress.
    /// - Throws: why it must not begin.
    mutating func begin(
        _ client: ModelClient, others: [String] = [], interrupts: Bool = false
    ) throws(CBATTError) {
        guard ([uuid] + others).allSatisfy(client.isSubscribed) else {
            throw CBATTError(attError: errors.notConfigured)
        }
        guard !isBusy || interrupts else { throw CBATTError(attError: errors.procedureInProgress) }
        messages = []
        isBusy = true
    }

    /// Sends a value of any characteristic, after what was to be sent before.
    mutating func send(_ value: [UInt8], on uuid: String, after pause: Double = 0) {
        messages.append(ModelMessage(uuid: uuid, value: value, pause: pause))
    }

    /// Ends the procedure: the op code of responses, that of the request, the result and what is to be added.
    mutating func respond(to request: UInt8, _ result: UInt8, _ parameter: [UInt8] = [], after pause: Double = 0) {
        send([responseCode, request, result] + parameter, on: uuid, after: pause)
    }

    mutating func next() -> ModelMessage? {
        guard !messages.isEmpty else {
            isBusy = false
            return nil
        }
        return messages.removeFirst()
    }

    /// The central that wrote has disconnected.
    mutating func cancel() {
        messages = []
        isBusy = false
    }
}
