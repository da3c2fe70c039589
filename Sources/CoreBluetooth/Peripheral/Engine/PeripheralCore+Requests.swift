import BlueZ
import MainLoop

/// What bluetoothd asks of published characteristics.
extension PeripheralCore {
    /// Takes over what bluetoothd asks of a characteristic.
    func connect(_ link: CharacteristicLink) {
        let local = link.local
        local.onRead = { [weak self, weak link] request in
            guard let self, let link else { return }
            read(link, request)
        }
        local.onWrite = { [weak self, weak link] request in
            guard let self, let link else { return }
            write(link, request)
        }
        local.onSubscribe = { [weak self, weak link] context in
            guard let self, let link else { return }
            subscribe(link, subscriber(context, of: link))
        }
        local.onUnsubscribe = { [weak self, weak link] device in
            guard let self, let link else { return }
            socketEnded(link, of: device)
        }
        local.onReadyToNotify = { [weak self] in self?.sendUpdates() }
    }

    private func read(_ link: CharacteristicLink, _ request: LocalRequest) {
        // bluetoothd 5.66 lets reads of a characteristic pass that has no flag for reading or writing at all.
        guard link.plan.isReadable else { return request.fail(CBATTError.Code.readNotPermitted) }
        if let value = link.plan.staticValue { return request.reply(part: value) }
        let central = central(for: request.context)
        let mtu = central.mtu
        let answer = PendingAnswer(to: request, isRead: true, owner: ObjectIdentifier(self))
        link.ask(for: answer)
        deliver { [characteristic = link.plan.characteristic, offset = request.context.offset] manager in
            central.central.attMTU = mtu
            let request = CBATTRequest(
                central: central.central, characteristic: characteristic, offset: offset, value: nil,
                pendingAnswer: answer)
            guard let delegate = manager.delegate else {
                return manager.respond(to: request, withResult: .requestNotSupported)
            }
            delegate.peripheralManager(manager, didReceiveRead: request)
        }
    }

    private func write(_ link: CharacteristicLink, _ request: LocalRequest) {
        guard link.plan.isWriteable else { return request.fail(CBATTError.Code.writeNotPermitted) }
        // Only a question whether a long write may begin; its parts come as one value, with one offset, at its end.
        if request.context.isPrepareAuthorization { return request.reply() }
        let offset = request.context.offset
        guard offset <= ATT.maximumValueLength else { return request.fail(CBATTError.Code.invalidOffset) }
        guard offset + request.value.count <= ATT.maximumValueLength else {
            return request.fail(CBATTError.Code.invalidAttributeValueLength)
        }
        let central = central(for: request.context)
        let mtu = central.mtu
        let answer = PendingAnswer(to: request, isRead: false, owner: ObjectIdentifier(self))
        link.ask(for: answer)
        let wantsResponse = request.context.wantsResponse
        deliver { [characteristic = link.plan.characteristic, value = request.value] manager in
            central.central.attMTU = mtu
            let request = CBATTRequest(
                central: central.central, characteristic: characteristic, offset: offset, value: value,
                wantsResponse: wantsResponse, pendingAnswer: answer)
            guard let delegate = manager.delegate else {
                return manager.respond(to: request, withResult: .requestNotSupported)
            }
            delegate.peripheralManager(manager, didReceiveWrite: [request])
        }
    }
}

extension LocalRequest {
    fileprivate func fail(_ code: CBATTError.Code) { fail(attError: UInt8(clamping: code.rawValue)) }
}
