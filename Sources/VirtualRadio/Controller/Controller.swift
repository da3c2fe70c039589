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

    init(
        radio: Radio, index: Int, kind: ControllerKind, address: DeviceAddress,
        output: @escaping (UnsafeRawBufferPointer) -> Void
    ) {
        self.radio = radio
        self.index = index
        self.kind = kind
        self.address = address
        self.output = output
    }

    /// As HCI_Reset has it: everything is as in the beginning. The other ends of links notice it by silence.
    func reset() {
        masks = EventMasks()
        randomAddress = nil
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
        writer.add(UInt8(1)) // the host may send one command
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
