/// The host of a phantom that can be connected to: it advertises, and has an ATT server for each central.
///
/// It drives its controller by HCI as every host does. What the controller sends it takes a moment later, because a
/// controller's output must not call the radio.
final class PhantomHost {
    private unowned let radio: Radio
    private let phantom: Phantom
    private let peripheral: PhantomPeripheral
    private(set) var index = -1
    private var inbox: [[UInt8]] = []
    private lazy var injector = FaultInjector(
        peripheral, seed: radio.randomStreams.begin(.faults(phantom: index)))
    private var sessions: [PhantomSession] = []
    private lazy var inboxTimer = Timer(radio.clock) { [unowned self] in handlePackets() }

    /// What centrals do to it faster than it answers is lost, as they have to wait for answers.
    private static let maximumWaiting = 256

    init(_ radio: Radio, _ phantom: Phantom, _ peripheral: PhantomPeripheral) {
        self.radio = radio
        self.phantom = phantom
        self.peripheral = peripheral
    }

    /// Takes a packet of the controller.
    func take(_ packet: UnsafeRawBufferPointer) {
        guard inbox.count < Self.maximumWaiting else { return }
        inbox.append(Array(packet))
        if !inboxTimer.isSet { inboxTimer.set(in: 0) }
    }

    func begin(_ index: Int) {
        self.index = index
        command(0x0C01, [UInt8](repeating: 0xFF, count: 8))
        // Connections, changed parameters, keys: what follows from any other event is for bigger hosts.
        command(0x2001, [0x15, 0, 0, 0, 0, 0, 0, 0])
        let interval = [UInt8](number: phantom.interval / Span.slot)
        command(0x2006, interval + interval + [0, 0, 0] + [UInt8](repeating: 0, count: 6) + [7, 0])
        command(0x2008, filled(phantom.data))
        command(0x2009, filled(phantom.scanResponse))
        advertise()
    }

    func end() {
        inboxTimer.cancel()
        for session in sessions { session.end() }
        sessions = []
    }

    private func filled(_ data: [UInt8]) -> [UInt8] {
        [UInt8(data.count)] + data + [UInt8](repeating: 0, count: Phantom.maximumDataLength - data.count)
    }

    private func advertise() { command(0x200A, [1]) }

    private func command(_ opcode: Int, _ parameters: [UInt8]) {
        send([PacketType.command.rawValue] + [UInt8](number: opcode) + [UInt8(parameters.count)] + parameters)
    }

    private func send(_ packet: [UInt8]) {
        packet.withUnsafeBytes { radio.receive($0, from: index) }
    }

    private func handlePackets() {
        let packets = inbox
        inbox = []
        for packet in packets {
            let content = Parameters(bytes: Array(packet.dropFirst()))
            if packet[0] == PacketType.event.rawValue { handleEvent(content) } else { handleData(content) }
        }
    }

    private func handleEvent(_ event: Parameters) {
        switch event.byte(0) {
        case EventCode.leMeta.rawValue: handleLEEvent(event)
        case EventCode.disconnectionComplete.rawValue:
            let handle = event.number(3)
            for session in sessions where session.handle == handle { session.end() }
            sessions.removeAll { $0.handle == handle }
            advertise()
        case EventCode.numberOfCompletedPackets.rawValue:
            session(event.number(3))?.packetsCompleted(event.number(5))
        default: break
        }
    }

    private func handleLEEvent(_ event: Parameters) {
        switch event.byte(2) {
        case LEEventCode.connectionComplete.rawValue where event.byte(3) == 0:
            let handle = event.number(4)
            sessions.append(
                PhantomSession(radio.clock, handle: handle, peripheral, injector) { [unowned self] in send($0) })
        case LEEventCode.longTermKeyRequest.rawValue:
            // It has no keys.
            command(0x201B, .init(number: event.number(3)))
        default: break
        }
    }

    private func handleData(_ packet: Parameters) {
        session(packet.number(0) & 0xFFF)?.take(Array(packet.bytes.dropFirst(4)), isStart: packet.byte(1) >> 4 & 3 == 2)
    }

    private func session(_ handle: Int) -> PhantomSession? {
        sessions.first { $0.handle == handle }
    }
}
