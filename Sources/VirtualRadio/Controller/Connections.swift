/// The events of new connections, and their handles. (Core Specification, Vol 4 Part E, 7.7.65.1, 7.7.65.10, 7.7.65.20)
extension Controller {
    /// The connection of a command.
    func connection(_ handle: Int) throws(ErrorCode) -> Connection {
        guard let connection = connections.first(where: { $0.handle == handle }) else { throw .unknownConnection }
        return connection
    }

    /// A handle that no connection has, and none has had lately.
    func takeHandle() -> Int {
        repeat { lastHandle = lastHandle % 0x0EFF + 1 } while connections.contains { $0.handle == lastHandle }
        return lastHandle
    }

    /// Whether others know this controller by that address.
    func isOwn(_ address: DeviceAddress) -> Bool {
        address == self.address || address == randomAddress
    }

    func sendConnectionComplete(_ connection: Connection) {
        sendConnectionComplete(
            .success, handle: connection.handle, isCentral: connection.isCentral, peer: connection.peer,
            own: connection.ownAddress,
            connection.link.parameters)
        guard kind.knowsSecondAlgorithm, let event = begin(.channelSelectionAlgorithm) else { return }
        event.add(connection.handle)
        event.add(UInt8(connection.link.hasSecondAlgorithm ? 1 : 0))
        send(event)
    }

    func sendConnectionFailed(_ status: ErrorCode, isCentral: Bool, peer: DeviceAddress?) {
        let peer = ResolvedAddress(peer ?? DeviceAddress(bits: 0, isRandom: false))
        sendConnectionComplete(status, handle: 0, isCentral: isCentral, peer: peer, own: nil, nil)
    }

    /// The enhanced event replaces the other where the host wants it. The other does not say which addresses were
    /// resolved.
    private func sendConnectionComplete(
        _ status: ErrorCode, handle: Int, isCentral: Bool, peer: ResolvedAddress, own: DeviceAddress?,
        _ parameters: ConnectionParameters?
    ) {
        let isEnhanced = masks.allows(.enhancedConnectionComplete)
        guard let event = begin(isEnhanced ? .enhancedConnectionComplete : .connectionComplete) else { return }
        event.add(status)
        event.add(handle)
        event.add(UInt8(isCentral ? 0 : 1))
        if isEnhanced {
            event.addTyped(peer)
            let isMade = resolvingList.contains { $0.localAddress != nil && $0.localAddress == own }
            event.add(isMade ? own?.bits ?? 0 : 0, bytes: 6)
            event.add(peer.entry == nil ? 0 : peer.sent.bits, bytes: 6)
        } else {
            event.addTyped(peer.identity)
        }
        event.add(parameters?.interval ?? 0)
        event.add(parameters?.latency ?? 0)
        event.add(parameters?.timeout ?? 0)
        event.add(UInt8(0))  // the clock's accuracy
        send(event)
    }
}
