/// One end of a connection, as the host at that end knows it.
final class Connection {
    let controller: Controller
    /// The radio keeps it while one of its ends is open. Once this end is closed, it is for the link itself to ask.
    unowned let link: Link
    let isCentral: Bool
    let handle: Int
    /// As it is sent.
    let ownAddress: DeviceAddress
    let peer: ResolvedAddress
    /// Until the host has been informed of the end of the connection.
    private(set) var isOpen = true
    /// Whether the host has asked for the end.
    private(set) var isTerminating = false

    /// Packets of the host that the other end does not have yet. It holds as many as the host may send at once.
    var outgoing: [OutgoingPacket] = []
    /// When this end has received something last, in real air.
    var lastHeard: Instant
    /// Whether this end has received anything at all, in real air.
    var isEstablished = false
    /// The strength of what was received last, in dBm, in real air.
    var lastStrength: Int8?
    private lazy var supervision = Timer(controller.radio.clock) { [unowned self] in superviseLink() }

    struct OutgoingPacket {
        let bytes: [UInt8]
        /// Whether it begins a packet of L2CAP.
        let isStart: Bool
        /// How much of it the other end has.
        var sent = 0
        /// Whether the other end has the part that is being sent, which this end does not know yet.
        var isPartReceived = false
    }

    init(_ link: Link, _ controller: Controller, isCentral: Bool, own: DeviceAddress, peer: ResolvedAddress) {
        self.link = link
        self.controller = controller
        self.isCentral = isCentral
        ownAddress = own
        self.peer = peer
        handle = controller.takeHandle()
        lastHeard = controller.radio.now
    }

    var other: Connection { isCentral ? link.peripheral : link.central }
    var kind: ControllerKind { controller.kind }

    /// The strength of the other end's signal in dBm.
    func strength() -> Int8 {
        lastStrength
            ?? Air.reported(
                controller.radio.air.signal(controller.index, other.controller.index, &controller.random))
    }
}

/// Data.
extension Connection {
    /// Takes a packet of the host.
    func send(_ content: UnsafeRawBufferPointer, isStart: Bool) {
        if outgoing.isEmpty, link.carriesAtOnce {
            link.radio.sniffer?.hear(self, content, isStart: isStart)
            reportAtOnce(content.count)
            other.receive(content, isStart: isStart)
            completePacket()
            return
        }
        // A host that sends more than it may loses it.
        guard outgoing.count < Controller.dataPackets else { return }
        outgoing.append(OutgoingPacket(bytes: Array(content), isStart: isStart))
    }

    /// Sends what has waited, in ideal air.
    func sendWaiting() {
        while link.carriesAtOnce, !outgoing.isEmpty {
            let packet = outgoing.removeFirst()
            link.radio.sniffer?.hear(self, packet.bytes, isStart: packet.isStart)
            reportAtOnce(packet.bytes.count)
            packet.bytes.withUnsafeBytes { other.receive($0, isStart: packet.isStart) }
            completePacket()
        }
    }

    /// In ideal air nothing is lost.
    private func reportAtOnce(_ bytes: Int) {
        let (air, own, peer) = (link.radio.air, controller.index, other.controller.index)
        guard let observer = air.observer else { return }
        let strength = Air.reported(air.mean(own, peer))
        observer(PacketReport(from: own, to: peer, kind: .data, bytes: bytes, fate: .received(strength)))
    }

    /// Gives the host a packet of the other end.
    func receive(_ content: UnsafeRawBufferPointer, isStart: Bool) {
        let writer = controller.radio.writer
        writer.beginData(handle: handle, flags: isStart ? 0b10 : 0b01, length: content.count)
        writer.add(content)
        controller.sendData(writer)
    }

    /// Informs the host that it may send another packet.
    func completePacket() {
        guard let event = controller.begin(.numberOfCompletedPackets) else { return }
        event.add(UInt8(1))
        event.add(handle)
        event.add(1)
        controller.send(event)
    }
}

/// The end of the connection.
extension Connection {
    /// The host ends the connection. The other end knows an event later.
    func terminate(_ reason: ErrorCode) {
        isTerminating = true
        send(control: .terminate, [reason.rawValue])
        link.inEvents(1) { [self] in
            guard isOpen else { return }
            let other = other
            if other.isOpen { other.close(reason) }
            close(.localHostTerminated)
        }
    }

    /// The connection is over at this end, and its host is informed.
    func close(_ reason: ErrorCode) {
        guard isOpen else { return }
        let peer = other.controller.index
        drop()
        controller.radio.report(.linkEnded(device: controller.index, peer: peer, reason: reason.rawValue))
        controller.sendDisconnectionComplete(handle, reason)
    }

    /// The connection is over at this end without a word, as by a reset.
    func drop() {
        guard isOpen else { return }
        isOpen = false
        outgoing = []
        supervision.cancel()
        controller.connections.removeAll { $0 === self }
        link.endClosed()
    }

    /// Ends the connection in that time, if nothing is heard meanwhile.
    func supervise(in span: Int) {
        guard isOpen else { return }
        supervision.set(in: span)
    }

    func stopSupervision() {
        supervision.cancel()
    }

    private func superviseLink() {
        let timeout = link.parameters.timeoutSpan
        let silence = controller.radio.now - lastHeard
        if link.isReal, isEstablished, silence < timeout { return supervise(in: timeout - silence) }
        if isTerminating { return close(.localHostTerminated) }
        close(link.isReal && !isEstablished ? .failedToBeEstablished : .connectionTimeout)
    }
}
