import BlueZ
import Logging
import MainLoop

/// Advertising.
extension PeripheralCore {
    func startAdvertising(_ plan: AdvertisementPlan, in call: CallEpochs.Call) {
        guard isCurrent(call), let adapter else { return refuseAdvertising(CBError(.operationCancelled)) }
        guard advertisement == nil || advertisingPause != nil else {
            return refuseAdvertising(CBError(.alreadyAdvertising))
        }
        advertisingPause = nil
        let advertisement = Advertisement(plan.bluezData)
        self.advertisement = advertisement
        enqueue { [self] in
            do {
                // As for a link that this program makes (PeripheralLink).
                await session.sharedAgent.waitUntilRegistered()
                guard self.advertisement === advertisement else { throw CBError(.operationCancelled) }
                try await advertisement.register(with: adapter)
                guard self.advertisement === advertisement else {
                    await advertisement.unregister()
                    throw CBError(.operationCancelled)
                }
                advertisement.onRelease = { [weak self, weak advertisement] in self?.advertisementEnded(advertisement) }
                deliver { [epochs] manager in
                    // A stop that the app has called meanwhile has the last word.
                    manager.advertisingStarted { epochs.current.stops != call.stops }
                    manager.delegate?.peripheralManagerDidStartAdvertising(manager, error: nil)
                }
            } catch {
                if self.advertisement === advertisement { self.advertisement = nil }
                answerAdvertising(CBError(peripheralRole: error))
            }
        }
    }

    /// In its turn: the calls before may still wait for bluetoothd, and answers come in the order of the calls.
    private func refuseAdvertising(_ error: CBError) {
        enqueue { [self] in answerAdvertising(error) }
    }

    private func answerAdvertising(_ error: CBError) {
        deliver { $0.delegate?.peripheralManagerDidStartAdvertising($0, error: error) }
    }

    func stopAdvertising() {
        guard let advertisement else { return }
        self.advertisement = nil
        advertisingPause = nil
        advertisement.giveUp()
        enqueue { await advertisement.unregister() }
    }

    /// bluetoothd has taken the advertisement down by itself.
    private func advertisementEnded(_ ended: Advertisement?) {
        guard let ended, ended === advertisement else { return }
        advertisement = nil
        advertisingPause = nil
        deliver { $0.isAdvertising = false }
    }

    // MARK: Links

    /// This or another program has begun to advertise with the controller, or has ceased to.
    func advertisingChanged() {
        lastAdvertisingChange = .now
        if adapter?.hasLinks == true { advertisingChangedUnderLink = true }
    }

    func linkBegan() {
        // A central that connects shows that others can, too.
        renewal = nil
        // The link may have been up before bluetoothd knew of it.
        if let last = lastAdvertisingChange, .now - last < session.timing.linkReport {
            advertisingChangedUnderLink = true
        }
        goOnUnderLink()
    }

    /// Registers the advertisement again if a controller with extended advertising has it.
    ///
    /// Such a controller ceases to send an advertisement when a central connects by it. The kernel (6.12) has it go on
    /// when that link has ended (`hci_disconn_complete_evt`), and beside the link only with one that is registered
    /// under it. Without extended advertising it goes on within two seconds.
    private func goOnUnderLink() {
        // In its turn: it may be on its way to bluetoothd.
        guard advertisement != nil, advertisingPause == nil, !isRenewedUnderLink else { return }
        isRenewedUnderLink = true
        enqueue { [self] in
            isRenewedUnderLink = false
            guard let advertisement, advertisement.isRegistered, let adapter, adapter.hasLinks,
                await adapter.hasExtendedAdvertising()
            else { return }
            await registerAnew(advertisement, on: adapter)
        }
    }

    /// Registers the advertisement again, in a while, if advertisements have changed under the link; at once if it was
    /// refused beside the link.
    ///
    /// A controller without extended advertising sends one advertisement at a time. When a link ends, the kernel (6.12,
    /// `hci_disconn_complete_evt`) goes back to the one that the link was made by. If that one was removed, it
    /// advertises something that nobody can connect to, and it sends another one only if that is registered after the
    /// turn of the last one (`add_ext_adv_data`).
    func linkEnded() {
        if advertisingPause != nil {
            enqueue { [self] in
                guard advertisingPause != nil, let advertisement, let adapter else { return }
                await registerAnew(advertisement, on: adapter)
            }
        }
        guard advertisingChangedUnderLink else { return }
        renewal = .timer(after: session.timing.advertisingTurn) { [weak self] in
            self?.renewal = nil
            self?.renewAdvertising()
        }
    }

    private func renewAdvertising() {
        advertisingChangedUnderLink = false
        enqueue { [self] in
            guard let advertisement, advertisement.isRegistered, let adapter else { return }
            guard await !adapter.hasExtendedAdvertising() else { return }
            await registerAnew(advertisement, on: adapter)
        }
    }

    /// Does nothing with one that the app has stopped meanwhile: if there is another one by then, that is registered in
    /// its turn.
    private func registerAnew(_ advertisement: Advertisement, on adapter: Adapter) async {
        guard self.advertisement === advertisement else { return }
        await advertisement.unregister()
        guard self.advertisement === advertisement else { return }
        let isBesideLink = adapter.hasLinks
        do {
            try await advertisement.register(with: adapter)
            guard self.advertisement === advertisement else { return await advertisement.unregister() }
            advertisingResumed()
        } catch {
            guard self.advertisement === advertisement else { return }
            guard isBesideLink else {
                logger.error("cannot advertise again after a link", metadata: ["error": "\(error)"])
                return advertisementEnded(advertisement)
            }
            advertisingPaused(error)
            if !adapter.hasLinks { await registerAnew(advertisement, on: adapter) }
        }
    }

    /// The controller sends nothing beside its links that a central could connect by.
    private func advertisingPaused(_ error: any Error) {
        guard advertisingPause == nil else { return }
        logger.warning("cannot advertise until a link ends", metadata: ["error": "\(error)"])
        advertisingPause = epochs.current
        deliver { $0.isAdvertising = false }
    }

    private func advertisingResumed() {
        guard let pause = advertisingPause else { return }
        advertisingPause = nil
        deliver { [epochs] manager in manager.advertisingStarted { epochs.current.stops != pause.stops } }
    }
}
