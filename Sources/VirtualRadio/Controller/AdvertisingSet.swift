import CryptographicToolbox

/// Something that a controller advertises. Legacy advertising is a set as well, without a handle.
final class AdvertisingSet {
    /// The properties of advertising events as HCI_LE_Set_Extended_Advertising_Parameters has them. (7.8.53)
    enum Property {
        static let connectable = 1 << 0
        static let scannable = 1 << 1
        static let directed = 1 << 2
        static let highDuty = 1 << 3
        static let legacy = 1 << 4
        static let anonymous = 1 << 5
        static let transmitPower = 1 << 6
    }

    unowned let controller: Controller
    let handle: UInt8?
    /// ADV_IND.
    var properties = Property.legacy | Property.connectable | Property.scannable
    var interval = 0x0800 * Span.slot
    var ownType = OwnAddressType.publicAddress
    var randomAddress: DeviceAddress?
    /// For whom a directed one is, and whose entry of the resolving list gives the resolvable address.
    var target = DeviceAddress(bits: 0, isRandom: false)
    /// Bit 0: scan requests, bit 1: connections only from devices of the accept list.
    var filterPolicy: UInt8 = 0
    var primaryPHY = PHY.le1M
    var secondaryPHY = PHY.le1M
    var identifier: UInt8 = 0
    var notifiesScanRequests = false
    /// Changes are heard soon, and scanners that filter duplicates report them if the packets are extended ones.
    var data: [UInt8] = [] { didSet { dataIdentifier &+= 1 } }
    var scanResponse: [UInt8] = [] { didSet { dataIdentifier &+= 1 } }
    /// What hosts write piece by piece.
    var unfinishedData: [UInt8]?
    var unfinishedScanResponse: [UInt8]?
    private(set) var dataIdentifier: UInt16 = 0

    /// Of one that no host has enabled: when its events are.
    var rhythm: Rhythm?

    private var resolvableAddress: DeviceAddress?
    private var resolvableTarget: DeviceAddress?
    private(set) var isEnabled = false
    private var end: Instant?
    private var maximumEvents = 0
    private(set) var events = 0
    /// Of everything random since it was enabled.
    private var seed: UInt64 = 0
    private lazy var timer = Timer(controller.radio.clock) { [unowned self] in advertise() }

    init(_ controller: Controller, handle: UInt8?) {
        self.controller = controller
        self.handle = handle
    }

    func has(_ property: Int) -> Bool { properties & property != 0 }

    /// The address that it is sent with.
    var address: DeviceAddress { resolvableAddress ?? fixedAddress ?? controller.address }

    private var fixedAddress: DeviceAddress? {
        guard ownType.isRandom else { return controller.address }
        return handle == nil ? controller.randomAddress : randomAddress
    }

    /// Whom a directed one names as its target.
    var sentTarget: DeviceAddress { resolvableTarget ?? target }

    /// Whether the host has set the address that it needs.
    var hasAddress: Bool {
        fixedAddress != nil || ownType.isResolvable && controller.resolvingEntry(target)?.localKey.isZero == false
    }

    /// Resolvable addresses are used for a while. The target has one if its key is known. (Core Specification, Vol 6
    /// Part B, 6.2)
    private func renewAddresses() {
        (resolvableAddress, resolvableTarget) = (nil, nil)
        guard ownType.isResolvable || has(Property.directed), let entry = controller.resolvingEntry(target) else {
            return
        }
        if ownType.isResolvable { resolvableAddress = entry.localAddress(controller) }
        if has(Property.directed) { resolvableTarget = entry.peerAddress(controller) }
    }

    /// Begins to advertise, or begins again with another duration.
    ///
    /// - Parameters:
    ///   - duration: in nanoseconds; 0 is without an end.
    ///   - maximumEvents: 0 is without an end.
    func enable(duration: Int = 0, maximumEvents: Int = 0) {
        end = duration > 0 ? controller.radio.now + duration : nil
        self.maximumEvents = maximumEvents
        events = 0
        seed = controller.radio.randomStreams.begin(.advertising(controller.index, handle: handle))
        guard !isEnabled else { return }
        isEnabled = true
        renewAddresses()
        guard rhythm == nil else { return wake() }
        timer.set(in: firstDelay)
    }

    func disable() {
        isEnabled = false
        timer.cancel()
    }

    /// In ideal air somebody who begins to listen hears it soon.
    func hasten() {
        guard isEnabled, rhythm == nil else { return }
        let delay = firstDelay
        guard controller.radio.now + delay < timer.time else { return }
        timer.set(in: delay)
    }

    /// When something that is new is heard first. In ideal air it is soon, but not at once: Linux drops reports that
    /// arrive before it has taken note that the scan has begun.
    private var firstDelay: Int {
        let delay = controller.radio.air.model == .ideal ? 20 * Span.millisecond : 0
        var random = randomSource(.pause)
        return min(interval, delay + random.below(10 * Span.millisecond))
    }

    /// What is random about an event.
    enum Question: UInt64 {
        /// How long it is until the next one.
        case pause
        /// Who hears it.
        case reception
        /// What becomes of a scan request and its response.
        case scan
    }

    /// The random source for the current event.
    ///
    /// - Parameter listener: the index of the controller that it is about.
    func randomSource(_ question: Question, of listener: Int = 0) -> RandomSource {
        // What has a rhythm is not counted while nobody listens.
        let event = rhythm == nil ? events : controller.radio.now
        let moment = RandomStreams.mix(seed, UInt64(truncatingIfNeeded: event))
        return RandomSource(seed: RandomStreams.mix(moment &+ question.rawValue, UInt64(truncatingIfNeeded: listener)))
    }

    /// Somebody begins to listen: what has a rhythm of its own goes on in it.
    func wake() {
        guard let rhythm, isEnabled, controller.radio.isHeard, !timer.isSet else { return }
        timer.set(rhythm.next(after: controller.radio.now))
    }

    private func advertise() {
        let radio = controller.radio
        if rhythm != nil {
            if radio.isHeard { radio.air(self) }
            // While nobody listens it costs nothing.
            return wake()
        }
        if let end, radio.now >= end { return controller.advertisingEnded(self, .advertisingTimeout) }
        events += 1
        renewAddresses()
        radio.air(self)
        guard isEnabled else { return }  // a device has connected
        if maximumEvents > 0, events >= maximumEvents { return controller.advertisingEnded(self, .limitReached) }
        // advDelay. Directed advertising of high duty has none, and at most 3.75 ms between events.
        var random = randomSource(.pause)
        let pause = has(Property.highDuty) ? 0 : random.below(10 * Span.millisecond)
        timer.set(in: interval + pause)
    }
}
