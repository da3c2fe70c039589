/// A command that controllers know.
struct Command: Sendable {
    typealias Handler = @Sendable (Controller) -> (Parameters) throws(ErrorCode) -> Reply

    /// Which event answers the command.
    enum Answer: Sendable {
        /// Command Complete.
        case complete
        /// Command Complete, whose parameters begin with the handle of a connection also when the command fails.
        case completeWithHandle
        /// Command Status; another event follows when the command has been carried out.
        case status
    }

    let opcode: Int
    /// Of the parameters. `nil`: the handler checks it.
    let length: Int?
    /// The octet and the bit of the command in the Supported Commands. (Vol 4 Part E, 6.27)
    let supported: (octet: Int, bit: Int)
    /// The oldest kind of controller that has it.
    let since: ControllerKind
    let answer: Answer
    let run: Handler

    init(
        _ opcode: Int, length: Int?, supported: (Int, Int), since: ControllerKind = .v4_2, answer: Answer = .complete,
        _ run: @escaping Handler
    ) {
        self.opcode = opcode
        self.length = length
        self.supported = supported
        self.since = since
        self.answer = answer
        self.run = run
    }

    /// All commands, by opcode. Those of each procedure are listed beside it.
    static let all: [Int: Command] = {
        let lists = [
            Controller.informationCommands, Controller.advertisingCommands, Controller.extendedAdvertisingCommands,
            Controller.scanningCommands, Controller.extendedScanningCommands, Controller.initiatingCommands,
            Controller.filterAcceptListCommands, Controller.resolvingListCommands, Controller.disconnectionCommands,
            Controller.signalStrengthCommands,
            Controller.remoteInformationCommands, Controller.encryptionCommands, Controller.connectionUpdateCommands,
            Controller.dataLengthCommands, Controller.phyCommands, Controller.keyGenerationCommands,
        ]
        var commands: [Int: Command] = [:]
        for command in lists.joined() { commands[command.opcode] = command }
        return commands
    }()

    /// The bits of the commands that a kind of controller has.
    static func supported(by kind: ControllerKind) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: 64)
        for command in all.values where command.since <= kind {
            octets[command.supported.octet] |= 1 << UInt8(command.supported.bit)
        }
        return octets
    }
}

/// What a command returns beside its status.
struct Reply {
    /// The return parameters after the status. Command Status has none.
    var parameters: [UInt8] = []
    /// Sends the events that the answer must come before.
    var then: (() -> Void)?

    static var success: Reply { Reply() }
}

extension [UInt8] {
    /// 16 bits.
    init(number: Int) {
        self = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    init(bits: UInt64, count: Int) {
        self = (0..<count).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
    }
}
