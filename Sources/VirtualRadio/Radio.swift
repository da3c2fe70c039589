/// Controllers, and the air between them.
///
/// It does nothing by itself: packets of hosts and the time are passed in, packets for hosts come out, and
/// ``nextDeadline`` says when the time matters next. The same calls with the same seed have the same results. It is to
/// be used on one thread.
///
/// ```swift
/// let radio = Radio(seed: 1)
/// let first = radio.add(.v5_3, address: DeviceAddress((0x00, 0xAA, 0x01, 0, 0, 0))) { packet in … }
/// radio.advance(to: now)
/// radio.receive(packet, from: first)
/// ```
public final class Radio {
    let clock: VirtualClock
    let writer = PacketWriter()
    var randomStreams: RandomStreams
    /// By their index. One that was removed leaves its place empty for another.
    private(set) var controllers: [Controller?] = []
    let air: Air
    /// Controllers that scan or want to connect.
    var listeners: [Controller] = []
    private(set) var links: [Link] = []
    private(set) var sniffer: Sniffer?
    private var observer: ((RadioEvent) -> Void)?
    var placeObserver: (() -> Void)?

    /// What phantoms advertise, and the hosts of those that can be connected to.
    var phantoms: [AdvertisingSet] = []
    var phantomHosts: [PhantomHost] = []
    /// Places of phantoms that were removed, for others.
    private var freePlaces: [Int] = []
    /// Places of controllers that were removed. A host that comes back has its place again.
    private var freeHostPlaces: [Int] = []

    var rangeWatch = RangeWatch()
    private lazy var rangeTimer = Timer(clock) { [unowned self] in checkRange() }

    /// - Parameters:
    ///   - seed: the random seed.
    ///   - model: what the air is like.
    public init(seed: UInt64, air model: AirModel = .ideal) {
        clock = VirtualClock()
        randomStreams = RandomStreams(seed: seed)
        air = Air(model, clock: clock)
    }

    deinit {
        // Ends of connections keep their controllers.
        for controller in controllers { controller?.connections = [] }
    }

    /// Adds a controller.
    ///
    /// - Parameters:
    ///   - address: its public address.
    ///   - output: is called with each packet for the host, its type first. It must not call the radio.
    /// - Returns: the index by which the radio knows it: the lowest that is free. What was set for that index, such as
    ///   its position, is kept.
    public func add(
        _ kind: ControllerKind, address: DeviceAddress, output: @escaping (UnsafeRawBufferPointer) -> Void
    ) -> Int {
        addController(kind, address: address, at: takeHostPlace(), output: output).index
    }

    /// Which index the controller that is added next gets.
    public var nextIndex: Int { freeHostPlaces.min() ?? controllers.count }

    private func takeHostPlace() -> Int {
        let index = nextIndex
        freeHostPlaces.removeAll { $0 == index }
        return index
    }

    /// Adds a controller without a host of the radio's owner.
    func addPhantom(address: DeviceAddress, output: @escaping (UnsafeRawBufferPointer) -> Void) -> Controller {
        addController(.v5_3, address: address, at: freePlaces.popLast() ?? controllers.count, output: output)
    }

    private func addController(
        _ kind: ControllerKind, address: DeviceAddress, at index: Int,
        output: @escaping (UnsafeRawBufferPointer) -> Void
    ) -> Controller {
        if index == controllers.count { controllers.append(nil) }
        let controller = Controller(radio: self, index: index, kind: kind, address: address, output: output)
        controllers[index] = controller
        air.place(index)
        return controller
    }

    /// Removes a controller or a phantom, as if it had lost its power.
    public func remove(_ index: Int) {
        guard let controller = controller(index) else { return }
        controller.reset()
        if forgetPhantom(index) {
            freePlaces.append(index)
            air.remove(index)
        } else {
            freeHostPlaces.append(index)
        }
        controllers[index] = nil
    }

    /// Takes a packet from the host of a controller, its type first. What is not a packet has no effect.
    public func receive(_ packet: UnsafeRawBufferPointer, from index: Int) {
        guard let controller = controller(index), packet.count > 1 else { return }
        let content = UnsafeRawBufferPointer(rebasing: packet[1...])
        switch packet[0] {
        case PacketType.command.rawValue: controller.run(command: content)
        case PacketType.data.rawValue: controller.send(data: content)
        default: break  // there is no other that hosts send to an LE controller
        }
    }

    /// The radio's time.
    public var now: Instant { clock.now }

    /// When ``advance(to:)`` has something to do, if ever.
    public var nextDeadline: Instant? { clock.next }

    /// Lets the time pass. Everything happens at its own time, however late the call is.
    public func advance(to time: Instant) {
        clock.advance(to: time)
    }

    /// Calls `action` at a time, during ``advance(to:)``. It may use the radio.
    public func schedule(at time: Instant, _ action: @escaping () -> Void) {
        clock.once(in: time - now, action)
    }

    /// Starts reporting everything that is in the air: the time and a packet as files of the link type 256
    /// (LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR) have it. `output` must not call the radio.
    public func sniff(_ output: @escaping (Instant, [UInt8]) -> Void) {
        sniffer = Sniffer(self, output: output)
        wakePhantoms()
    }

    /// Starts reporting what happens. `output` must not call the radio.
    public func observe(_ output: @escaping (RadioEvent) -> Void) {
        observer = output
    }

    func report(_ event: @autoclosure () -> RadioEvent) {
        observer?(event())
    }

    func add(_ link: Link) {
        links.append(link)
        report(.linkBegan(central: link.central.controller.index, peripheral: link.peripheral.controller.index))
    }

    func remove(_ link: Link) {
        links.removeAll { $0 === link }
        rangeWatch.forget(link)
    }

    func controller(_ index: Int) -> Controller? {
        controllers.indices.contains(index) ? controllers[index] : nil
    }

    /// Something has changed which devices receive each other.
    func airChanged() {
        for link in links { link.checkSilence() }
        checkRange()
    }

    /// Checks periodically which devices are in range, while any of them moves.
    private func checkRange() {
        rangeWatch.check(self)
        placeObserver?()
        guard let end = air.lastArrival else { return rangeTimer.cancel() }
        rangeTimer.set(min(end, now + RangeWatch.interval))
    }
}
