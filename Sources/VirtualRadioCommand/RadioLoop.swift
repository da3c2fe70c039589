import Glibc
import VirtualRadio

/// Runs a radio on this machine's clock for the hosts of its controllers.
final class RadioLoop {
    private let radio: Radio
    private let kind: ControllerKind
    private let listener: HostListener?
    /// Whether there may be others than this machine's kernel.
    private let hasHosts: Bool
    /// By the index of the controller.
    private var attachments: [(any Attachment)?] = []
    private var polled: [pollfd] = []
    /// Whose turn it is at each place of `polled`. The listener is -1.
    private var indexes: [Int] = []
    private let began: Instant
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 8)

    /// Makes the controllers. The kernel asks each of them at once, and those that are there are answered meanwhile.
    init(_ arguments: Arguments) throws(SystemError) {
        began = Self.time(CLOCK_MONOTONIC)
        kind = arguments.kind
        radio = Radio(seed: arguments.seed, air: arguments.air)
        listener = if let path = arguments.socket { try HostListener(path) } else { nil }
        hasHosts = listener != nil || !arguments.ports.isEmpty
        let ports = try arguments.ports.map { path throws(SystemError) in try SerialPort(path, to: .host) }
        if let path = arguments.capture {
            let file = try CaptureFile(path, begin: Self.time(CLOCK_REALTIME))
            radio.sniff { file.add($1, at: $0) }
        }
        for _ in 0..<arguments.controllers {
            add(try VirtualHCI())
            wait(milliseconds: 0)
        }
        for port in ports { add(port) }
        if let listener { watch(listener.descriptor, -1) }
    }

    deinit {
        buffer.deallocate()
    }

    /// The addresses of the lab: 00:AA:01:00:00:00, 00:AA:01:01:00:01, …
    private static func address(_ number: Int) -> DeviceAddress {
        let number = UInt8(truncatingIfNeeded: number)
        return DeviceAddress((0x00, 0xAA, 0x01, number, 0x00, number))
    }

    func run() -> Never {
        while true { turn() }
    }

    /// Waits for the next thing to happen, and does what follows from it.
    func turn() {
        guard let deadline = radio.nextDeadline else { return wait(milliseconds: -1) }
        let left = deadline - (Self.time(CLOCK_MONOTONIC) - began)
        // Not before it is due.
        wait(milliseconds: left > 0 ? Int32(clamping: (left + Span.millisecond - 1) / Span.millisecond) : 0)
    }

    /// Adds a controller for a host.
    private func add(_ attachment: some Attachment) {
        let address = Self.address(radio.nextIndex)
        let index = radio.add(kind, address: address) { [unowned attachment] in attachment.write($0) }
        if index == attachments.count { attachments.append(nil) }
        attachments[index] = attachment
        watch(attachment.descriptor, index)
    }

    private func watch(_ descriptor: Int32, _ index: Int) {
        polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        indexes.append(index)
    }

    /// Waits for packets, and takes those that are there. -1: for as long as it takes.
    private func wait(milliseconds: Int32) {
        let ready = poll(&polled, nfds_t(polled.count), milliseconds)
        radio.advance(to: Self.time(CLOCK_MONOTONIC) - began)
        if ready > 0 {
            for place in polled.indices where polled[place].revents != 0 { serve(place) }
        }
        if ready > 0 || hasHosts { review() }
    }

    /// Something has happened at a place of `polled`.
    private func serve(_ place: Int) {
        let index = indexes[place]
        guard index >= 0, let attachment = attachments[index] else { return acceptHosts() }
        if polled[place].revents & ~Int16(POLLOUT) != 0 {
            attachment.read(buffer) { radio.receive($0, from: index) }
        }
    }

    private func acceptHosts() {
        while let host = listener?.accept() {
            guard radio.nextIndex < Arguments.mostControllers else {
                VirtualRadioProgram.say(
                    "virtual-radio: there are \(Arguments.mostControllers) controllers, and no more for another host",
                    to: STDERR_FILENO)
                continue
            }
            add(host)
        }
    }

    /// Gives the hosts what this turn had for them, and looks which of them are over and which wait for room.
    private func review() {
        for place in polled.indices.reversed() where indexes[place] >= 0 {
            guard let attachment = attachments[indexes[place]] else { continue }
            attachment.writeWaiting()
            polled[place].events = Int16(attachment.isWaitingForRoom ? POLLIN | POLLOUT : POLLIN)
            if attachment.isOver { remove(place) }
        }
    }

    private func remove(_ place: Int) {
        radio.remove(indexes[place])
        attachments[indexes[place]] = nil
        polled.remove(at: place)
        indexes.remove(at: place)
    }

    private static func time(_ clock: clockid_t) -> Instant {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * Span.second + time.tv_nsec
    }
}
