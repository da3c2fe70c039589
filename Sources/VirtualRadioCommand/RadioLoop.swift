import Glibc
import Posix
import RadioControl
import VirtualRadio

/// Runs a radio on this machine's clock for the hosts of its controllers.
final class RadioLoop {
    private let radio: Radio
    private let director: RadioDirector
    private let signals: Signals?
    private let kind: ControllerKind
    /// Where hosts connect.
    let listeners: [HostListener]
    private var server: RadioServer?
    /// Whether there may be others than this machine's kernel.
    private let hasHosts: Bool
    /// By the index of the controller.
    private var transports: [(any HCITransport)?] = []
    private var polled: [pollfd] = []
    /// The controller at each place of `polled`.
    private var indexes: [Int] = []
    private let began: Instant
    /// Whether all controllers of the command line are there, and have their names: hosts come after them.
    private var isComplete = false
    /// When hosts and clients are accepted again, for one of which there was no file descriptor.
    private var nextAcceptance: Instant?
    /// Before that, it is not said again that there are none.
    private var nextComplaint = Instant.min
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 8)

    /// Makes the controllers. The kernel asks each of them at once, and those that are there are answered meanwhile.
    ///
    /// - Parameters:
    ///   - signals: which end it, and begin the time of its scene.
    ///   - makeController: makes a controller of this machine's kernel.
    init(
        _ arguments: Arguments, signals: Signals? = nil,
        makeController: () throws(SystemError) -> any HCITransport = { () throws(SystemError) in try VirtualHCI() }
    ) throws(SystemError) {
        self.signals = signals
        let scene = try arguments.scene.map { path throws(SystemError) in try SceneFile.read(path) }
        began = Self.time(CLOCK_MONOTONIC)
        let seed = arguments.seed ?? scene?.seed ?? 1
        kind = arguments.kind
        radio = Radio(seed: seed, air: arguments.air ?? scene?.air ?? .ideal)
        director = RadioDirector(radio, seed: seed, began: Self.time(CLOCK_REALTIME) / Span.microsecond)
        director.openOutput = { path throws(RadioDirector.Refusal) in
            do throws(SystemError) {
                return try RecordingFile(path)
            } catch {
                throw RadioDirector.Refusal(error.description)
            }
        }
        listeners = try arguments.hostSockets.map { place throws(SystemError) in try HostListener(place) }
        hasHosts = !listeners.isEmpty || !arguments.ports.isEmpty
        let ports = try arguments.ports.map { path throws(SystemError) in try SerialPort(path, to: .host) }
        if let path = arguments.capture {
            let file = try CaptureFile(path, begin: Self.time(CLOCK_REALTIME))
            radio.sniff { file.add($1, at: $0) }
        }
        for _ in 0..<arguments.controllers {
            add(try makeController())
            wait(milliseconds: 0)
        }
        for port in ports { add(port) }
        for (index, transport) in transports.enumerated() {
            let number = (transport as? VirtualHCI)?.number
            director.add(controller: arguments.controllerName(index, kernel: number), index)
        }
        isComplete = true
        if let scene { try play(scene, seed, arguments) }
        try serve(arguments)
    }

    private func play(_ scene: Scene, _ seed: UInt64, _ arguments: Arguments) throws(SystemError) {
        var scene = scene
        // What the command line says is for all of the run.
        scene.air = radio.airModel
        scene.seed = seed
        do {
            try director.open(scene, waits: arguments.holds)
        } catch {
            throw SystemError(text: "\(arguments.scene ?? ""): \(error.description)")
        }
        for warning in director.warnings(of: scene) {
            VirtualRadioProgram.say("virtual-radio: warning: \(arguments.scene ?? ""): \(warning)", to: STDERR_FILENO)
        }
    }

    /// Takes commands.
    private func serve(_ arguments: Arguments) throws(SystemError) {
        do {
            server = try RadioServer(director, at: arguments.socket ?? ControlPath.usual)
        } catch {
            // Controllers are what it is for. A second radio need not be controlled.
            guard arguments.socket == nil else { throw error }
            VirtualRadioProgram.say("virtual-radio: no control socket: \(error.description)", to: STDERR_FILENO)
        }
    }

    deinit {
        buffer.deallocate()
    }

    /// The addresses of the lab: 00:AA:01:00:00:00, 00:AA:01:01:00:01, …, 00:AA:01:FF:00:FF, 00:AA:01:00:01:00, …
    static func address(_ number: Int) -> DeviceAddress {
        let (low, middle) = (UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8))
        return DeviceAddress((0x00, 0xAA, 0x01 &+ UInt8(truncatingIfNeeded: number >> 16), low, middle, low))
    }

    /// Runs until a signal ends it.
    func run() {
        for listener in listeners { listener.announce() }
        while signals?.isEnding != true { turn() }
        server?.stop()
        director.flushRecordings()
    }

    /// Waits for the next thing to happen, and does what follows from it.
    func turn() {
        if let signals, signals.begins {
            signals.begun()
            director.begin()
        }
        guard let deadline = radio.nextDeadline else { return wait(milliseconds: -1) }
        let left = deadline - (Self.time(CLOCK_MONOTONIC) - began)
        // Not before it is due.
        wait(milliseconds: left > 0 ? Int32(clamping: (left + Span.millisecond - 1) / Span.millisecond) : 0)
    }

    /// Adds a controller for a host.
    private func add(_ transport: any HCITransport) {
        let address = Self.address(radio.nextIndex)
        let index = radio.add(kind, address: address) { [weak transport] in transport?.write($0) }
        // Places between may be those of phantoms.
        while index >= transports.count { transports.append(nil) }
        transports[index] = transport
        polled.append(pollfd(fd: transport.descriptor, events: Int16(POLLIN), revents: 0))
        indexes.append(index)
    }

    /// Waits for packets, hosts and requests, and takes those that are there. -1: for as long as it takes.
    private func wait(milliseconds: Int32) {
        // Behind those of the controllers.
        let others = polled.count
        // If it is not there, `poll` leaves it out.
        polled.append(pollfd(fd: signals?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
        let pause = pauseOfAcceptance
        let accepts = isComplete && pause == nil
        for listener in listeners {
            polled.append(pollfd(fd: accepts ? listener.descriptor : -1, events: Int16(POLLIN), revents: 0))
        }
        let clients = polled.count
        server?.addPolled(to: &polled, accepts: accepts)
        let limit = pause.map { milliseconds < 0 ? $0 : min(milliseconds, $0) } ?? milliseconds
        let ready = poll(&polled, nfds_t(polled.count), limit)
        let found = polled[others...]
        polled.removeSubrange(others...)
        radio.advance(to: Self.time(CLOCK_MONOTONIC) - began)
        if ready > 0 {
            for place in polled.indices where polled[place].revents != 0 { readPackets(place) }
            if found[others].revents != 0 { signals?.take() }
            if server?.handle(found[clients...]) == false { stopAccepting() }
            for (listener, entry) in zip(listeners, found[(others + 1)...]) where entry.revents != 0 {
                acceptHosts(listener)
            }
        }
        if ready > 0 || hasHosts { review() }
    }

    private func readPackets(_ place: Int) {
        guard polled[place].revents & ~Int16(POLLOUT) != 0 else { return }
        let index = indexes[place]
        transports[index]?.read(buffer) { radio.receive($0, from: index) }
    }

    /// How long nobody is accepted yet, in milliseconds.
    private var pauseOfAcceptance: Int32? {
        guard let nextAcceptance else { return nil }
        let left = nextAcceptance - Self.time(CLOCK_MONOTONIC)
        guard left > 0 else {
            self.nextAcceptance = nil
            return nil
        }
        return Int32(clamping: (left + Span.millisecond - 1) / Span.millisecond)
    }

    /// No file descriptor is left for a host or client that has connected. Without a pause, `poll` would report it
    /// again and again.
    private func stopAccepting() {
        let now = Self.time(CLOCK_MONOTONIC)
        nextAcceptance = now + Self.pauseWithoutDescriptors
        guard now >= nextComplaint else { return }
        nextComplaint = now + Self.pauseBetweenComplaints
        VirtualRadioProgram.say(
            "virtual-radio: too many open files (ulimit -n): a host or client that has connected has to wait",
            to: STDERR_FILENO)
    }

    private static let pauseWithoutDescriptors = Span.second
    private static let pauseBetweenComplaints = 60 * Span.second

    private func acceptHosts(_ listener: HostListener) {
        while let host = listener.accept() {
            guard indexes.count < Arguments.maximumControllers else {
                VirtualRadioProgram.say(
                    "virtual-radio: refused a host: too many controllers (limit \(Arguments.maximumControllers))",
                    to: STDERR_FILENO)
                continue
            }
            let index = radio.nextIndex
            add(host)
            director.add(controller: "host\(index)", index)
        }
        if errno == EMFILE || errno == ENFILE { stopAccepting() }
    }

    /// Gives the hosts what this turn had for them, and looks which of them are over and which wait for room.
    private func review() {
        for place in polled.indices.reversed() {
            guard let transport = transports[indexes[place]] else { continue }
            transport.writeWaiting()
            polled[place].events = Int16(transport.isWaitingForRoom ? POLLIN | POLLOUT : POLLIN)
            if transport.isOver { remove(place) }
        }
    }

    private func remove(_ place: Int) {
        radio.remove(indexes[place])
        transports[indexes[place]] = nil
        polled.remove(at: place)
        indexes.remove(at: place)
    }

    private static func time(_ clock: clockid_t) -> Instant {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * Span.second + time.tv_nsec
    }
}
