import Glibc
import RadioControl
import VirtualRadio

/// Runs a radio on this machine's clock for the hosts of its controllers.
final class RadioLoop {
    private let radio: Radio
    private let director: RadioDirector
    private let signals: Signals
    private var server: RadioServer?
    private var attachments: [VirtualHCI] = []
    private var polled: [pollfd] = []
    private let began: Instant
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 8)
    /// A host that has much to say does not keep the others waiting.
    private let packetsAtOnce = 32

    /// Makes the controllers. The kernel asks each of them at once, and those that are there are answered meanwhile.
    init(_ arguments: Arguments) throws(SystemError) {
        let scene = try arguments.scene.map { path throws(SystemError) in try SceneFile.read(path) }
        signals = try Signals()
        began = Self.time(CLOCK_MONOTONIC)
        let seed = arguments.seed ?? scene?.seed ?? 1
        radio = Radio(seed: seed, air: arguments.air ?? scene?.air ?? .ideal)
        director = RadioDirector(radio, seed: seed)
        if let path = arguments.capture {
            let file = try CaptureFile(path, begin: Self.time(CLOCK_REALTIME))
            radio.sniff { file.add($1, at: $0) }
        }
        for number in 0..<arguments.controllers {
            let attachment = try VirtualHCI()
            _ = radio.add(arguments.kind, address: Self.address(number)) { attachment.write($0) }
            attachments.append(attachment)
            polled.append(pollfd(fd: attachment.descriptor, events: Int16(POLLIN), revents: 0))
            wait(milliseconds: 0)
        }
        for (index, attachment) in attachments.enumerated() {
            director.add(controller: arguments.controllerName(index, kernel: attachment.number), index)
        }
        if var scene {
            // What the command line says is for all of the run.
            scene.air = radio.airModel
            scene.seed = seed
            do {
                try director.play(scene, waits: arguments.holds)
            } catch {
                throw SystemError(text: "\(arguments.scene ?? ""): \(error.description)")
            }
        }
        do {
            server = try RadioServer(director, at: arguments.socket ?? ControlPath.usual)
        } catch {
            // Controllers are what it is for. A second radio need not be controlled.
            guard arguments.socket == nil else { throw error }
            VirtualRadioProgram.say("virtual-radio: there is no control socket: \(error.text)", to: STDERR_FILENO)
        }
    }

    deinit {
        buffer.deallocate()
    }

    /// The addresses of the lab: 00:AA:01:00:00:00, 00:AA:01:01:00:01, …
    private static func address(_ number: Int) -> DeviceAddress {
        let number = UInt8(truncatingIfNeeded: number)
        return DeviceAddress((0x00, 0xAA, 0x01, number, 0x00, number))
    }

    /// Runs until a signal ends it.
    func run() {
        while !signals.isEnding {
            if signals.begins {
                signals.begun()
                director.begin()
            }
            guard let deadline = radio.nextDeadline else {
                wait(milliseconds: -1)
                continue
            }
            let left = deadline - (Self.time(CLOCK_MONOTONIC) - began)
            // Not before it is due.
            wait(milliseconds: left > 0 ? Int32(clamping: (left + Span.millisecond - 1) / Span.millisecond) : 0)
        }
        server?.stop()
    }

    /// Waits for packets and requests, and takes those that are there. -1: for as long as it takes.
    private func wait(milliseconds: Int32) {
        let others = polled.count
        defer { polled.removeSubrange(others...) }
        polled.append(pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0))
        server?.addPolled(to: &polled)
        let ready = poll(&polled, nfds_t(polled.count), milliseconds)
        radio.advance(to: Self.time(CLOCK_MONOTONIC) - began)
        guard ready > 0 else { return }
        for index in attachments.indices where polled[index].revents != 0 { readPackets(index) }
        if polled[others].revents != 0 { signals.take() }
        server?.handle(polled[(others + 1)...])
    }

    private func readPackets(_ index: Int) {
        guard polled[index].revents & Int16(POLLIN) != 0 else {
            // The kernel does not have the controller any more.
            polled[index].fd = -1
            return radio.remove(index)
        }
        for _ in 0..<packetsAtOnce {
            guard let count = attachments[index].read(into: buffer) else { return }
            let packet = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if !attachments[index].take(packet) { radio.receive(packet, from: index) }
        }
    }

    private static func time(_ clock: clockid_t) -> Instant {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * Span.second + time.tv_nsec
    }
}
