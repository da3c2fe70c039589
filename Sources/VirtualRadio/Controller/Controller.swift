/// A controller: what a host sees of its radio. Each procedure is an extension in a file of its own.
final class Controller {
    unowned let radio: Radio
    /// By which the radio's owner knows it.
    let index: Int
    let kind: ControllerKind
    /// The public address.
    let address: DeviceAddress
    private let output: (UnsafeRawBufferPointer) -> Void

    var masks = EventMasks()
    var randomAddress: DeviceAddress?
    /// Which of the commands for advertising, scanning and initiating the host uses.
    var family: CommandFamily?
    var acceptList: [DeviceAddress] = []
    var resolvingList: [ResolvingEntry] = []
    var resolvesAddresses = false
    /// How long this controller uses a resolvable address, in nanoseconds.
    var resolvableAddressTimeout = Controller.defaultResolvableAddressTimeout
    var advertisingSets: [AdvertisingSet] = []
    var scanParameters = ScanParameters()
    var scanner: Scanner?
    lazy var scanEnd = Timer(radio.clock) { [unowned self] in scanTimedOut() }
    var initiator: Initiator?
    /// Of open connections.
    var connections: [Connection] = []
    var lastHandle = 0
    /// What the host suggests for new connections: length of payloads, and time in microseconds.
    var suggestedLength = Controller.shortest
    var suggestedTime = Controller.shortestTime
    /// A bit for each PHY that the host agrees to.
    var preferredPHYs = Controller.allPHYs
    /// For what this controller makes itself.
    var random = RandomSource(seed: 0)
    /// Of the last pair of keys that the host has asked for.
    var secretKey: SIMD4<UInt64>?

    init(
        radio: Radio, index: Int, kind: ControllerKind, address: DeviceAddress,
        output: @escaping (UnsafeRawBufferPointer) -> Void
    ) {
        self.radio = radio
        self.index = index
        self.kind = kind
        self.address = address
        self.output = output
        beginChance()
    }

    func beginChance() {
        random = RandomSource(seed: radio.randomStreams.begin(.controller(index)))
    }

    /// As HCI_Reset has it: everything is as in the beginning. The other ends of links notice it by silence.
    func reset() {
        masks = EventMasks()
        randomAddress = nil
        family = nil
        acceptList = []
        resolvingList = []
        resolvesAddresses = false
        resolvableAddressTimeout = Self.defaultResolvableAddressTimeout
        for set in advertisingSets { set.disable() }
        advertisingSets = []
        scanParameters = ScanParameters()
        scanner = nil
        scanEnd.cancel()
        initiator = nil
        radio.listenersChanged()
        for connection in connections { connection.drop() }
        suggestedLength = Self.shortest
        suggestedTime = Self.shortestTime
        preferredPHYs = Self.allPHYs
        secretKey = nil
    }
}

/// Commands and their answers.
extension Controller {
    /// Runs the command of a packet without its type.
    func run(command packet: UnsafeRawBufferPointer) {
        guard packet.count >= 3 else { return }
        let opcode = Int(packet[0]) | Int(packet[1]) << 8
        guard let command = Command.all[opcode], command.since <= kind else {
            return sendStatus(.unknownCommand, opcode)
        }
        let parameters = Parameters(bytes: Array(packet[3...]))
        do throws(ErrorCode) {
            let isWhole = parameters.count == Int(packet[2])
            guard isWhole, command.length == nil || command.length == parameters.count else {
                throw .invalidParameters
            }
            let reply = try command.run(self)(parameters)
            switch command.answer {
            case .status: sendStatus(.success, opcode)
            case .complete, .completeWithHandle: sendComplete(.success, opcode, reply.parameters)
            }
            reply.then?()
        } catch {
            switch command.answer {
            case .status: sendStatus(error, opcode)
            case .complete: sendComplete(error, opcode, [])
            case .completeWithHandle: sendComplete(error, opcode, [parameters.byte(0), parameters.byte(1)])
            }
        }
    }

    private func sendComplete(_ status: ErrorCode, _ opcode: Int, _ parameters: [UInt8]) {
        let writer = radio.writer
        writer.begin(.commandComplete)
        writer.add(UInt8(1))  // the host may send one command
        writer.add(opcode)
        writer.add(status)
        writer.add(parameters)
        send(writer)
    }

    private func sendStatus(_ status: ErrorCode, _ opcode: Int) {
        let writer = radio.writer
        writer.begin(.commandStatus)
        writer.add(status)
        writer.add(UInt8(1))
        writer.add(opcode)
        send(writer)
    }
}

/// Data of the host.
extension Controller {
    /// Takes a packet of data without its type. What belongs to no connection is dropped.
    func send(data packet: UnsafeRawBufferPointer) {
        guard packet.count >= 4 else { return }
        let header = Int(packet[0]) | Int(packet[1]) << 8
        let length = Int(packet[2]) | Int(packet[3]) << 8
        guard length > 0, length <= Self.dataLength, packet.count == 4 + length, header >> 14 == 0,
            let connection = connections.first(where: { $0.handle == header & 0xFFF })
        else { return }
        let boundary = header >> 12 & 3
        guard boundary != 3 else { return }
        connection.send(UnsafeRawBufferPointer(rebasing: packet[4...]), isStart: boundary != 1)
    }
}

/// What the host gets.
extension Controller {
    /// Begins an event, if the host wants it.
    func begin(_ code: EventCode) -> PacketWriter? {
        guard masks.allows(code) else { return nil }
        radio.writer.begin(code)
        return radio.writer
    }

    func begin(_ code: LEEventCode) -> PacketWriter? {
        guard masks.allows(code) else { return nil }
        radio.writer.begin(code)
        return radio.writer
    }

    /// Sends the event in the writer.
    func send(_ event: PacketWriter) {
        event.finish()
        event.take(output)
    }

    /// Sends the data in the writer.
    func sendData(_ data: PacketWriter) {
        data.take(output)
    }
}
