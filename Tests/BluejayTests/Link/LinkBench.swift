@testable import Bluejay

let thermometer = PeripheralIdentifier(uuid: UUID(), name: "Thermometer")
let stranger = PeripheralIdentifier(uuid: UUID(), name: "Stranger")

/// A link machine, and a journal of the effects that it asks for.
///
/// As the queue does, the bench fails the running attempt when operations fail.
final class LinkBench {
    final class Attempt {}
    final class Connection {}
    typealias Machine = LinkMachine<Attempt, Connection>

    private(set) var machine = Machine()
    private(set) var lines: [String] = []
    private(set) var attempt = Attempt()
    private(set) var connection = Connection()
    /// What the program does when it is called back by an effect, by the line of the effect.
    var onEffect: [String: () -> Void] = [:]
    /// The disconnect handler's answer; nil if there is no handler.
    var answer: AutoReconnectMode?
    var isTaskRunning = false
    var isConnectionPending = false

    static func connecting(isRestoration: Bool = false) -> LinkBench {
        let bench = LinkBench()
        bench.start(isRestoration: isRestoration)
        bench.clear()
        return bench
    }

    static func connected() -> LinkBench {
        let bench = LinkBench.connecting()
        bench.didConnect()
        bench.clear()
        return bench
    }

    func clear() { lines = [] }

    // Events.

    func start(isRestoration: Bool = false) {
        attempt = Attempt()
        perform(machine.attemptStarted(attempt, to: thermometer, isRestoration: isRestoration))
    }

    func request(timeout: Timeout) { machine.connectionRequested(timeout: timeout) }
    func adopt() {
        connection = Connection()
        machine.adopted(connection, to: thermometer)
    }
    func timeOut() { perform(machine.attemptTimedOut(attempt)) }
    func abandonAttempt() {
        machine.attemptAbandoned(attempt)
        perform(machine.attemptCancelled(attempt, CancellationError()))
    }

    func didConnect(_ peripheral: PeripheralIdentifier = thermometer) {
        perform(
            machine.didConnect(
                peripheral,
                {
                    connection = Connection()
                    return connection
                }()))
    }

    func disconnect(immediate: Bool = false) { perform(machine.disconnectRequested(immediate: immediate)) }
    func startDisconnect() { perform(machine.disconnectStarted()) }
    func withdrawDisconnect() { machine.disconnectWithdrawn() }

    func cancelEverything(shouldDisconnect: Bool = true) {
        perform(machine.cancelled(BluejayError.cancelled, shouldDisconnect: shouldDisconnect))
    }

    func end(_ peripheral: PeripheralIdentifier = thermometer, _ error: (any Error)? = nil) {
        perform(machine.linkEnded(peripheral, error, isTaskRunning: isTaskRunning))
    }

    func confirmationTimesOut() {
        perform(machine.confirmationTimedOut(thermometer, isTaskRunning: isTaskRunning))
    }

    func endTask() {
        isTaskRunning = false
        perform(machine.taskEnded())
    }

    func loseBluetooth(hadBluetooth: Bool = true) { perform(machine.bluetoothLost(hadBluetooth: hadBluetooth)) }
    func stop() { perform(machine.stopped()) }

    // Effects.

    private func perform(_ effects: [Machine.Effect]) {
        for effect in effects {
            if case .resume(let step) = effect {
                perform(machine.resume(step, isConnectionPending: isConnectionPending))
                continue
            }
            let line = describe(effect)
            lines.append(line)
            onEffect.removeValue(forKey: line)?()
            switch effect {
            case .failOperations(let error), .failEverything(let error, false):
                if let running = machine.attempt { perform(machine.attemptCancelled(running, error)) }
            case .askHandler:
                if let answer { machine.handlerAnswered(answer) }
            default: break
            }
        }
    }

    private func describe(_ effect: Machine.Effect) -> String {
        switch effect {
        case .connect(let attempt): "connect\(name(attempt))"
        case .cancelAttempt(let attempt): "cancel the attempt\(name(attempt))"
        case .cancelConnection(let connection): "cancel the connection\(name(connection))"
        case .release(let connection):
            connection.map { "release the connection\(name($0))" } ?? "release"
        case .broadcast(let error, let connection): "broadcast: \(error.short)\(name(connection))"
        case .endListeners(let error, let connection): "end listeners: \(error.short)\(name(connection))"
        case .failSignalStrengthReads(let error): "fail RSSI: \(error.short)"
        case .interruptTask(let error): "interrupt the task: \(error.short)"
        case .completeAttempt(let attempt): "the attempt has succeeded\(name(attempt))"
        case .closeAttempt(let attempt): "close the attempt\(name(attempt))"
        case .closeDisconnect: "close the disconnect"
        case .failOperations(let error): "fail operations: \(error.short)"
        case .failPendingFailures: "fail what waited behind"
        case .failOperationsOnConnection(let error): "fail operations on the connection: \(error.short)"
        case .failEverything(let error, let atOnce): "fail everything\(atOnce ? " at once" : ""): \(error.short)"
        case .reportConnected(let connection): "observers: connected\(name(connection))"
        case .reportDisconnected(let peripheral): "observers: disconnected from \(peripheral.name)"
        case .askHandler(_, let error):
            "handler: \(error?.short ?? "no error"), willReconnect \(machine.shouldReconnect)"
        case .completeDisconnect(.disconnected): "the disconnect has succeeded"
        case .completeDisconnect(.failure(let error)): "the disconnect has failed: \(error.short)"
        case .reportFailure(let attempt, let error): "the attempt has failed: \(error.short)\(name(attempt))"
        case .reconnect(let peripheral, let timeout):
            "reconnect to \(peripheral.name)\(timeout.interval.map { " within \($0) s" } ?? "")"
        case .log: "log"
        case .resume: "resume"
        }
    }

    /// Effects concern the latest attempt and connection unless said.
    private func name(_ object: AnyObject) -> String {
        object === attempt || object === connection ? "" : " (another)"
    }
}
