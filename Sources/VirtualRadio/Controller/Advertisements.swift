/// Advertisements in the air: which devices receive them, and what follows.
extension Radio {
    /// Somebody has begun to listen. In ideal air everything is heard soon.
    func hastenAdvertisers() {
        guard air.model == .ideal else { return }
        for case let controller? in controllers {
            for set in controller.advertisingSets { set.hasten() }
        }
    }

    /// Notes which devices listen.
    func listenersChanged() {
        listeners = controllers.compactMap { controller in
            guard let controller, controller.scanner != nil || controller.initiator != nil else { return nil }
            return controller
        }
        wakePhantoms()
    }

    /// Whether it matters what phantoms send.
    var isHeard: Bool { !listeners.isEmpty || sniffer != nil }

    /// Sends an advertisement.
    func air(_ set: AdvertisingSet) {
        let sender = set.controller
        let isLegacy = set.has(AdvertisingSet.Property.legacy)
        let phy: UInt8 = 1 << (set.primaryPHY.rawValue - 1)
        sniffer?.hear(set)
        // The advertiser's address is a part of the payload.
        let payload = 6 + set.data.count
        for listener in listeners where listener !== sender {
            guard set.isEnabled else { return }  // another has connected
            let scanner = listener.scanner.flatMap { scanner in
                (scanner.isExtended || isLegacy) && scanner.phys & phy != 0 && isOpen(scanner.plan) ? scanner : nil
            }
            let request = listener.wants(set).flatMap { request in
                request.initiator.phys & phy != 0 && isOpen(request.initiator.plan) ? request : nil
            }
            guard scanner != nil || request != nil else { continue }
            var random = set.randomSource(.reception, of: listener.index)
            guard
                let strength = air.receive(
                    sender.index, listener.index, set.primaryPHY, .advertising, payload: payload, &random)
            else { continue }
            scanner?.hear(set, strength: strength)
            if let request { listener.connect(request) }
        }
    }

    private func isOpen(_ plan: ListeningPlan) -> Bool {
        air.model == .ideal || plan.isOpen(now)
    }

    /// A scanner asks an advertiser for more. Returns the strength of the response, or `nil` if there is none.
    func exchangeScan(from scanner: Controller, _ address: DeviceAddress, with set: AdvertisingSet) -> Int8? {
        let advertiser = set.controller
        sniffer?.hearScan(from: address, set)
        guard let asker = advertiser.resolve(address),
            set.filterPolicy & 1 == 0 || advertiser.acceptList.contains(asker.identity)
        else { return nil }
        var random = set.randomSource(.scan, of: scanner.index)
        guard air.receive(scanner.index, advertiser.index, .le1M, .scan, payload: 12, &random) != nil else {
            return nil
        }
        sniffer?.hearScanResponse(set)
        if set.notifiesScanRequests, let handle = set.handle, let event = advertiser.begin(.scanRequestReceived) {
            event.add(handle)
            event.addTyped(asker)
            advertiser.send(event)
        }
        let length = 6 + set.scanResponse.count
        return air.receive(advertiser.index, scanner.index, set.primaryPHY, .scan, payload: length, &random)
    }
}
