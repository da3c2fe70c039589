import AssignedNumbers
import Foundation
import GATTProfiles
import PlainText
import ProfileWriting

/// Makes one characteristic of a profile: its value, its security, its descriptors and what it does.
struct CharacteristicImport {
    private(set) var clone: ClonedDevice.Characteristic
    private(set) var report = ImportReport()
    private let characteristic: ImportedTable.Characteristic
    private let device: ObservedDevice
    private let sessions: [Session]
    private let uses: [UInt16: AttributeUse]
    private let behaviour: ObservedBehaviour
    private let senders: [UInt16: ClonedDevice.Place]
    private let options: ImportOptions

    /// ATT errors of links that lack authentication, authorization, a long enough key, or encryption.
    static let securityErrors: Set<UInt8> = [0x05, 0x08, 0x0C, 0x0F]

    init(
        _ characteristic: ImportedTable.Characteristic, _ device: ObservedDevice, _ sessions: [Session],
        _ uses: [UInt16: AttributeUse], _ behaviour: ObservedBehaviour, _ senders: [UInt16: ClonedDevice.Place],
        _ options: ImportOptions
    ) {
        self.characteristic = characteristic
        self.device = device
        self.sessions = sessions
        self.uses = uses
        self.behaviour = behaviour
        self.senders = senders
        self.options = options
        clone = ClonedDevice.Characteristic(
            uuid: characteristic.uuid ?? PlaceholderUUID.characteristic(characteristic.handle),
            properties: characteristic.properties.filter { ImportedTable.knownProperties.contains($0) })
    }

    /// For sentences: the UUID with its name, or the handle.
    private var title: String {
        guard let uuid = characteristic.uuid else { return "the attribute \(HandleText.text(characteristic.handle))" }
        let name = UInt16(uuid, radix: 16).flatMap { AssignedKind.characteristic.name(of: $0) }
        return name.map { "\($0) (\(uuid))" } ?? uuid
    }

    private var firstUse: Int? {
        (uses[characteristic.handle] ?? characteristic.configuration.flatMap { uses[$0] })?.first.number
    }

    private var handleText: String { HandleText.text(characteristic.handle) }

    mutating func make() {
        if characteristic.uuid == nil {
            clone.comments.append("Handle \(handleText); fill in the UUID.")
            report.guess(
                "\(title): \(characteristic.properties.joined(separator: ", ")), from what was done with it",
                firstUse)
        } else if characteristic.isGuessed {
            clone.comments.append("The properties are those that were used: no declaration was seen.")
            report.guess("the properties of \(title)", firstUse)
        }
        if characteristic.isConfigurationGuessed, let handle = characteristic.configuration {
            report.guess(
                "\(HandleText.text(handle)) is the Client Characteristic Configuration of \(title)",
                uses[handle]?.first.number)
        }
        let others = characteristic.properties.filter { !ImportedTable.knownProperties.contains($0) }
        if !others.isEmpty { report.leaveOut("\(others.joined(separator: ", ")) of \(title)") }
        addValue()
        addSecurity()
        addDescriptors()
        addBehaviour()
        addErrors()
        checkSubscription()
    }

    /// Values that nobody has subscribed to in the capture: a bonded central has done so before.
    private mutating func checkSubscription() {
        guard senders[characteristic.handle] != nil,
            let use = uses[characteristic.handle], use.notifications + use.indications > 0,
            characteristic.configuration.flatMap({ uses[$0] })?.looksLikeConfiguration != true
        else { return }
        report.leaveOut(
            "the subscription of \(title), which sends without one in the capture: dittojay sends to subscribers only",
            use.first.number)
    }

    // MARK: The value

    private mutating func addValue() {
        guard clone.properties.contains("read") else { return }
        guard let value = device.table.values[characteristic.handle] else {
            if uses[characteristic.handle]?.values ?? 0 > 0 {
                report.leaveOut("the value of \(title), which the capture has cut off")
            } else if let (error, run) = constantRefusal {
                clone.readError = error
                report.recognize(
                    "\(Self.text(run)) to \(counted(run.count, "read")) of \(title), each time: a fault", run.packet)
                return
            }
            clone.comments.append("Its value was not read.")
            return
        }
        clone.value = Data(value.bytes)
        report.recognize("the value of \(title)", value.mark.number)
        if value.isTruncated { report.leaveOut("the end of the value of \(title), which the capture has cut off") }
        let others = Set(readValues).subtracting([value.bytes])
        if !others.isEmpty {
            report.leaveOut("\(counted(others.count, "other value")) of \(title): the first one is in the file")
        }
    }

    /// The error with which each read was refused, unless for lack of security: nobody has seen a value of it.
    private var constantRefusal: (error: UInt8, run: FailureRuns.Run)? {
        let runs = FailureRuns(sessions, characteristic.handle, isRead: true).runs
        guard runs.count == 1, case .error(let code) = runs[0].failure else { return nil }
        return (code, runs[0])
    }

    private var readValues: [[UInt8]] {
        sessions.flatMap { session in
            session.events.compactMap { event in
                guard case .read(characteristic.handle, .success(let value)) = event.kind else { return nil }
                return value
            }
        }
    }

    // MARK: Security

    private mutating func addSecurity() {
        add("read", refusal(.read, of: characteristic.handle), isPossible: clone.properties.contains("read"))
        let isWriteable = clone.properties.contains { $0.hasPrefix("write") }
        add("write", refusal(.write, of: characteristic.handle), isPossible: isWriteable)
        let notifies = clone.properties.contains("notify") || clone.properties.contains("indicate")
        add("notify", characteristic.configuration.flatMap { refusal(.write, of: $0) }, isPossible: notifies)
    }

    private func refusal(
        _ use: ObservedTable.Refusal.Use, of handle: UInt16
    ) -> ObservedTable.Refusal? {
        device.table.refusals[handle]?.first { $0.use == use && Self.securityErrors.contains($0.error) }
    }

    private mutating func add(_ use: String, _ refusal: ObservedTable.Refusal?, isPossible: Bool) {
        guard let refusal, isPossible else { return }
        clone.encrypted.append(use)
        report.recognize(
            "\(title) needs pairing to \(use): ATT error 0x\(AssignedName.digits(of: UInt16(refusal.error)).suffix(2))",
            refusal.mark.number)
        if refusal.isLinkEncrypted {
            report.guess(
                "\(title) needs no more than encryption to \(use): it was refused on an encrypted link, so it may need "
                    + "authentication (authenticated: [\(use)])", refusal.mark.number)
        }
    }

    // MARK: Descriptors

    private mutating func addDescriptors() {
        for (handle, type) in characteristic.descriptors.sorted(by: { $0.key < $1.key })
        where handle != characteristic.configuration {
            let value = device.table.values[handle]?.bytes
            if !type.isEmpty, clone.add(descriptor: type, value: value.map { Data($0) }) { continue }
            let name = type.isEmpty ? "at \(HandleText.text(handle))" : type
            report.leaveOut(
                "the descriptor \(name) of \(title)" + (value.map { ", which is \(ValuePreview.text($0))" } ?? ""))
        }
    }

    // MARK: Behaviour

    private mutating func addBehaviour() {
        let handle = characteristic.handle
        if let counter = behaviour.counters[handle], senders[handle] != nil {
            let prefix = counter.prefix.isEmpty ? "" : ", prefix: hex:\(ValueText.hex(counter.prefix))"
            clone.notify =
                "{every: \(Duration.text(seconds: counter.interval)), counter: {type: \(counter.type), "
                + "from: \(counter.first), step: \(counter.step)\(prefix)}}"
            report.recognize("\(title) counts, by \(counter.step) every \(Duration.text(seconds: counter.interval))")
        }
        if let sent = behaviour.subscriptionValues[handle], senders[handle] != nil {
            let values = sent.values.map { $0.isEmpty ? "empty" : "hex:" + ValueText.hex($0) }
            let source = values.count == 1 ? "value: \(values[0])" : "values: [\(values.joined(separator: ", "))]"
            clone.notify = "{every: \(Self.longestInterval), \(source)}"
            report.guess("\(title) sends one value for each subscription: nothing else came", firstUse)
        }
        guard clone.properties.contains(where: { $0.hasPrefix("write") }) else { return }
        let found = behaviour.reactions[handle]
        if let echo = found?.echo, let place = senders[echo] {
            clone.writes = .echo(to: place)
            report.recognize("each write of \(title) is sent back on \(HandleText.text(echo))")
            return
        }
        // First: patterns may match values that are refused, too.
        let refusals = refused.refusals
        let reactions = refusals.map(Self.reaction) + (found?.reactions ?? []).compactMap(reaction)
        guard !reactions.isEmpty else { return }
        clone.writes = .reactions(reactions, stores: clone.properties.contains("read"))
        for refusal in refusals {
            let text =
                "ATT error \(Self.text(refusal.error)) to \(ValuePreview.text(refusal.value)) written to \(title)"
            if refusal.count > 1 {
                report.recognize("\(text), \(counted(refusal.count, "time"))", refusal.packet)
            } else {
                report.guess("\(text), which was seen once", refusal.packet)
            }
        }
        for reaction in found?.reactions ?? [] {
            addRemark("the answer to \(Self.preview(reaction.value)) written to \(title)", reaction)
        }
    }

    private mutating func addRemark(_ text: String, _ reaction: ObservedReactions.Reaction) {
        let packet = reaction.mark.number
        switch reaction.certainty {
        case .certain where reaction.count == 1: report.guess("\(text), which was seen once", packet)
        case .certain: report.recognize("\(text), \(counted(reaction.count, "time"))", packet)
        case .usual(let writes):
            report.guess("\(text), \(reaction.count) of \(writes) times: other answers stay in the recording", packet)
        case .oneOf(let count): report.guess("\(text), one of \(count) that differ: the others are left out", packet)
        }
    }

    /// The first value is sent at once.
    private static let longestInterval = "1 h"
    /// Shorter pauses are those of the link.
    private static let minimumWait = 0.05

    private var refused: RefusedValues { RefusedValues(sessions, characteristic.handle) }

    private static func reaction(_ refusal: RefusedValues.Refusal) -> ClonedDevice.Reaction {
        .init(
            .value(Data(refusal.value)), .refuse(refusal.error), comment: seen(refusal.count, refusal.packet))
    }

    private static func seen(_ count: Int, _ packet: Int) -> String {
        count == 1 ? "seen once, packet \(packet)" : "seen \(count) times"
    }

    private func reaction(_ reaction: ObservedReactions.Reaction) -> ClonedDevice.Reaction? {
        var steps: [ClonedDevice.Reaction.Step] = []
        for step in reaction.steps {
            guard let place = senders[step.handle] else { return nil }
            if step.delay >= Self.minimumWait { steps.append(.wait((step.delay * 100).rounded() / 100)) }
            steps.append(.send(Data(step.value), on: place))
        }
        let match: ClonedDevice.Reaction.Match =
            reaction.value.exact.map { .value(Data($0)) } ?? .pattern(Self.text(reaction.value))
        return .init(match, .play(steps), comment: Self.seen(reaction))
    }

    private static func seen(_ reaction: ObservedReactions.Reaction) -> String {
        switch reaction.certainty {
        case .certain: seen(reaction.count, reaction.mark.number)
        case .usual(let writes): "seen \(reaction.count) of \(writes) times"
        case .oneOf(let count): "one of \(count) answers, packet \(reaction.mark.number)"
        }
    }

    /// `hex:01 ?? 03 *`
    private static func text(_ pattern: ValuePattern) -> String {
        text(pattern.bytes) + (pattern.isOpen ? " *" : "")
    }

    /// The same with the first bytes of a long one.
    private static func preview(_ pattern: ValuePattern) -> String {
        pattern.bytes.count > 20 ? text(Array(pattern.bytes.prefix(20))) + "…" : text(pattern)
    }

    private static func text(_ bytes: [UInt8?]) -> String {
        guard !bytes.isEmpty else { return "empty" }
        return "hex:" + bytes.map { $0.map { ValueText.hex([$0]) } ?? "??" }.joined(separator: " ")
    }

    // MARK: Errors

    /// Requests that were refused for other reasons than security, or not answered.
    private mutating func addErrors() {
        for use in ["read", "write"] where use == "write" || clone.readError == nil {
            // What is refused because of its value is a reaction.
            let reactions = use == "write" && clone.writes != nil ? refused.values : []
            let runs = FailureRuns(sessions, characteristic.handle, isRead: use == "read", except: reactions).runs
            let isPossible = clone.properties.contains { $0 == use || (use == "write" && $0 == "write") }
            for run in runs {
                let text = "\(Self.text(run)) to \(counted(run.count, use)) of \(title)"
                guard options.includesFaults, isPossible, clone.faults.count < Self.maximumFaults else {
                    report.leaveOut(text + (options.includesFaults ? "" : "; --faults makes a fault of it"), run.packet)
                    continue
                }
                let action =
                    switch run.failure {
                    case .error(let code): "error: \(Self.text(code))"
                    case .noAnswer: "no-answer: true"
                    case .disconnection: "disconnect: true"
                    }
                let after = run.before > 0 ? ", after: \(run.before)" : ""
                let times = run.isLast ? "" : ", times: \(run.count)"
                clone.faults.append("{on: \(use), \(action)\(after)\(times)}")
                report.recognize(text + ", as a fault", run.packet)
            }
        }
    }

    private static func text(_ run: FailureRuns.Run) -> String {
        switch run.failure {
        case .error(let code): "ATT error \(text(code))"
        case .noAnswer: "no answer"
        case .disconnection: "the link's end instead of an answer"
        }
    }

    /// `0x80`
    private static func text(_ error: UInt8) -> String { "0x\(AssignedName.digits(of: UInt16(error)).suffix(2))" }

    private static let maximumFaults = 10
}

/// Requests to an attribute that failed alike, one after another.
struct FailureRuns {
    enum Failure: Equatable {
        case error(UInt8)
        case noAnswer
        case disconnection
    }

    struct Run {
        let failure: Failure
        var count = 1
        /// How many requests there were before.
        let before: Int
        let packet: Int
        /// Whether no request succeeded after it.
        var isLast = true
    }

    private(set) var runs: [Run] = []

    private static let maximumRuns = 100

    /// - Parameter values: writes of these do not count.
    init(_ sessions: [Session], _ handle: UInt16, isRead: Bool, except values: Set<[UInt8]> = []) {
        var requests = 0
        var isInRun = false
        for session in sessions {
            for (index, event) in session.events.enumerated() {
                let outcome: SessionEvent.Outcome
                switch event.kind {
                case .read(handle, let result) where isRead: outcome = result
                case .write(handle, let value, true, let result) where !isRead && !values.contains(value):
                    outcome = result
                default: continue
                }
                let failure: Failure
                switch outcome {
                case .error(let code) where CharacteristicImport.securityErrors.contains(code): continue
                case .error(let code): failure = .error(code)
                case .unanswered: failure = session.isAnsweredByEnd(index) ? .disconnection : .noAnswer
                case .success, .truncated:
                    if !runs.isEmpty { runs[runs.count - 1].isLast = false }
                    isInRun = false
                    requests += 1
                    continue
                }
                if isInRun, let last = runs.last, last.failure == failure {
                    runs[runs.count - 1].count += 1
                } else if runs.count < Self.maximumRuns {
                    if !runs.isEmpty { runs[runs.count - 1].isLast = false }
                    runs.append(Run(failure: failure, before: requests, packet: event.mark.number))
                    isInRun = true
                }
                requests += 1
            }
        }
    }
}
