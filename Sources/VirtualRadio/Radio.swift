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
    let clock = AlarmClock()
    let writer = PacketWriter()
    var random: RandomSource
    /// By their index. One that was removed leaves its place empty for another.
    private(set) var controllers: [Controller?] = []
    let air: Air
    /// Controllers that scan or want to connect.
    var listeners: [Controller] = []
    private var links: [Link] = []
    private(set) var sniffer: Sniffer?

    /// - Parameters:
    ///   - seed: from which all that is left to chance follows.
    ///   - model: what the air is like.
    public init(seed: UInt64, air model: AirModel = .ideal) {
        random = RandomSource(seed: seed)
        air = Air(model)
    }

    deinit {
        // Ends of connections keep their controllers.
        for controller in controllers { controller?.ends = [] }
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
        let index = nextIndex
        air.place(index)
        if index == controllers.count { controllers.append(nil) }
        controllers[index] = Controller(radio: self, index: index, kind: kind, address: address, output: output)
        return index
    }

    /// Which index the controller that is added next gets.
    public var nextIndex: Int { controllers.firstIndex { $0 == nil } ?? controllers.count }

    /// Removes a controller, as if it had lost its power.
    public func remove(_ index: Int) {
        guard let controller = controller(index) else { return }
        controller.reset()
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

    /// Moves a controller. They begin in a row, a metre from each other.
    public func move(_ index: Int, to position: Position) {
        guard controller(index) != nil else { return }
        air.move(index, to: position)
    }

    /// Sets with which strength two controllers hear each other, in dBm. `nil`: as their distance has it.
    public func setSignal(_ first: Int, _ second: Int, _ strength: Int?) {
        air.setSignal(first, second, strength)
    }

    /// Sets which part of what two controllers send to each other gets lost, from 0 to 1, beside what is too weak. Only
    /// real air loses packets of connections.
    public func setLoss(_ first: Int, _ second: Int, _ part: Double) {
        air.setLoss(first, second, part)
    }

    /// Sets whether nothing passes between two controllers. A connection lasts for its supervision timeout then.
    public func setBlocked(_ first: Int, _ second: Int, _ isBlocked: Bool) {
        air.setBlocked(first, second, isBlocked)
        for link in links { link.checkSilence() }
    }

    /// Reports everything that is in the air from now on: the time and a packet as files of the link type 256
    /// (LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR) have it. `output` must not call the radio.
    public func sniff(_ output: @escaping (Instant, [UInt8]) -> Void) {
        sniffer = Sniffer(self, output: output)
    }

    func add(_ link: Link) {
        links.append(link)
    }

    func remove(_ link: Link) {
        links.removeAll { $0 === link }
    }

    private func controller(_ index: Int) -> Controller? {
        controllers.indices.contains(index) ? controllers[index] : nil
    }
}
