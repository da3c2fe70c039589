import CoreBluetooth
import MainLoop
import PlainText
import Posix
import Synchronization

/// Copies standard input to a channel, and the channel to standard output, each on a thread of its own. Whoever is slow
/// holds the other side up.
final class ChannelCopy: Swift.Sendable {
    enum End: Swift.Sendable {
        /// So much has come as was asked for, or the input has ended and nothing comes any longer.
        case done
        case closedByDevice
        case outputFailed(String)
        case inputFailed(String)
        case channelFailed(any Error)
    }

    private struct Counts {
        var sent = 0
        var received = 0
        /// When something has come last, or the input has ended.
        var lastNews = ContinuousClock.now
        var isInputAtEnd = false
        var end: ContinuousClock.Instant?
    }

    private let channel: CBL2CAPChannel
    private let wanted: Int?
    private let linger: Duration
    private let outcome = FirstOutcome<End>()
    private let counts = Mutex(Counts())
    private let begin = ContinuousClock.now

    private static let size = 16 << 10

    /// - Parameters:
    ///   - wanted: ends when this many bytes have come.
    ///   - linger: ends when nothing has come for this many seconds after the end of the input.
    init(_ channel: CBL2CAPChannel, receiving wanted: Int?, linger: Double) {
        self.channel = channel
        self.wanted = wanted
        self.linger = .seconds(linger)
    }

    var received: Int { counts.withLock(\.received) }

    /// For people: `sent 4 bytes and received 4 bytes in 0.10 s`.
    var summary: String {
        let (sent, received, end) = counts.withLock { ($0.sent, $0.received, $0.end ?? .now) }
        let seconds = (end - begin).inSeconds
        return "sent \(counted(sent, "byte")) and received \(counted(received, "byte")) in "
            + "\(fixedPoint(seconds, places: 3)) s"
    }

    /// Copies until there is an end. The threads may go on to wait for input or output after it.
    func run() async -> End {
        channel.inputStream.open()
        channel.outputStream.open()
        for (name, body) in [("l2cap-send", send), ("l2cap-receive", receive)] {
            let thread = Thread(block: body)
            thread.name = name
            thread.start()
        }
        let end = await outcome.value()
        counts.withLock { $0.end = .now }
        return end
    }

    @Sendable private func send() {
        var buffer = [UInt8](repeating: 0, count: Self.size)
        let output: OutputStream = channel.outputStream
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count < 0 { return outcome.report(.inputFailed(SystemError.reason())) }
                return inputHasEnded()
            }
            var sent = 0
            while sent < count {
                let written = buffer.withUnsafeBufferPointer { bytes in
                    bytes.baseAddress.map { output.write($0 + sent, maxLength: count - sent) } ?? -1
                }
                // Why is found out while receiving, after what has come before.
                guard written > 0 else { return }
                sent += written
                counts.withLock { $0.sent += written }
            }
        }
    }

    private func inputHasEnded() {
        counts.withLock { ($0.isInputAtEnd, $0.lastNews) = (true, .now) }
        if wanted == nil { checkSilence() }
    }

    private func checkSilence() {
        let quiet = counts.withLock { ContinuousClock.now - $0.lastNews }
        guard quiet < linger else { return outcome.report(.done) }
        let rest = linger - quiet
        DispatchQueue.global().asyncAfter(deadline: .now() + rest.inSeconds) { [self] in checkSilence() }
    }

    @Sendable private func receive() {
        var buffer = [UInt8](repeating: 0, count: Self.size)
        let input: InputStream = channel.inputStream
        while true {
            let room = wanted.map { min($0 - received, buffer.count) } ?? buffer.count
            let count = input.read(&buffer, maxLength: room)
            guard count > 0 else {
                return outcome.report(input.streamError.map { .channelFailed($0) } ?? .closedByDevice)
            }
            counts.withLock { counts in
                counts.received += count
                counts.lastNews = .now
            }
            guard write(buffer[..<count]) else { return }
            if let wanted, received >= wanted { return outcome.report(.done) }
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // A reader that has closed the pipe wants nothing further.
                outcome.report(errno == EPIPE ? .done : .outputFailed(SystemError.reason()))
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
