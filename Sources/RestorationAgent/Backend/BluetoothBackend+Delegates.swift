package import CoreBluetooth

extension BluetoothBackend: CBCentralManagerDelegate {
    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        let own = kept.values.filter { managers[$0.request.adapter] === central }
        guard central.state == .poweredOn else {
            for known in own {
                known.loss = nil
                known.failAll(AgentFailure(CBError(.notConnected)))
            }
            observer?.bluetoothIsGone()
            return areDown(of: central)
        }
        for known in own { connect(known) }
        scan(on: central)
    }

    package func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard let adapter = managers.first(where: { $0.value === central })?.key else { return }
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        observer?.discovered(Set(services.map(\.bluezText)), on: adapter)
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        // Reported again when only the options of the connection have changed.
        guard let known = kept(peripheral.identifier, by: central), !known.isReady, known.servicesToCome == 0 else {
            return
        }
        peripheral.discoverServices(nil)
    }

    package func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        lost(peripheral, by: central, isComing: false)
    }

    package func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: Error?
    ) {
        lost(peripheral, by: central, isComing: isReconnecting)
    }

    private func lost(_ peripheral: CBPeripheral, by manager: CBCentralManager, isComing: Bool) {
        let identifier = peripheral.identifier
        guard let known = kept(identifier, by: manager) else {
            // No program waits for it to come back.
            if isComing { manager.cancelPeripheralConnection(peripheral) }
            return isDown(identifier, of: manager)
        }
        known.failAll(AgentFailure(CBError(.peripheralDisconnected)))
        if isComing { return observer?.disconnected(identifier, isComing: true) ?? () }
        // When bluetoothd ends, its devices are removed first. The connection has not ended then: it will be made
        // again.
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + Self.lossDelay)
        timer.setEventHandler { [weak self, weak known] in
            guard let self, let known, known.loss != nil, kept[identifier] === known else { return }
            known.loss = nil
            kept[identifier] = nil
            known.failAll(AgentFailure(CBError(.peripheralDisconnected)))
            observer?.disconnected(identifier, isComing: false)
            isDown(identifier, of: manager)
        }
        timer.activate()
        known.loss = timer
    }

    /// Seconds until a loss of a link is believed. A bluetoothd that ends takes some tenths of a second from the end of
    /// its links until it says that Bluetooth is off.
    private static let lossDelay = 1.0
}

extension BluetoothBackend: CBPeripheralDelegate {
    package func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let known = kept[peripheral.identifier] else { return }
        let services = peripheral.services ?? []
        known.servicesToCome = services.count
        if services.isEmpty { ready(known) }
        for service in services { peripheral.discoverCharacteristics(nil, for: service) }
    }

    package func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?)
    {
        guard let known = kept[peripheral.identifier], known.servicesToCome > 0 else { return }
        known.servicesToCome -= 1
        if known.servicesToCome == 0 { ready(known) }
    }

    private func ready(_ known: KeptPeripheral) {
        let isNew = !known.isReady
        known.isReady = true
        if isNew { observer?.connected(known.request.peripheral) }
        let wishes = known.waiting
        known.waiting = []
        for wish in wishes { subscribe(wish, known) }
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        guard let known = kept[peripheral.identifier] else { return }
        if let index = known.stopping.firstIndex(where: { $0.0 === characteristic }) {
            let (_, completion) = known.stopping.remove(at: index)
            return completion(error.map { .failure(AgentFailure($0)) } ?? .success(()))
        }
        let wishes = known.starting.filter { $0.0 === characteristic }.map(\.1)
        known.starting.removeAll { $0.0 === characteristic }
        if let error, !(error is CBATTError), wishes.contains(where: \.usesSocket) {
            // Another program has the only socket that bluetoothd gives away: the values come as signals.
            known.useSockets(false, managers[known.request.adapter])
            known.starting += wishes.map { wish in
                var wish = wish
                wish.usesSocket = false
                return (characteristic, wish)
            }
            return peripheral.setNotifyValue(true, for: characteristic)
        }
        for wish in wishes {
            wish.completion(
                error.map { .failure(AgentFailure($0)) } ?? .success(wish.key.moved(to: characteristic)))
        }
    }

    package func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
    ) {
        guard error == nil, let value = characteristic.value else { return }
        observer?.received(value, from: peripheral.identifier, path: CharacteristicKey(characteristic).path)
    }

    package func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard kept[peripheral.identifier] != nil else { return }
        observer?.servicesChanged(
            peripheral.identifier, invalidated: invalidatedServices.map(\.uuid.bluezText),
            paths: invalidatedServices.compactMap { $0.objectPath?.split(separator: "/").last.map(String.init) })
        peripheral.discoverServices(nil)
    }
}
