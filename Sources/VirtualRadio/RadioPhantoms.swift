/// Devices without a host.
extension Radio {
    /// Adds a device that advertises and does nothing else.
    ///
    /// - Returns: the index by which the radio knows it.
    public func add(_ phantom: Phantom) -> Int {
        let controller = addPhantom(address: phantom.address) { _ in }
        place(phantom, controller.index)
        let set = AdvertisingSet(controller, handle: nil)
        set.properties = AdvertisingSet.Property.legacy
        if !phantom.scanResponse.isEmpty { set.properties |= AdvertisingSet.Property.scannable }
        set.interval = phantom.interval
        set.data = phantom.data
        set.scanResponse = phantom.scanResponse
        // The same whenever it is added, and another for each.
        set.rhythm = Rhythm(seed: phantom.address.bits &* 0x9E37_79B9_7F4A_7C15, interval: phantom.interval)
        controller.advertisingSets = [set]
        phantoms.append(set)
        set.enable()
        return controller.index
    }

    /// Adds a device that can be connected to.
    ///
    /// - Returns: the index by which the radio knows it.
    public func add(_ phantom: Phantom, with peripheral: PhantomPeripheral) -> Int {
        let host = PhantomHost(self, phantom, peripheral)
        let index = addPhantom(address: phantom.address) { [weak host] in host?.take($0) }.index
        place(phantom, index)
        phantomHosts.append(host)
        host.begin(index)
        return index
    }

    private func place(_ phantom: Phantom, _ index: Int) {
        air.move(index, to: phantom.position)
        air.setAttenuation(index, phantom.attenuation)
    }

    /// Somebody begins to listen.
    func wakePhantoms() {
        for set in phantoms { set.wake() }
    }

    /// - Returns: whether it was a phantom.
    func forgetPhantom(_ index: Int) -> Bool {
        if let place = phantoms.firstIndex(where: { $0.controller.index == index }) {
            phantoms.remove(at: place)
            return true
        }
        guard let place = phantomHosts.firstIndex(where: { $0.index == index }) else { return false }
        phantomHosts.remove(at: place).end()
        return true
    }

    /// Whether nothing but the radio is behind a device.
    public func isPhantom(_ index: Int) -> Bool {
        phantoms.contains { $0.controller.index == index } || phantomHosts.contains { $0.index == index }
    }
}
