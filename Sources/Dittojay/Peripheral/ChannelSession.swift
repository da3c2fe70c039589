import CoreBluetooth

/// What happens on one open L2CAP channel. Used on the peripheral's queue only.
// @unchecked: all of it is only used on `queue`.
final class ChannelSession: NSObject, StreamDelegate, @unchecked Swift.Sendable {
    /// Called once, with an error if the link was lost.
    var onEnd: (((any Error)?) -> Void)?
    private(set) var received = 0
    private(set) var sent = 0

    private let channel: CBL2CAPChannel
    private let mode: ChannelProfile.Mode
    private let queue: DispatchQueue
    private let file: ChannelFile?
    /// What is to be sent.
    private var waiting: [UInt8] = []
    private var nextNumber: UInt32 = 0
    /// How many bytes of the counter, or of the file, were put into ``waiting``.
    private var produced = 0
    private var isSourceUsedUp = false
    private var isOver = false
    private var input: [UInt8]

    /// How much waits to be sent at most, in bytes.
    private static let room = 16 << 10
    /// How much is done before the queue's other work has its turn, in rounds.
    private static let roundsPerTurn = 16

    init(_ channel: CBL2CAPChannel, _ profile: ChannelProfile, queue: DispatchQueue) throws(ChannelFileError) {
        self.channel = channel
        mode = profile.mode
        self.queue = queue
        input = [UInt8](repeating: 0, count: Self.room)
        if case .file(let path) = mode {
            file = try ChannelFile(path, within: profile.folder)
        } else {
            file = nil
        }
    }

    func start() {
        channel.inputStream.delegate = self
        channel.outputStream.delegate = self
        channel.schedule(on: queue)
        // What is not to be read must not hold up the report of the end.
        if mode != .stall { channel.inputStream.open() }
        channel.outputStream.open()
    }

    /// Closes the channel.
    func end(_ error: (any Error)?) {
        guard !isOver else { return }
        isOver = true
        channel.inputStream.close()
        channel.outputStream.close()
        let ended = onEnd
        onEnd = nil
        ended?(error)
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable, .hasSpaceAvailable: work()
        case .endEncountered: end(nil)
        case .errorOccurred: end(stream.streamError)
        default: break
        }
    }

    /// Receives and sends as far as that is possible now.
    private func work() {
        for _ in 0..<Self.roundsPerTurn {
            guard !isOver else { return }
            let hasReceived = receive()
            produce()
            let hasSent = send()
            if isSourceUsedUp, waiting.isEmpty { return end(nil) }
            guard hasReceived || hasSent else { return }
        }
        queue.async { [weak self] in self?.work() }
    }

    private func receive() -> Bool {
        guard mode != .stall, mode != .echo || waiting.isEmpty, channel.inputStream.hasBytesAvailable else {
            return false
        }
        let count = channel.inputStream.read(&input, maxLength: input.count)
        guard count > 0 else { return false }
        received += count
        if mode == .echo { waiting.append(contentsOf: input[..<count]) }
        return true
    }

    private func produce() {
        guard waiting.isEmpty, !isSourceUsedUp else { return }
        switch mode {
        case .echo, .discard, .stall: break
        case .counter(let limit):
            while waiting.count < Self.room {
                withUnsafeBytes(of: nextNumber.littleEndian) { waiting.append(contentsOf: $0) }
                nextNumber &+= 1
            }
            if let limit {
                waiting.removeLast(max(0, produced + waiting.count - limit))
                isSourceUsedUp = produced + waiting.count == limit
            }
            produced += waiting.count
        case .file:
            waiting = file?.read(upToCount: Self.room) ?? []
            isSourceUsedUp = waiting.isEmpty
        }
    }

    private func send() -> Bool {
        guard !waiting.isEmpty, channel.outputStream.hasSpaceAvailable else { return false }
        let count = channel.outputStream.write(waiting, maxLength: waiting.count)
        guard count > 0 else {
            end(channel.outputStream.streamError)
            return false
        }
        sent += count
        waiting.removeFirst(count)
        return true
    }
}
