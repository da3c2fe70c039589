import Glibc
import VirtualRadio

/// Runs a radio on this machine's clock for the hosts of its controllers.
final class RadioLoop {
    private let radio: Radio
    private var attachments: [VirtualHCI] = []
    private var polled: [pollfd] = []
    private let began: Instant
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 8)
    /// A host that has much to say does not keep the others waiting.
    private let packetsAtOnce = 32

    /// Makes the controllers. The kernel asks each of them at once, and those that are there are answered meanwhile.
    init(_ arguments: Arguments) throws(SystemError) {
        began = Self.time(CLOCK_MONOTONIC)
        radio = Radio(seed: arguments.seed, air: arguments.air)
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
        while true {
            guard let deadline = radio.nextDeadline else {
                wait(milliseconds: -1)
                continue
            }
            let left = deadline - (Self.time(CLOCK_MONOTONIC) - began)
            // Not before it is due.
            wait(milliseconds: left > 0 ? Int32(clamping: (left + Span.millisecond - 1) / Span.millisecond) : 0)
        }
    }

    /// Waits for packets, and takes those that are there. -1: for as long as it takes.
    private func wait(milliseconds: Int32) {
        let ready = poll(&polled, nfds_t(polled.count), milliseconds)
        radio.advance(to: Self.time(CLOCK_MONOTONIC) - began)
        guard ready > 0 else { return }
        for index in polled.indices where polled[index].revents != 0 { readPackets(index) }
    }

    private func readPackets(_ index: Int) {
        guard polled[index].revents & Int16(POLLIN) != 0 else {
            // The kernel does not have the controller any more.
            polled[index].fd = -1
            return radio.remove(index)
        }
        for _ in 0..<packetsAtOnce {
            guard let count = attachments[index].read(into: buffer) else { return }
            radio.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), from: index)
        }
    }

    private static func time(_ clock: clockid_t) -> Instant {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * Span.second + time.tv_nsec
    }
}
