import CoreBluetooth
import DequeModule
import GATTProfiles
import MainLoop
import PlainText

/// A characteristic of a ``SimulatedService``: its value, what reads and writes do, and what it sends. Used on the
/// peripheral's queue only.
final class SimulatedCharacteristic {
    let profile: CharacteristicProfile
    /// Kept for as long as something is under way for the characteristic: until then a forgotten service is not gone.
    let service: SimulatedService
    /// What reads give, unless the profile has another source.
    private(set) var value: Data
    /// What was written, if the profile says that it is counted.
    private(set) var writeCount = LabService.SinkCount()
    private var injector: FaultInjector
    /// What centrals and the device that answers get in place of what the other side has sent.
    var replacements = Replacements()

    /// Sends values by itself; nil if the profile knows none.
    let notifier: Notifier?
    private var splitter: MessageSplitter?

    /// How many notifications and indications were handed over for sending.
    private(set) var notificationCount: UInt64 = 0
    /// What was handed over last.
    private(set) var lastSent: Data?
    private(set) var registration: CBMutableCharacteristic?
    private weak var server: (any GATTServer)?
    private var waiting: Deque<Data> = []
    /// The second one of a value that is sent twice on purpose, while there is no room for it.
    private var duplicate: Data?
    /// How many values are late on purpose.
    private var lateCount = 0
    private var isSubscribed = false
    /// Whether a fault is ending the link; false again once there is no subscriber.
    private var isLeaving = false

    /// How many values may wait for room. Beyond it a command or a write is refused.
    private static let waitingLimit = 64
    /// The same for the values of a device, which sends them whether there is room or not. Beyond it they are lost.
    static let deviceWaitingLimit = 4096
    /// How many values may be late at a time. A further one is lost.
    static let lateLimit = 1000

    init(_ profile: CharacteristicProfile, of service: SimulatedService) {
        self.profile = profile
        self.service = service
        value = Data(profile.initialValue)
        let services = service.services
        let seed = services.seed(for: CharacteristicPath(service.profile.name, profile.name))
        injector = FaultInjector(profile.faults, seed: seed)
        splitter = profile.pieceSizes.map { MessageSplitter($0, seed: seed) }
        notifier = profile.notifications.map { plan in
            // A heart uses the run's own seed, so that it is the same in every profile.
            var isHeart = false
            if case .heartRate = plan.source { isHeart = true }
            return Notifier(
                plan, seed: isHeart ? services.seed : seed,
                simulated: service.model.map { ModelGenerator($0, profile.uuid) }, clock: services.clock)
        }
        notifier?.maximumLength = { [weak self] in self?.maximumNotificationLength ?? 20 }
        notifier?.send = { [weak self] value in
            guard let self else { return true }
            return notifier?.generator.isReadBack == true ? sendGenerated(value) : sendNow(value)
        }
    }

    var path: CharacteristicPath { CharacteristicPath(service.profile.name, profile.name) }

    /// The heart that it measures, if it does.
    var heart: SimulatedHeart? { notifier?.generator as? SimulatedHeart }

    // MARK: Registration

    func makeRegistration(server: any GATTServer) -> CBMutableCharacteristic {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: profile.uuid), properties: profile.registeredProperties, value: nil,
            permissions: profile.permissions)
        var descriptors: [CBDescriptor] = []
        if let text = profile.userDescription {
            descriptors.append(
                CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: text))
        }
        if let format = profile.presentationFormat {
            descriptors.append(
                CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicFormatString), value: Data(format.bytes)))
        }
        if let report = profile.reportReference {
            descriptors.append(
                CBMutableDescriptor(type: CBUUID(string: "2908"), value: Data([report.id, report.kind.rawValue])))
        }
        for copy in profile.copiedDescriptors {
            descriptors.append(CBMutableDescriptor(type: CBUUID(string: copy.uuid), value: Data(copy.value)))
        }
        if !descriptors.isEmpty { characteristic.descriptors = descriptors }
        registration = characteristic
        self.server = server
        return characteristic
    }

    func withdraw() {
        registration = nil
        server = nil
        subscriptionsChanged()
    }

    // MARK: Requests

    private var source: (any AnswerSource)? { service.services.source }

    /// Answers a read, at once unless there is an ``AnswerSource``.
    func read(_ done: @escaping (Answer) -> Void) {
        guard let source, profile.properties.contains(.read) else {
            return done(Answer { () throws(CBATTError) in try read() })
        }
        source.read(path) { [replacement = replacements.read] answer in done(answer.replacing(by: replacement)) }
    }

    /// Answers the write of a whole value, at once unless there is an ``AnswerSource``.
    func write(_ value: Data, wantsResponse: Bool?, _ done: @escaping (Answer) -> Void) {
        guard let source, profile.isWriteable else {
            var reaction: [ScenarioStep] = []
            var answer = Answer { () throws(CBATTError) in
                reaction = try write(value)
                return value
            }
            answer.reaction = reaction
            return done(answer)
        }
        let replacement = replacements.written
        source.write(replacement ?? value, to: path, wantsResponse: wantsResponse) { answer in
            var answer = answer
            if replacement != nil { answer.original = value }
            done(answer)
        }
    }

    /// The whole value as the profile has it.
    ///
    /// - Throws: the answer that the central gets instead.
    func read() throws(CBATTError) -> Data {
        guard profile.properties.contains(.read) else { throw CBATTError(.readNotPermitted) }
        switch profile.source {
        case .stored: return value
        case .writeCount(let path):
            let count = service.services.characteristic(at: path)?.writeCount ?? LabService.SinkCount()
            return Data(count.bytes)
        case .psm(let name):
            return service.services.channelPSM(name).map { Data([UInt8($0 & 0xFF), UInt8($0 >> 8)]) } ?? Data()
        case .simulated: return try service.model?.value(of: profile.uuid).map { Data($0) } ?? value
        }
    }

    /// What a write that begins at an offset builds on.
    var valueBeforeWrite: Data { profile.writes?.effects.contains(.store) == true ? value : Data() }

    /// Takes a whole value that was written.
    ///
    /// - Returns: what is to be done once the central has its answer.
    /// - Throws: the answer that the central gets instead.
    func write(_ value: Data) throws(CBATTError) -> [ScenarioStep] {
        guard profile.isWriteable, let rules = profile.writes else { throw CBATTError(.writeNotPermitted) }
        guard rules.lengths.contains(value.count) else { throw CBATTError(.invalidAttributeValueLength) }
        var steps: [ScenarioStep] = []
        switch rules.reactions.first(where: { $0.match.matches(value) })?.outcome {
        case .refuse(let code): throw CBATTError(attError: code)
        case .play(let reaction): steps = reaction
        case nil: break
        }
        for effect in rules.effects {
            switch effect {
            case .store: self.value = value
            case .count:
                writeCount.writes &+= 1
                writeCount.byteCount &+= UInt64(value.count)
            case .echo(let path):
                guard service.services.characteristic(at: path)?.sendOrWait(value) ?? false else {
                    throw CBATTError(.insufficientResources)
                }
            case .simulated: try service.write(value, to: self)
            }
        }
        return steps
    }

    /// Sets the value that reads return.
    func set(_ value: Data) {
        if source == nil { self.value = value } else { replacements.read = value }
    }

    /// The count of what was written starts again at zero.
    func resetWriteCount() {
        writeCount = LabService.SinkCount()
    }

    // MARK: Faults

    /// The faults that are not used up.
    var faults: [Fault] { injector.faults }
    var faultCount: Int { injector.count }

    func add(_ fault: Fault) {
        injector.add(fault)
    }

    func clearFaults() {
        injector.clear()
    }

    /// Counts an event.
    ///
    /// - Returns: what goes wrong with it.
    func hit(_ trigger: Fault.Trigger) -> Fault.Action? {
        injector.hit(trigger)
    }

    // MARK: Sending

    /// The centrals that have subscribed.
    var subscribers: [CBCentral] { registration?.subscribedCentrals ?? [] }

    /// How many bytes fit into a notification to each of the subscribers.
    var maximumNotificationLength: Int { subscribers.lazy.map(\.maximumUpdateValueLength).min() ?? 20 }

    func subscriptionsChanged() {
        defer { service.services.onSubscriptionChange?() }
        let wasSubscribed = isSubscribed
        isSubscribed = !subscribers.isEmpty
        guard isSubscribed else {
            isLeaving = false
            waiting.removeAll()
            duplicate = nil
            notifier?.stop()
            if wasSubscribed { service.model?.unsubscribed(from: profile.uuid) }
            return
        }
        if !wasSubscribed { subscriptionBegan() }
        notifier?.start()
    }

    private func subscriptionBegan() {
        injector.restart(.notify)
        guard let action = injector.hit(.subscribe) else { return }
        service.services.onFault?(self, action)
        guard case .flood(let count, let value) = action else { return }
        for number in 0..<count {
            waiting.append(Data(value ?? ChirpService.Burst.bytes(number: UInt32(truncatingIfNeeded: number), size: 4)))
        }
        sendWaiting()
    }

    /// Who gets a value that is sent, for people.
    var audience: String {
        if subscribers.isEmpty { return "no subscribers" }
        return service.services.isSilent ? "kept back: silence" : "to \(counted(subscribers.count, "subscriber"))"
    }

    /// Sends the value, which reads then return, too; false if there is no room.
    func sendGenerated(_ value: Data) -> Bool {
        guard sendNow(value) else { return false }
        self.value = value
        return true
    }

    /// Sends now; false if there is no room.
    func sendNow(_ value: Data) -> Bool {
        guard waiting.isEmpty, registration != nil else { return false }
        guard var splitter else { return handOver(value) }
        waiting.append(contentsOf: splitter.pieces(of: value, maximumLength: maximumNotificationLength))
        self.splitter = splitter
        sendWaiting()
        return true
    }

    /// Sends now, or as soon as there is room. Without subscribers nothing is sent.
    ///
    /// - Returns: false if so much waits that the value is refused.
    func sendOrWait(_ value: Data) -> Bool {
        guard !subscribers.isEmpty else { return true }
        if sendNow(value) { return true }
        guard waiting.count < (source == nil ? Self.waitingLimit : Self.deviceWaitingLimit) else { return false }
        if splitter != nil {
            waiting.append(contentsOf: splitter?.pieces(of: value, maximumLength: maximumNotificationLength) ?? [])
        } else {
            waiting.append(value)
        }
        return true
    }

    /// There is room again: sends what waits.
    func sendWaiting() {
        guard sendDuplicate() else { return }
        while let value = waiting.first {
            guard handOver(value) else { return }
            // A fault may have ended the subscription, and emptied the queue.
            if !waiting.isEmpty { waiting.removeFirst() }
        }
    }

    /// Sends the second one of a value that is sent twice; false if there is no room for it yet.
    private func sendDuplicate() -> Bool {
        guard let second = duplicate else { return true }
        guard transmit(second) else { return false }
        duplicate = nil
        return true
    }

    /// Hands one notification over, or lets it go wrong; false if there is no room.
    private func handOver(_ value: Data) -> Bool {
        // Nothing is sent after the value that met the fault, however long bluetoothd takes to end the link.
        if isLeaving || service.services.isSilent { return true }
        guard sendDuplicate() else { return false }
        let action = injector.upcoming(.notify)
        switch action {
        case .drop, .disconnect, .delay:
            isLeaving = action == .disconnect
            if case .delay(let seconds) = action { send(value, after: seconds) }
        case .duplicate:
            guard transmit(value) else { return false }
            if !transmit(value) { duplicate = value }
        case .resize(let size): guard transmit(value.resized(to: size)) else { return false }
        case .noAnswer, .error, .flood, nil: guard transmit(value) else { return false }
        }
        _ = injector.hit(.notify)
        if let action { service.services.onFault?(self, action) }
        return true
    }

    /// Sends a value as it is; false if there is no room.
    private func transmit(_ value: Data) -> Bool {
        guard let server, let registration,
            server.updateValue(value, for: registration, onSubscribedCentrals: nil)
        else { return false }
        notificationCount += 1
        lastSent = value
        return true
    }

    private func send(_ value: Data, after seconds: Double) {
        guard lateCount < Self.lateLimit else { return }
        lateCount += 1
        service.services.clock.after(seconds) { [weak self] in
            guard let self else { return }
            lateCount -= 1
            // A value that is this late has no claim to wait.
            if !subscribers.isEmpty, !isLeaving { _ = transmit(value) }
        }
    }
}

extension Data {
    /// The value cut off after this many bytes, or filled up to them with zeros.
    func resized(to size: Int) -> Data {
        prefix(size) + Data(count: Swift.max(0, size - count))
    }
}

extension CharacteristicProfile {
    /// The properties as the API has them, where a subscription that needs a better link is a property of its own.
    var registeredProperties: CBCharacteristicProperties {
        let (notify, indicate): (CBCharacteristicProperties, CBCharacteristicProperties)
        switch level(of: .notify) {
        case .none: return properties
        case .encrypted: (notify, indicate) = (.notifyEncryptionRequired, .indicateEncryptionRequired)
        case .authenticated: (notify, indicate) = (.notifyAuthenticationRequired, .indicateAuthenticationRequired)
        case .secure: (notify, indicate) = (.notifySecureConnectionsRequired, .indicateSecureConnectionsRequired)
        }
        var registered = properties
        if registered.remove(.notify) != nil { registered.insert(notify) }
        if registered.remove(.indicate) != nil { registered.insert(indicate) }
        return registered
    }

    /// What centrals may do, and on what kind of link.
    var permissions: CBAttributePermissions {
        var permissions: CBAttributePermissions = []
        if properties.contains(.read) {
            switch level(of: .read) {
            case .none: permissions.insert(.readable)
            case .encrypted: permissions.insert(.readEncryptionRequired)
            case .authenticated: permissions.insert(.readAuthenticationRequired)
            case .secure: permissions.insert(.readSecureConnectionsRequired)
            }
        }
        if isWriteable {
            switch level(of: .write) {
            case .none: permissions.insert(.writeable)
            case .encrypted: permissions.insert(.writeEncryptionRequired)
            case .authenticated: permissions.insert(.writeAuthenticationRequired)
            case .secure: permissions.insert(.writeSecureConnectionsRequired)
            }
        }
        return permissions
    }

    private enum LinkLevel { case none, encrypted, authenticated, secure }

    private func level(of use: Encryption) -> LinkLevel {
        if secureConnections.contains(use) { return .secure }
        if authentication.contains(use) { return .authenticated }
        return encryption.contains(use) ? .encrypted : .none
    }
}

extension CBATTError {
    /// An error by its number on the air.
    init(attError code: UInt8) {
        self.init(Code(rawValue: Int(code)) ?? .unlikelyError)
    }
}
