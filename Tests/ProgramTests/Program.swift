import BluetoothLab
import Foundation
import MainLoop
import Synchronization
import TestSupport

/// The programs as they were built, each in a process and with folders of its own, on a fake bluetoothd.
struct Programs {
    /// What a program's standard output or error is.
    enum Stream {
        /// The test reads it.
        case read
        /// Nobody reads it, until the test does.
        case stuck(StuckReader)
        /// Each write fails: the device is full.
        case full
        /// It is closed.
        case closed
    }

    let folder: TemporaryFolder
    /// Where bluetoothd is.
    private let address: String

    init(on daemon: FakeBluetoothd? = nil) throws {
        // Typing to a program that has just ended fails, and does not end the tests.
        signal(SIGPIPE, SIG_IGN)
        address = daemon?.bus.address ?? "unix:path=/nowhere/bus"
        folder = try TemporaryFolder()
    }

    /// Within what time a program ends after a signal, whatever it waits for.
    static let interruptionLimit = Duration.seconds(2)

    /// The control socket of the sensor.
    var socket: String { folder.path + "/dittojay.sock" }

    func run(
        _ words: String..., output: Stream = .read, error: Stream = .read, hasInput: Bool = true
    ) throws -> ChildProcess {
        try run(words, output: output, error: error, hasInput: hasInput)
    }

    /// - Parameters:
    ///   - words: the program and its arguments.
    ///   - environment: what else is in the program's environment.
    func run(
        _ words: [String], output: Stream = .read, error: Stream = .read, hasInput: Bool = true,
        environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let redirections = redirection(">", output) + redirection("2>", error) + (hasInput ? "" : " <&-")
        return try ChildProcess(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\"" + redirections, try Self.path(of: words[0])] + words.dropFirst(),
            environment: surroundings.merging(environment) { $1 })
    }

    /// Runs a program in a terminal.
    func runInTerminal(_ words: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            inTerminal: try Self.path(of: words[0]), Array(words.dropFirst()),
            environment: surroundings.merging(environment) { $1 })
    }

    private var surroundings: [String: String] {
        [
            "DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": folder.path,
            "XDG_STATE_HOME": folder.path, "HOME": folder.path, "DITTOJAY_SOCKET": socket, "BLUETOOTH_ADAPTER": "",
            "DITTOJAY_ADAPTER": "", "BLUEJAY_LOG": "", "DITTOJAY_LOG": "",
        ]
    }

    private func redirection(_ sign: String, _ stream: Stream) -> String {
        switch stream {
        case .read: ""
        case .stuck(let reader): " \(sign)'\(reader.path)'"
        case .full: " \(sign)/dev/full"
        case .closed: " \(sign)&-"
        }
    }

    /// Beside the tests, where they were built.
    private static func path(of program: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(program).path
    }
}

/// The reader of a pipe that does not read until it is asked to.
final class StuckReader: Sendable {
    let path: String
    private let descriptor: Int32
    private let isOpen = Mutex(true)

    private struct NoPipe: Error {}

    init(in programs: Programs) throws {
        path = programs.folder.path + "/pipe-\(UUID().uuidString)"
        guard mkfifo(path, 0o600) == 0 else { throw NoPipe() }
        // Without waiting for a writer.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw NoPipe() }
        // One page: soon full.
        let setPipeSize: Int32 = 1031  // F_SETPIPE_SZ
        _ = fcntl(descriptor, setPipeSize, 4096)
    }

    deinit { close() }

    /// How many bytes are in the pipe.
    var waiting: Int {
        var count: Int32 = 0
        let bytesToRead: UInt = 0x541B  // FIONREAD
        return ioctl(descriptor, bytesToRead, &count) == 0 ? Int(count) : 0
    }

    /// A writer finds no reader after this.
    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { Foundation.close(descriptor) }
    }

    /// Reads what follows, until the other end is closed, a line contains `text`, or nothing comes for 20 s.
    func lines(through text: String? = nil) async -> [String] {
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var (lines, line): ([String], [UInt8]) = ([], [])
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                reading: while true {
                    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    guard poll(&poller, 1, 20_000) > 0 else { break }
                    let count = read(descriptor, &buffer, buffer.count)
                    guard count > 0 else { break }
                    for byte in buffer[..<count] {
                        guard byte == UInt8(ascii: "\n") else {
                            line.append(byte)
                            continue
                        }
                        lines.append(String(decoding: line, as: UTF8.self))
                        line = []
                        if let text, lines[lines.count - 1].contains(text) { break reading }
                    }
                }
                continuation.resume(returning: lines)
            }
        }
    }
}

extension FakeBluetoothd {
    /// A device that is near, and pairs in a way.
    @LoopActor
    func addLock(_ pairing: FakeDevice.Pairing, name: String = "Lock") -> FakeDevice {
        let device = adapter.addDevice("C0:00:00:00:00:01", name: name)
        device.pairing = pairing
        return device
    }
}
