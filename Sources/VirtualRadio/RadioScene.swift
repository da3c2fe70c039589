/// Where everybody is, and what lies between them.
extension Radio {
    /// What the air is like. It cannot change while there are connections.
    public var airModel: AirModel { air.model }

    /// Changes the air, unless there are connections.
    ///
    /// - Returns: whether the air is like that now.
    public func setAirModel(_ model: AirModel) -> Bool {
        guard model == air.model || links.isEmpty else { return false }
        air.model = model
        return true
    }

    /// Restarts all random streams.
    public func reseed(_ seed: UInt64) {
        randomStreams = RandomStreams(seed: seed)
        for case let controller? in controllers { controller.beginChance() }
    }

    /// Removes phantoms, walls and jammers, and everybody is where they began. The air's model stays.
    public func clearScene() {
        for set in phantoms { remove(set.controller.index) }
        for host in phantomHosts { remove(host.index) }
        air.clear()
        airChanged()
    }

    /// Moves a controller or a phantom. They begin in a row, a metre from each other.
    ///
    /// - Parameter span: how long it is on the way, in nanoseconds, at the same speed all the time.
    public func move(_ index: Int, to position: Position, over span: Int = 0) {
        guard controller(index) != nil else { return }
        air.move(index, to: position, over: span)
        airChanged()
    }

    /// Where a controller or a phantom is at this time.
    public func position(of index: Int) -> Position? {
        controller(index) == nil ? nil : air.position(index)
    }

    /// Where a controller or a phantom is going, and how long it is on the way yet, in nanoseconds; `nil` if it rests.
    public func destination(of index: Int) -> (position: Position, left: Int)? {
        controller(index) == nil ? nil : air.destination(index)
    }

    /// Sets what weakens everything that a controller or a phantom sends and receives, such as a body, in dB.
    public func setAttenuation(_ index: Int, _ loss: Double) {
        guard controller(index) != nil else { return }
        air.setAttenuation(index, loss)
        airChanged()
    }

    public func attenuation(of index: Int) -> Double { air.attenuation(index) }

    /// How signals become weaker with the distance.
    public var pathLoss: PathLoss {
        get { air.loss }
        set {
            air.loss = newValue
            airChanged()
        }
    }

    public var walls: [Wall] {
        get { air.walls }
        set {
            air.walls = newValue
            airChanged()
        }
    }

    /// Adds a jammer, or changes or removes the one of that name.
    public func setJammer(_ name: String, _ jammer: Jammer?) {
        air.setJammer(name, jammer)
    }

    /// The jammer of that name.
    public func jammer(_ name: String) -> Jammer? { air.jammer(name) }

    /// The names of the jammers, sorted.
    public var jammers: [String] { air.jammerNames }

    /// Sets with which strength two controllers hear each other, in dBm. `nil`: as their distance has it.
    public func setSignal(_ first: Int, _ second: Int, _ strength: Int?) {
        air.setSignal(first, second, strength)
        airChanged()
    }

    /// Sets which part of what two controllers send to each other gets lost, from 0 to 1, beside what is too weak. Only
    /// real air loses packets of connections.
    public func setLoss(_ first: Int, _ second: Int, _ part: Double) {
        air.setLoss(first, second, part)
    }

    /// Sets whether nothing passes between two controllers. A connection lasts for its supervision timeout then.
    public func setBlocked(_ first: Int, _ second: Int, _ isBlocked: Bool) {
        air.setBlocked(first, second, isBlocked)
        airChanged()
    }

    /// The strength with which two hear each other on average, in dBm.
    public func strength(_ first: Int, _ second: Int) -> Double { air.mean(first, second) }
}

/// What controllers do at this time.
extension Radio {
    /// The indexes of all controllers and phantoms.
    public var indexes: [Int] { controllers.indices.filter { controllers[$0] != nil } }

    /// The public address of a controller, or the address of a phantom.
    public func address(of index: Int) -> DeviceAddress? { controller(index)?.address }

    /// The controller or phantom that has an address or advertises with it.
    public func index(of address: DeviceAddress) -> Int? {
        for case let controller? in controllers {
            if controller.isOwn(address) { return controller.index }
            if controller.advertisingSets.contains(where: { $0.isEnabled && $0.address == address }) {
                return controller.index
            }
        }
        return nil
    }

    public func isAdvertising(_ index: Int) -> Bool {
        controller(index)?.advertisingSets.contains { $0.isEnabled } ?? false
    }

    /// The addresses that a controller advertises with now: resolvable private ones change from time to time.
    public func advertisedAddresses(of index: Int) -> [DeviceAddress] {
        controller(index)?.advertisingSets.filter { $0.isEnabled && !$0.has(AdvertisingSet.Property.anonymous) }
            .map(\.address) ?? []
    }

    public func isScanning(_ index: Int) -> Bool { controller(index)?.scanner != nil }

    /// The connections, each with the indexes of its central and its peripheral.
    public var connections: [(central: Int, peripheral: Int)] {
        links.map { ($0.central.controller.index, $0.peripheral.controller.index) }
    }
}
