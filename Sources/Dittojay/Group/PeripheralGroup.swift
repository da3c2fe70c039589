package import BlueZ
package import Foundation
package import MainLoop
package import Posix

/// The peripherals of one process: one, or several with one control socket.
///
/// Each has a controller of its own and runs by itself. One that fails or is stopped ends alone, and the others go on.
/// Everything happens on one serial queue: call its methods there; its closures are called there.
// @unchecked: the state is only used on `queue`.
package final class PeripheralGroup: @unchecked Swift.Sendable {
    package let queue: DispatchQueue

    /// Called for each event of each peripheral. Events are not made if it is nil and no program follows them.
    package var onEvent: ((PeripheralEvent) -> Void)?
    /// Shows what a central that pairs wants of the user: see ``VirtualPeripheral/onPairingPrompt``.
    package var onPairingPrompt: ((PairingPrompt) -> () -> Void)?
    /// Called once when each peripheral advertises, has failed to, or has ended.
    package var onReady: (() -> Void)?
    /// How many lines of output the program that shows the events has dropped.
    package var droppedLines: (() -> Int)?
    /// Called when a peripheral has ended and others still run.
    package var onEndOfOne: (() -> Void)?
    /// Called once when the last peripheral has ended, with the first error that one has ended with.
    package var onEnd: ((DittojayError?) -> Void)?

    /// Makes each of the peripherals, once its controller is known.
    private let makers: [(_ controller: String?) -> VirtualPeripheral]
    private let choice: ControllerChoice
    private let controlSocket: ControlSocketAddress?
    private let clock: any Clock
    private let session: BlueZSession

    private let directory = PeripheralDirectory()
    private var peripherals: [VirtualPeripheral] = []
    /// How many have yet to become ready.
    private var waiting = 0
    private var running = 0
    private var failure: DittojayError?
    private var isStopping = false

    /// Whether its events say which peripheral they are of.
    package var hasSeveral: Bool { makers.count > 1 }
    /// The results of scenarios with expectations.
    package var scenarioReports: [ScenarioReport] { peripherals.compactMap(\.scenarioReport) }

    /// Peripherals that are made from profiles.
    ///
    /// - Parameter clock: with a serial queue, which everything happens on.
    package convenience init(
        _ plan: GroupPlan, on choice: ControllerChoice, controlSocket: ControlSocketAddress?, clock: any Clock,
        session: BlueZSession = .shared, folder: RuntimeFolder = RuntimeFolder(program: "dittojay")
    ) {
        let makers = plan.members.map { member in
            { (controller: String?) in
                VirtualPeripheral(
                    profile: member.profile,
                    options: .init(adapter: controller, localName: member.localName, seed: member.seed), clock: clock,
                    session: session, folder: folder)
            }
        }
        self.init(makers, on: choice, controlSocket: controlSocket, clock: clock, session: session)
    }

    /// One peripheral, which proxies a device.
    ///
    /// - Parameters:
    ///   - adapter: the controller for the centrals.
    ///   - localName: the name that it advertises; default: the device's.
    ///   - clock: with a serial queue, which everything happens on.
    package convenience init(
        _ device: ProxiedDevice, adapter: String?, localName: String?, seed: UInt64,
        controlSocket: ControlSocketAddress?, clock: any Clock
    ) {
        let maker = { (controller: String?) in
            VirtualPeripheral(
                device: device, options: .init(adapter: controller, localName: localName, seed: seed), clock: clock)
        }
        self.init(
            [maker], on: ControllerChoice(first: adapter), controlSocket: controlSocket, clock: clock, session: .shared)
    }

    private init(
        _ makers: [(_ controller: String?) -> VirtualPeripheral], on choice: ControllerChoice,
        controlSocket: ControlSocketAddress?, clock: any Clock, session: BlueZSession
    ) {
        self.makers = makers
        self.choice = choice
        self.controlSocket = controlSocket
        self.clock = clock
        queue = clock.queue
        self.session = session
    }

    // MARK: Life

    /// Starts all. What comes of it is reported by events, and by ``onEnd`` if it fails. No peripheral starts unless
    /// there is a controller for each.
    package func start() {
        dispatchPrecondition(condition: .onQueue(queue))
        if let controlSocket {
            do throws(DittojayError) {
                try directory.listen(at: controlSocket, clock: clock)
            } catch {
                return end(error)
            }
        }
        guard hasSeveral else { return start(on: [choice.given.first ?? choice.first]) }
        Task { [choice, count = makers.count, session, queue] in
            do {
                let controllers = try await choice.controllers(count, of: session)
                queue.async { [self] in start(on: controllers) }
            } catch {
                let error = error as? DittojayError ?? .bluetoothUnavailable("cannot use Bluetooth: \(error)")
                queue.async { [self] in if !isStopping { end(error) } }
            }
        }
    }

    /// Stops all: disconnects the centrals, withdraws everything, and puts the controllers back as they were. ``onEnd``
    /// is called when that is done.
    package func stop() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isStopping else { return }
        isStopping = true
        guard !peripherals.isEmpty else { return end(nil) }
        for peripheral in peripherals { peripheral.stop() }
    }

    private func start(on controllers: [String?]) {
        guard !isStopping else { return }
        peripherals = zip(makers, controllers).map { maker, controller in
            let peripheral = maker(controller)
            peripheral.join(directory, asOneOfSeveral: hasSeveral)
            peripheral.onEvent = onEvent
            peripheral.onPairingPrompt = onPairingPrompt
            peripheral.droppedLines = droppedLines
            peripheral.onReady = { [self] in oneIsReady() }
            peripheral.onEnd = { [self, unowned peripheral] error in ended(peripheral, error) }
            return peripheral
        }
        waiting = peripherals.count
        running = peripherals.count
        for peripheral in peripherals { peripheral.start() }
    }

    private func oneIsReady() {
        waiting -= 1
        guard waiting == 0 else { return }
        onReady?()
        onReady = nil
    }

    private func ended(_ peripheral: VirtualPeripheral, _ error: DittojayError?) {
        running -= 1
        failure = failure ?? error
        if running == 0 { return end(failure) }
        onEndOfOne?()
        guard peripheral.onReady != nil else { return }
        peripheral.onReady = nil
        oneIsReady()
    }

    private func end(_ error: DittojayError?) {
        directory.stop()
        onEnd?(error)
        onEnd = nil
        onReady = nil
    }

    // MARK: Commands

    /// Carries out a command and answers it by calling `reply` once, on the queue.
    package func perform(_ request: AddressedRequest, reply: @escaping (ControlReply) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        directory.perform(request, reply: reply)
    }
}
