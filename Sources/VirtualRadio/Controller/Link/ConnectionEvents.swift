/// Connection events in real air: the ends meet at every interval and exchange packets, as long as one of them has
/// something to send and the interval is not over. (Core Specification, Vol 6 Part B, 4.5)
extension Link {
    /// A packet from the central, and one from the peripheral.
    struct Exchange {
        var isHeardByPeripheral = false
        var isHeardByCentral = false
    }

    func beginEvent() {
        // With latency a peripheral need not listen at every event while it has nothing to send.
        if skippedEvents < parameters.latency, peripheral.isEstablished, peripheral.outgoing.isEmpty, !hasProcedures {
            skippedEvents += 1
            return scheduleNextEvent()
        }
        skippedEvents = 0
        beginChance()
        beginExchange()
    }

    /// Determines which device receives what. It has its effect when the packets have been sent.
    private func beginExchange() {
        exchange = Exchange()
        let down = central.partLength
        var up = 0
        if central.isOpen, peripheral.isOpen, let strength = receive(at: peripheral, down) {
            exchange.isHeardByPeripheral = true
            peripheral.lastStrength = strength
            // What the central sends says what it has received, and the peripheral goes on from there.
            peripheral.acknowledgePart()
            up = peripheral.partLength
            if let strength = receive(at: central, up) {
                exchange.isHeardByCentral = true
                central.lastStrength = strength
            }
        }
        if let sniffer = radio.sniffer { write(exchange, sniffer) }
        guard down > 0 || up > 0 else { return endExchange() }
        exchangeTimer.set(in: exchangeSpan(down, up))
    }

    /// What a sniffer hears: the central, and the peripheral if that has heard the central.
    private func write(_ exchange: Exchange, _ sniffer: Sniffer) {
        if central.isOpen { sniffer.hear(central, central.part, isStart: central.isPartStart) }
        guard exchange.isHeardByPeripheral else { return }
        sniffer.hear(peripheral, peripheral.part, isStart: peripheral.isPartStart)
    }

    private func receive(at end: Connection, _ payload: Int) -> Int8? {
        radio.air.receive(
            end.other.controller.index, end.controller.index, phy, .data, payload: payload, &random)
    }

    private func exchangeSpan(_ down: Int, _ up: Int) -> Int {
        phy.airTime(down) + phy.airTime(up) + 2 * PHY.interFrameSpace
    }

    func endExchange() {
        // An end that was closed meanwhile hears nothing more, and is not heard to the end.
        let exchange = central.isOpen && peripheral.isOpen ? self.exchange : Exchange()
        if exchange.isHeardByPeripheral {
            peripheral.heard()
            central.deliverPart()
        }
        if exchange.isHeardByCentral {
            central.heard()
            central.acknowledgePart()
            peripheral.deliverPart()
            advanceProcedures()
        }
        guard isOpen else { return }
        let hasMore = !isPaused && (!central.outgoing.isEmpty || peripheral.hasMore)
        let fits =
            radio.now + exchangeSpan(central.partLength, peripheral.partLength) <= anchor + parameters.intervalSpan
        if exchange.isHeardByCentral, hasMore, fits { return beginExchange() }
        scheduleNextEvent()
    }

    private func scheduleNextEvent() {
        anchor += parameters.intervalSpan
        trace.events += 1
        eventTimer.set(anchor)
    }
}

/// A packet of the host goes in parts, each of which is sent until the other end is known to have it.
extension Connection {
    /// How much this end sends with its next packet.
    var partLength: Int {
        guard isOpen, !link.isPaused, let packet = outgoing.first else { return 0 }
        return min(link.payload, packet.bytes.count - packet.sent)
    }

    var part: ArraySlice<UInt8> {
        let length = partLength
        guard length > 0 else { return [] }
        return outgoing[0].bytes[outgoing[0].sent..<outgoing[0].sent + length]
    }

    var isPartStart: Bool { outgoing.first.map { $0.isStart && $0.sent == 0 } ?? false }

    /// Whether there is something that the other end does not have yet.
    var hasMore: Bool {
        guard let packet = outgoing.first else { return false }
        return outgoing.count > 1 || !packet.isPartReceived || packet.sent + partLength < packet.bytes.count
    }

    func heard() {
        lastHeard = controller.radio.now
        guard !isEstablished else { return }
        isEstablished = true
        supervise(in: link.parameters.timeoutSpan)
    }

    /// The other end has received the part.
    func deliverPart() {
        let length = partLength
        guard length > 0, !outgoing[0].isPartReceived else { return }
        outgoing[0].isPartReceived = true
        let packet = outgoing[0]
        packet.bytes.withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[packet.sent..<packet.sent + length])
            other.receive(part, isStart: packet.isStart && packet.sent == 0)
        }
    }

    /// This end knows that the other has the part.
    func acknowledgePart() {
        let length = partLength
        guard length > 0, outgoing[0].isPartReceived else { return }
        outgoing[0].isPartReceived = false
        outgoing[0].sent += length
        guard outgoing[0].sent == outgoing[0].bytes.count else { return }
        outgoing.removeFirst()
        completePacket()
    }
}
