import PlainText

/// Makes a plan of what happened on the links to a device.
struct ReplayPlanMaker {
    private(set) var links: [ReplayPlan.Link] = []
    private let device: ObservedDevice
    private let sessions: [Session]
    private let roles: [UInt16: ReplayedAttribute.Role]
    private let answers: WriteAnswers
    private let variation: ObservedVariation

    // MARK: What is left out

    private var hiddenServices: Set<String> = []
    private var hiddenCount = 0
    private var unnamedHandles: Set<UInt16> = []
    private var unnamedCount = 0
    private var configurationCount = 0
    private var truncatedCount = 0
    private var earlyCount = 0
    private var firstPairing: Int?
    private var mtus: (central: Int, peripheral: Int?)?

    init(
        _ device: ObservedDevice,
        _ isOwnService: (_ uuid: String, _ characteristics: [String], _ identity: [UInt8]?) -> Bool
    ) {
        self.device = device
        sessions = DeviceImport.sessions(of: device)
        var builder = TableBuilder(device.table, AttributeUse.all(sessions))
        let table = builder.build()
        let roles = ReplayedAttribute.roles(
            table, values: device.table.values.mapValues(\.bytes), isOwnService: isOwnService)
        let isValue = { (handle: UInt16) in
            if case .value = roles[handle] { true } else { false }
        }
        let measurements = Set(table.services.flatMap(ControlPoints.measurements))
        answers = WriteAnswers(sessions, independent: measurements, isValue: isValue) { handle in
            if case .configuration = roles[handle] { true } else { false }
        }
        variation = ObservedVariation(sessions, answers, isValue: isValue)
        self.roles = roles
    }

    mutating func make() {
        for session in sessions { add(session) }
    }

    // MARK: Links

    /// What is known of a link while its events are read.
    private struct State {
        var link: ReplayPlan.Link
        /// When the last event was over.
        var last: Int64
        var mtu = ReplayPlanMaker.minimumMTU
        var subscribed: Set<ReplayedAttribute> = []
        /// To what an earlier link has subscribed.
        var inherited: Set<ReplayedAttribute> = []
        /// When the link began, in microseconds.
        let begin: Int64

        func pause(before time: Int64) -> Double { max(0, Double(time - last) / 1_000_000) }
    }

    private static let minimumMTU = 23
    /// How long a central may take to subscribe to what is sent from a link's beginning, in microseconds.
    private static let timeToSubscribe = 3_000_000

    private mutating func add(_ session: Session) {
        guard let first = session.events.first else { return }
        var state = State(link: .init(packet: first.mark.number), last: first.mark.time, begin: first.mark.time)
        for event in session.events {
            switch event.kind {
            case .connected: break
            case .encrypted: firstPairing = firstPairing ?? event.mark.number
            case .disconnected(let reason):
                state.link.pauseBeforeEnd = state.pause(before: event.mark.time)
                if session.ending(reason) == .device { state.link.endOfDevice = event.mark.number }
                state.last = event.mark.time
            case .mtu(let central, let peripheral):
                mtus = mtus ?? (central, peripheral)
                if let peripheral { state.mtu = max(Self.minimumMTU, min(central, peripheral)) }
            case .read(let handle, let outcome): read(handle, outcome, event, &state)
            case .write(let handle, let value, let hasResponse, let outcome):
                write(handle, value, hasResponse, outcome, event, &state)
            case .truncatedWrite: truncatedCount += 1
            case .value(let handle, let value, _): sent(handle, value, event, &state)
            case .truncatedValue(let handle): sent(handle, nil, event, &state)
            }
        }
        if let end = session.events.last?.mark.time, end > state.last {
            state.link.pauseBeforeEnd = state.pause(before: end)
        }
        if !state.link.steps.isEmpty { links.append(state.link) }
    }

    /// Nil for what cannot be asked for again.
    private mutating func role(_ handle: UInt16) -> ReplayedAttribute.Role? {
        switch roles[handle] {
        case .hidden(let service):
            hiddenServices.insert(service)
            hiddenCount += 1
            return nil
        case nil:
            unnamedHandles.insert(handle)
            unnamedCount += 1
            return nil
        case let role?: return role
        }
    }

    private mutating func read(
        _ handle: UInt16, _ outcome: SessionEvent.Outcome, _ event: SessionEvent, _ state: inout State
    ) {
        guard let role = role(handle), !needsPairing(outcome, event) else { return }
        switch role {
        case .value(let attribute), .descriptor(let attribute):
            var value: CapturedValue?
            if case .success(let bytes) = outcome {
                // A part of this length may have a next one.
                let isBeginning = !bytes.isEmpty && bytes.count % (state.mtu - 1) == 0
                value = CapturedValue(bytes, variation.handles[handle], isBeginning: isBeginning)
            }
            add(.read, attribute, outcome, value, event, &state)
        case .configuration, .hidden: configurationCount += 1
        }
    }

    private mutating func write(
        _ handle: UInt16, _ value: [UInt8], _ hasResponse: Bool, _ outcome: SessionEvent.Outcome,
        _ event: SessionEvent, _ state: inout State
    ) {
        guard let role = role(handle), !needsPairing(outcome, event) else { return }
        switch role {
        case .value(let attribute), .descriptor(let attribute):
            add(.write(value, hasResponse: hasResponse), attribute, outcome, nil, event, &state)
        case .configuration(let attribute):
            guard let isSubscription = value.subscription else { return configurationCount += 1 }
            add(isSubscription ? .subscribe : .unsubscribe, attribute, outcome, nil, event, &state)
            if isSubscription { state.subscribed.insert(attribute) }
        case .hidden: break
        }
    }

    /// Whether bluetoothd would not refuse the request, but pair.
    private mutating func needsPairing(_ outcome: SessionEvent.Outcome, _ event: SessionEvent) -> Bool {
        guard case .error(let code) = outcome, CharacteristicImport.securityErrors.contains(code) else { return false }
        firstPairing = firstPairing ?? event.mark.number
        return true
    }

    private func add(
        _ request: ReplayPlan.Request, _ attribute: ReplayedAttribute, _ outcome: SessionEvent.Outcome,
        _ value: CapturedValue?, _ event: SessionEvent, _ state: inout State
    ) {
        let end = (event.answerMark ?? event.mark).time
        state.link.steps.append(
            .init(
                request: request, attribute: attribute, outcome: outcome, value: value, packet: event.mark.number,
                // What was before the first one was discovery.
                pause: state.link.steps.isEmpty ? 0 : state.pause(before: event.mark.time),
                isIrregular: variation.irregularWrites.contains(event.mark.number), time: end))
        state.last = end
    }

    // MARK: What the device sends

    private mutating func sent(
        _ handle: UInt16, _ bytes: [UInt8]?, _ event: SessionEvent, _ state: inout State
    ) {
        guard case .value(let attribute)? = role(handle) else { return }
        if state.subscribed.insert(attribute).inserted {
            // A bonded device sends it because of the link before.
            state.inherited.insert(attribute)
            state.link.steps.insert(
                .init(
                    request: .subscribe, attribute: attribute, outcome: .success([]), value: nil,
                    packet: event.mark.number, pause: 0, isIrregular: false, time: state.last), at: 0)
        }
        let isAnswer = answers.answering.contains(handle)
        let varies = isAnswer ? variation.answers[event.mark.number] : variation.handles[handle]
        // bluetoothd hands a value to the programs that have subscribed when it comes, and to no later one.
        let isEarly =
            !isAnswer && state.inherited.contains(attribute)
            && event.mark.time - state.begin < Self.timeToSubscribe
        if isEarly { earlyCount += 1 }
        let index = state.link.steps.count - 1
        state.link.steps[index].sent.append(
            .init(
                attribute: attribute, value: bytes.map { CapturedValue($0, varies) }, packet: event.mark.number,
                isAnswer: isAnswer, isEarly: isEarly))
        let duration = Double(event.mark.time - state.link.steps[index].time) / 1_000_000
        state.link.steps[index].limit = max(state.link.steps[index].limit, 2 * duration)
        state.last = max(state.last, event.mark.time)
    }

    // MARK: What is left out

    /// What cannot be done again, in sentences.
    var omitted: [ObservedDevice.Remark] {
        var remarks: [ObservedDevice.Remark] = []
        func omit(_ text: String, _ packet: Int? = nil) { remarks.append(.init(text: text, packet: packet)) }
        if hiddenCount > 0 {
            omit(
                "\(counted(hiddenCount, "event")) of the services \(hiddenServices.sorted().joined(separator: ", ")), which "
                    + "bluetoothd keeps to itself")
        }
        if unnamedCount > 0 {
            let handles = unnamedHandles.sorted().prefix(8).map { HandleText.text($0) }.joined(separator: ", ")
            omit(
                "\(counted(unnamedCount, "event")) of attributes of which the capture has only handles (\(handles)): the "
                    + "central knew them from before")
        }
        if let firstPairing {
            omit(
                "pairing: bluetoothd pairs without a passkey when the device asks for it; for a passkey run "
                    + "\"bluejay pair\" first", firstPairing)
        }
        if let mtus {
            let other = mtus.peripheral.map(String.init) ?? "none"
            omit("the MTU, \(mtus.central) of the central and \(other) of the device: bluetoothd negotiates its own")
        }
        if configurationCount > 0 {
            omit(
                "\(counted(configurationCount, "event")) of client characteristic configurations, which are bluetoothd's"
            )
        }
        if truncatedCount > 0 {
            omit("\(counted(truncatedCount, "write")) of which the capture has only the beginning")
        }
        if earlyCount > 0 {
            omit(
                "\(counted(earlyCount, "value")) at the beginning of a link, sent because of a subscription on an "
                    + "earlier one: bluetoothd may hand it to no program")
        }
        let channels = device.links.flatMap(\.channelBytes.keys)
        if !channels.isEmpty {
            omit("L2CAP channels with PSM \(Set(channels).sorted().map(String.init).joined(separator: ", "))")
        }
        let lost = sessions.reduce(0) { $0 + $1.omittedCount }
        if lost > 0 { omit("\(counted(lost, "event")) beyond what is kept of a capture") }
        return remarks
    }
}
