import Foundation
import Logging
import MainLoop
import PlainText
import Posix

/// One program that is connected to the control socket. Its requests are answered in order, the next one only once the
/// program has taken the answer.
final class ControlPeer {
    /// Decides whether the connection may follow the events: returns why not, or nil.
    var admission: (() -> String?)?
    /// The id of the peripheral that a request for events names.
    var peripheralID: (_ name: String) throws(DittojayError) -> String = { $0 }
    /// Called once when the connection is closed, by either side.
    var onClose: (() -> Void)?
    /// When the program last sent something or took part of an answer.
    private(set) var lastActivity: Double

    private let clock: any Clock
    private let connection: ServerConnection
    private let handler: ControlServer.Handler
    /// Active while the socket has no room for the rest of an answer. It has a copy of the descriptor.
    private var room: DescriptorWatch?
    private var lines = LineSplitter(limit: ControlRequest.maximumLength)
    /// Requests that wait for the answer to the one before.
    private var waiting: [Result<AddressedRequest, ControlRequest.ParsingError>] = []
    /// What is left of the answer.
    private var output = SendBuffer()
    /// Whether the program has asked for the events.
    private(set) var isFollowing = false
    /// The id of the peripheral whose events it has asked for; nil for all.
    private var followedPeripheral: String?
    /// How many events the program has missed since the last one it got, because it did not read.
    private var missedEvents = 0
    private var isBusy = false
    /// Whether the program will send nothing more.
    private var hasEnded = false

    /// How many requests may wait before reading pauses.
    private static let waitingLimit = 16
    /// How many bytes of events may wait for the program: some 1,000 events.
    static let eventCapacity = 1 << 18

    init(_ connection: ServerConnection, clock: any Clock, handler: @escaping ControlServer.Handler) {
        self.clock = clock
        lastActivity = clock.now
        self.connection = connection
        self.handler = handler
        let copy = fcntl(connection.descriptor, F_DUPFD_CLOEXEC, 0)
        if copy >= 0 { room = DescriptorWatch(copy, for: .writable, queue: clock.queue) { self.flush() } }
        connection.onReadable = { self.read() }
        connection.onClose = {
            self.room?.cancel()
            self.room = nil
            self.onClose?()
        }
    }

    /// Whether a request is being carried out, or events are awaited. Otherwise the connection waits for the program at
    /// its other end.
    var isCarryingOut: Bool { isBusy || isFollowing }

    func close() { connection.close() }

    // MARK: Requests

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(connection.descriptor, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count >= 0 else { return close() }
        lastActivity = clock.now
        guard count > 0 else {
            // Requests that wait are answered all the same: the other end may still read.
            hasEnded = true
            connection.suspendReading()
            return processNextRequest()
        }
        for line in lines.append(buffer[..<count]) {
            switch line {
            case .line(let bytes):
                if bytes.isEmpty { continue }
                do throws(ControlRequest.ParsingError) {
                    waiting.append(.success(try AddressedRequest(line: bytes)))
                } catch {
                    waiting.append(.failure(error))
                }
            case .tooLong:
                waiting.append(
                    .failure(.init(description: "request too long (limit \(ControlRequest.maximumLength) bytes)")))
            }
        }
        processNextRequest()
        if waiting.count > Self.waitingLimit { connection.suspendReading() }
    }

    /// Carries out the requests that wait, as long as the answers are taken.
    private func processNextRequest() {
        while !isBusy, output.isEmpty, !waiting.isEmpty, connection.isOpen {
            isBusy = true
            switch waiting.removeFirst() {
            case .failure(let error): answer(ControlReply(error: error.description))
            case .success(let request) where request.request == .version: answer(.version)
            case .success(let request) where request.request == .events: follow(request.peripheral)
            case .success(let request):
                logger.trace("request", metadata: ["request": "\(request)"])
                handler(request) { [weak self] reply in
                    self?.answer(reply)
                    self?.processNextRequest()
                }
            }
        }
        guard waiting.isEmpty, !isBusy, output.isEmpty else { return }
        if hasEnded { return close() }
        connection.resumeReading()
    }

    // MARK: Events

    private func follow(_ peripheral: String?) {
        if !isFollowing, let obstacle = admission?() { return answer(ControlReply(error: obstacle)) }
        do throws(DittojayError) {
            followedPeripheral = if let peripheral { try peripheralID(peripheral) } else { nil }
        } catch {
            return answer(ControlReply(error: error.description))
        }
        answer(.version)
        isFollowing = true
    }

    /// Whether the program has asked for the events of a peripheral.
    ///
    /// - Parameter peripheral: its id; nil if it is the only one.
    func follows(_ peripheral: String?) -> Bool {
        isFollowing && (followedPeripheral == nil || peripheral == nil || followedPeripheral == peripheral)
    }

    /// Sends an event to a program that follows them. It misses what it does not read in time, and gets the number of
    /// missed events instead.
    ///
    /// - Parameter line: with its end.
    func send(event line: [UInt8]) {
        guard isFollowing, connection.isOpen else { return }
        guard missedEvents == 0, output.count + line.count <= Self.eventCapacity else {
            missedEvents += 1
            return
        }
        put(line)
    }

    /// Sends the number of missed events in their place.
    private func reportMissedEvents() {
        guard missedEvents > 0 else { return }
        let notice = PeripheralEvent.notice(ofDropped: missedEvents)
        missedEvents = 0
        put(Array((notice.text + "\n").utf8))
    }

    // MARK: Answers

    private func answer(_ reply: ControlReply) {
        guard isBusy, connection.isOpen else { return }
        isBusy = false
        let line = reply.line
        logger.trace("answer", metadata: ["answer": "\(line)"])
        put(Array((line + "\n").utf8))
    }

    /// Sends bytes, after those that are already waiting.
    private func put(_ bytes: [UInt8]) {
        let isWaiting = !output.isEmpty
        output.append(bytes)
        guard !isWaiting else { return }
        send()
        if !output.isEmpty { room?.resume() }
    }

    private func flush() {
        send()
        guard output.isEmpty else { return }
        room?.suspend()
        reportMissedEvents()
        processNextRequest()
    }

    /// Sends as much of the answer as the socket takes.
    private func send() {
        guard connection.isOpen else { return }
        let waiting = output.count
        let outcome = output.send(to: connection.descriptor)
        if output.count < waiting { lastActivity = clock.now }
        // Without a watch nobody would say when there is room again.
        if outcome == .failed || (outcome == .isFull && room == nil) { close() }
    }
}
