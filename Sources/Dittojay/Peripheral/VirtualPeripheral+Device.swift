import BlueZ
import CoreBluetooth

/// A peripheral that proxies a device.
extension VirtualPeripheral {
    /// Looks for the device, with a controller that is not the peripheral's own.
    func find(_ device: ProxiedDevice) {
        let (peripheral, central) = (options.adapter, device.options.adapter)
        Task { [session, queue] in
            do {
                let adapters = try await ProxyAdapters(peripheral: peripheral, central: central, session: session)
                queue.async { [self] in
                    guard life == .running else { return }
                    adapter = adapters.peripheral
                    device.open(on: adapters.central, clock: clock, session: session)
                }
            } catch {
                let error = error as? DittojayError ?? .bluetoothUnavailable("cannot use Bluetooth: \(error)")
                queue.async { [self] in if life == .running { end(error) } }
            }
        }
    }

    func handle(_ event: ProxiedDevice.Event) {
        guard life == .running, let device else { return }
        switch event {
        case .opened(var offer, let losses):
            do throws(DittojayError) {
                try adopt(&offer, of: device)
            } catch {
                return fail(error)
            }
            report(.deviceConnected, device)
            for loss in losses { events.report(failure: "not published: \(loss)") }
            run(on: adapter?.address)
        case .returned:
            report(.deviceConnected, device)
            resume(device)
        case .lost:
            report(.deviceDisconnected, device)
            publication.hold()
            endingLinks += 1
            links.end { [self] _ in
                endingLinks -= 1
                if life == .running { resume(device) }
            }
        case .changed(let removed, let added):
            publication.replace(removed.compactMap { services.service(named: $0) }, by: added)
        case .value(let path, let value): requests.notified(value, by: path)
        case .failed(let error): fail(error)
        }
    }

    /// Goes on when the device is back and the links of the centrals that have lost it have ended: those get nothing of
    /// the new link.
    private func resume(_ device: ProxiedDevice) {
        guard device.isConnected, endingLinks == 0 else { return }
        // bluetoothd keeps the subscriptions of centrals that are paired.
        for characteristic in services.characteristics where !characteristic.subscribers.isEmpty {
            device.setNotifying(true, of: characteristic.path) { _ in }
        }
        publication.release()
    }

    private func report(_ kind: PeripheralEvent.Kind, _ device: ProxiedDevice) {
        events.report(kind) { event in
            event.device = device.address
            event.message = "\"\(device.name ?? "")\" on \(device.adapter?.name ?? "")"
        }
    }

    /// Starts offering what the device offers.
    private func adopt(_ offer: inout PeripheralProfile, of device: ProxiedDevice) throws(DittojayError) {
        services.add(offer.services)
        for replacement in device.options.replacements {
            if let problem = commands.replace(replacement) { throw .wrongUsage(problem) }
        }
        offer.scenario = try device.options.scenario(offer)
        profile = offer
        localName = options.localName ?? offer.localName
        publication.adopt(offer, localName: localName)
    }
}
