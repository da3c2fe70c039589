import BlueZ
import Captures
import CoreBluetooth
import GATTProfiles
import MainLoop
import PlainText

/// One link of a capture, repeated over a connection.
@MainActor
final class RepeatedLink {
    enum End {
        case done
        /// The device has not answered since a request has made the devices pair: the link has to be repeated.
        case unansweredSincePairing
    }

    private let plan: ReplayPlan.Link
    private let connection: DeviceConnection
    private let replay: Replay
    /// The characteristics that were subscribed to.
    private var attributes: [ObjectIdentifier: ReplayedAttribute] = [:]
    /// What was written last without response: it may wait for room.
    private var lastCommand: CBCharacteristic?
    /// What is waited for.
    private var awaited: (isOver: () -> Bool, outcome: FirstOutcome<Void>)?

    init(_ plan: ReplayPlan.Link, over connection: DeviceConnection, of replay: Replay) {
        self.plan = plan
        self.connection = connection
        self.replay = replay
    }

    /// - Parameter isFirst: whether the link may be repeated again.
    func run(isFirst: Bool) async throws -> End {
        connection.link.onEvent = { [weak self] event in self?.handle(event) }
        defer { connection.link.onEvent = nil }
        replay.comparison.beginLink()
        for (index, step) in plan.steps.enumerated() {
            await pause(step.pause)
            let left = plan.steps.count - index
            if let reason = connection.link.end {
                reportLoss(reason, at: step.packet, captured: counted(left, "more request"))
                return .done
            }
            if step.endsAnswers { replay.report(replay.comparison.settle()) }
            replay.comparison.began(step)
            let answer = await answer(to: step)
            if isFirst, case .failure(let failure) = answer, failure.isUnansweredSincePairing {
                _ = await connection.hasEnded()
                return .unansweredSincePairing
            }
            guard try compare(answer, step) else {
                if left > 1 {
                    replay.omit("the rest of the link: \(counted(left - 1, "request"))", packet: step.packet)
                }
                break
            }
            await waitForValues(step)
            replay.report(
                replay.comparison.compareSent(
                    step, onlyAnswers: replay.isHurried, isLinkOver: connection.link.end != nil))
            if index == plan.steps.count - 1 { await end(after: step) }
        }
        await connection.link.disconnect()
        return .done
    }

    // MARK: Requests

    private func answer(to step: ReplayPlan.Step) async -> Result<[UInt8], CommandError> {
        replay.countRequest()
        do {
            return .success(try await request(step))
        } catch {
            return .failure(CommandError(error, attempt: "cannot repeat packet \(step.packet)"))
        }
    }

    /// - Returns: the value of a read.
    private func request(_ step: ReplayPlan.Step) async throws -> [UInt8] {
        let target = try find(step.attribute)
        switch (step.request, target) {
        case (.read, _): return [UInt8](try await connection.read(target))
        case (.write(let bytes, hasResponse: true), _): try await connection.write(Data(bytes), to: target)
        case (.write(let bytes, hasResponse: false), _):
            let command = try connection.commandTarget(target, ofLength: bytes.count, withoutResponse: true)
            guard let command else { break }
            lastCommand = command
            try await connection.writeWithoutResponse(Data(bytes), to: command)
        case (.subscribe, .characteristic(let characteristic)):
            attributes[ObjectIdentifier(characteristic)] = step.attribute
            try await connection.subscribe(to: characteristic)
        case (.unsubscribe, .characteristic(let characteristic)):
            try await connection.unsubscribe(from: characteristic)
        case (.subscribe, .descriptor), (.unsubscribe, .descriptor): break
        }
        return []
    }

    /// bluetoothd's own service of the same UUID, if the device has one, is the last choice.
    private func find(_ attribute: ReplayedAttribute) throws -> ValueAttribute {
        guard let selector = AttributeSelector(attribute.selector) else {
            throw CommandError(.noSuchCharacteristic, "invalid name \(attribute.selector)")
        }
        let others = connection.table.services.filter { service in
            let characteristics = service.characteristics ?? []
            return !OwnServices.isIdentity(
                uuid: service.uuid.uuidString, characteristics: characteristics.map(\.uuid.uuidString))
        }
        return try (try? AttributeTable(others).find(selector, of: connection.device))
            ?? connection.table.find(selector, of: connection.device)
    }

    /// Compares an answer with the capture's.
    ///
    /// - Returns: whether the device may be asked for more.
    /// - Throws: a failure that is not the device's.
    private func compare(_ answer: Result<[UInt8], CommandError>, _ step: ReplayPlan.Step) throws -> Bool {
        let outcome: SessionEvent.Outcome
        switch answer {
        case .success(let value): outcome = .success(value)
        case .failure(let failure) where failure.status == .bluetoothUnavailable: throw failure
        case .failure(let failure):
            guard let error = failure.attError.flatMap({ UInt8(exactly: $0) }) else {
                if step.outcome != .unanswered { replay.report([ReplayDifference(step, found: failure.reason)]) }
                return !failure.endsEverything
            }
            outcome = .error(error)
        }
        replay.report([replay.comparison.compare(step, with: outcome)].compactMap(\.self))
        return true
    }

    // MARK: Waiting

    private func handle(_ event: AsyncPeripheral.Event) {
        if case .value(let value, let source) = event, let attribute = attributes[ObjectIdentifier(source)] {
            replay.countValue()
            replay.comparison.receive([UInt8](value), from: attribute)
        }
        guard let awaited, connection.link.end != nil || awaited.isOver() else { return }
        awaited.outcome.report()
    }

    /// Waits until something is the case, or the time or the connection is over.
    private func wait(within limit: Double, until isOver: @escaping () -> Bool) async {
        guard limit > 0, connection.link.end == nil, !isOver() else { return }
        let outcome = FirstOutcome<Void>()
        awaited = (isOver, outcome)
        await outcome.wait(within: .seconds(limit))
        awaited = nil
    }

    private func pause(_ seconds: Double) async {
        await wait(within: seconds * replay.pace) { false }
    }

    private func waitForValues(_ step: ReplayPlan.Step) async {
        await wait(within: step.limit) { [replay] in
            replay.comparison.isComplete(step, onlyAnswers: replay.isHurried)
        }
    }

    // MARK: The end

    private func reportLoss(_ reason: CentralError, at packet: Int, captured: String) {
        let failure = CommandError(reason, attempt: "cannot repeat the link", device: connection.device)
        replay.report([ReplayDifference(linkAt: packet, found: failure.reason, captured: captured)])
    }

    private func end(after step: ReplayPlan.Step) async {
        // What waits for room would be lost. If the link ends meanwhile, that is reported below.
        if let lastCommand { try? await connection.waitForRoom(lastCommand) }
        await pause(plan.pauseBeforeEnd)
        replay.report(replay.comparison.settle())
        guard let packet = plan.endOfDevice else {
            if let reason = connection.link.end { reportLoss(reason, at: step.packet, captured: "it lasted longer") }
            return
        }
        await wait(within: max(ReplayPlan.Step.usualLimit, 2 * plan.pauseBeforeEnd)) { false }
        guard connection.link.end == nil else { return }
        replay.report([ReplayDifference(linkAt: packet, found: "it lasts", captured: "the device ended it")])
    }
}
