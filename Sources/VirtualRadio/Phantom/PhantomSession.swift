/// What a phantom's host does on one link: L2CAP with the fixed channels, and ATT. (Core Specification, Vol 3 Part A,
/// 3.1, 4)
final class PhantomSession {
    let handle: Int
    private var server: AttributeServer
    private let output: ([UInt8]) -> Void
    /// What has come of a packet of L2CAP that is not complete.
    private var incoming: [UInt8] = []
    /// Packets for the controller that it has no place for yet.
    private var outgoing: [[UInt8]] = []
    private var credits = Controller.dataPackets
    private var timers: [Timer] = []

    private enum Channel {
        static let attributes = 4
        static let signalling = 5
        static let security = 6
    }

    /// More than any packet of ATT here.
    private static let longestPacket = 1_024
    private static let maximumWaiting = 64

    init(
        _ clock: VirtualClock, handle: Int, _ peripheral: PhantomPeripheral, _ injector: FaultInjector,
        output: @escaping ([UInt8]) -> Void
    ) {
        self.handle = handle
        self.output = output
        server = AttributeServer(peripheral, injector)
        for (index, attribute) in server.table.attributes.enumerated() {
            guard let interval = attribute.interval else { continue }
            every(interval, clock) { [unowned self] in
                if let packet = server.update(index + 1) { send(packet, Channel.attributes) }
            }
        }
        for (index, entry) in injector.entries.enumerated() {
            guard case .every(let interval) = entry.fault.trigger else { continue }
            every(interval, clock) { [unowned self] in
                switch injector.hit(where: { number, _ in number == index }) {
                case .packet(let packet): send(packet, Channel.attributes)
                case .disconnect: disconnect()
                // Without a request there is nothing to answer.
                case .noAnswer, .error, nil: break
                }
            }
        }
    }

    private func every(_ interval: Int, _ clock: VirtualClock, _ action: @escaping () -> Void) {
        let place = timers.count
        let timer = Timer(clock) { [unowned self] in
            action()
            timers[place].set(in: interval)
        }
        timers.append(timer)
        timer.set(in: interval)
    }

    /// The link is over.
    func end() {
        for timer in timers { timer.cancel() }
    }

    func packetsCompleted(_ count: Int) {
        credits = min(Controller.dataPackets, credits + count)
        sendWaiting()
    }

    /// Takes a part of a packet of L2CAP.
    func take(_ part: [UInt8], isStart: Bool) {
        if isStart { incoming = [] }
        incoming += part
        guard incoming.count <= Self.longestPacket else { return incoming = [] }
        let packet = Parameters(bytes: incoming)
        guard packet.count >= 4, packet.count >= 4 + packet.number(0) else { return }
        incoming = []
        handle(packet.slice(4, packet.number(0)), packet.number(2))
    }

    private func handle(_ content: [UInt8], _ channel: Int) {
        switch channel {
        case Channel.attributes:
            switch server.answer(content) {
            case .bytes(let answer): send(answer, channel)
            case .nothing: break
            case .disconnect: disconnect()
            }
        case Channel.signalling:
            // Command Reject: not understood. Responses have even or known codes, and get no answer. (4.1)
            guard content.count >= 4, [0x12, 0x14, 0x17].contains(content[0]) else { return }
            send([0x01, content[1], 2, 0, 0, 0], channel)
        case Channel.security:
            // Pairing Request: Pairing Not Supported. (Vol 3 Part H, 3.5.5)
            if content.first == 0x01 { send([0x05, 0x05], channel) }
        default: break
        }
    }

    private func disconnect() {
        let parameters = [UInt8](number: handle) + [ErrorCode.remoteUserTerminated.rawValue]
        output([PacketType.command.rawValue, 0x06, 0x04, UInt8(parameters.count)] + parameters)
    }

    private func send(_ content: [UInt8], _ channel: Int) {
        guard outgoing.count < Self.maximumWaiting else { return }
        let packet = [UInt8](number: content.count) + .init(number: channel) + content
        for begin in stride(from: 0, to: packet.count, by: Controller.dataLength) {
            let part = packet[begin..<min(begin + Controller.dataLength, packet.count)]
            let header = [UInt8](number: handle | (begin == 0 ? 0 : 0x1000)) + .init(number: part.count)
            outgoing.append([PacketType.data.rawValue] + header + part)
        }
        sendWaiting()
    }

    private func sendWaiting() {
        while credits > 0, !outgoing.isEmpty {
            credits -= 1
            output(outgoing.removeFirst())
        }
    }
}
