import Glibc
import Posix
import VirtualRadio

/// A file of packets in the air, in the format pcap with nanoseconds, for Wireshark.
final class CaptureFile {
    private let descriptor: Int32
    /// When the radio's time began, in nanoseconds since 1970.
    private let begin: Int

    init(_ path: String, begin: Int) throws(SystemError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemError("cannot write \(path)") }
        self.begin = begin
        // Magic number, version 2.4, two unused numbers, most bytes of a packet, link type.
        write([0xA1B2_3C4D, 2 | 4 << 16, 0, 0, 1 << 16, 256], [])
    }

    deinit {
        close(descriptor)
    }

    func add(_ packet: [UInt8], at time: Instant) {
        let time = begin + time
        write([time / Span.second, time % Span.second, packet.count, packet.count], packet)
    }

    /// Writes numbers of 32 bits and bytes at once, so that the file is always whole. What a full disk does not take is
    /// lost.
    private func write(_ numbers: [Int], _ content: [UInt8]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * 4 + content.count)
        for number in numbers {
            for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
        }
        bytes += content
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
