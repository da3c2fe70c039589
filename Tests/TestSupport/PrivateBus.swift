import BluetoothLab
package import DBus
import Foundation
package import MainLoop
import Posix
import Synchronization

/// A message bus of a test's own: a dbus-daemon that dies with this object.
package final class PrivateBus: Sendable {
    package let address: String
    private let daemon: pid_t
    private let shell: LaunchedProgram
    private let hasEnded = Mutex(false)
    private let input: FileHandle
    private let folder: TemporaryFolder

    private struct NotStarted: Error {
        let log: String
    }

    /// What libdbus only warns of shall end the tests, too.
    private static let warningsAreFatal: Void = { setenv("DBUS_FATAL_WARNINGS", "1", 1) }()

    /// Not isolated, so that starting a process does not hold up the bus's loop. It blocks its thread, and there are as
    /// many threads as processors: so no more tests than that begin at a time.
    ///
    /// - Parameter rules: what the policy says besides allowing everything.
    package static func start(rules: String = "") async throws -> PrivateBus {
        _ = warningsAreFatal
        return try PrivateBus(rules: rules)
    }

    private init(rules: String) throws {
        folder = try TemporaryFolder()
        let config = folder.url.appendingPathComponent("bus.conf")
        let text = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:dir=\(folder.path)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
                \(rules)
              </policy>
            </busconfig>
            """
        try text.write(to: config, atomically: true, encoding: .utf8)

        // The shell ends the daemon when its input ends: so it goes with this process, however that ends.
        var environment = ProcessInfo.processInfo.environment
        environment["DBUS_FATAL_WARNINGS"] = nil
        let (input, output) = (try ProcessPipe(), try ProcessPipe())
        let log = folder.url.appendingPathComponent("log")
        shell = try LaunchedProgram(
            [
                "/bin/sh", "-c",
                "dbus-daemon --config-file=\"$0\" --nofork --print-address=1 --print-pid=1 & exec >/dev/null; cat; "
                    + "kill -9 $!; wait",
                config.path,
            ],
            environment: environment, input: .descriptor(input.reading.fileDescriptor),
            output: .descriptor(output.writing.fileDescriptor), errors: .endOfFile(log.path))
        self.input = input.writing
        for handle in [input.reading, output.writing] { try? handle.close() }
        var printed = Data()
        while printed.count(where: { $0 == UInt8(ascii: "\n") }) < 2 {
            let part = output.reading.arrived()
            guard !part.isEmpty else { throw NotStarted(log: (try? String(contentsOf: log, encoding: .utf8)) ?? "") }
            printed += part
        }
        let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n")
        guard let number = pid_t(lines[1]) else { throw NotStarted(log: String(lines[1])) }
        address = String(lines[0])
        daemon = number
    }

    deinit {
        let shell = shell
        if end() { Thread { shell.reap() }.start() }
    }

    /// Ends the daemon as a crash would, and waits until it has ended.
    package func kill() {
        if end() { shell.reap() }
    }

    /// - Returns: whether it has not been called before: then the shell is to be reaped, and only then.
    private func end() -> Bool {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        guard isFirst else { return false }
        Foundation.kill(daemon, SIGKILL)
        try? input.close()
        return true
    }

    /// Stops the daemon for a while, so that it takes nothing; nothing is lost.
    package func freeze() { Foundation.kill(daemon, SIGSTOP) }
    package func thaw() { Foundation.kill(daemon, SIGCONT) }

    @LoopActor
    package func connect() throws(BusError) -> BusConnection {
        try BusConnection(address: address)
    }
}

extension BusConnection {
    /// Returns when a program on the bus has taken all that this connection sent it before.
    ///
    /// - Parameter client: its unique name.
    package func fence(with client: String) async throws {
        _ = try await call(
            MethodCall(
                destination: client, path: .root, interface: "org.freedesktop.DBus.Peer", method: "Ping"))
    }

    /// Whether anybody has this name.
    func hasOwner(_ name: String) async throws -> Bool {
        try await call(
            MethodCall(
                destination: "org.freedesktop.DBus", path: path("/org/freedesktop/DBus"),
                interface: "org.freedesktop.DBus", method: "NameHasOwner", arguments: [.string(name)])
        ).first()
    }

    /// Returns when the bus has handled all that this connection sent before, and this connection has handled all that
    /// the bus sent before that.
    package func fence() async throws {
        _ = try await call(
            MethodCall(
                destination: "org.freedesktop.DBus", path: path("/org/freedesktop/DBus"),
                interface: "org.freedesktop.DBus", method: "GetId"))
    }
}

/// A path that is known to be one.
package func path(_ string: String) -> ObjectPath {
    ObjectPath(string) ?? .root
}

/// A signature that is known to be one.
package func signature(_ string: String) -> Signature {
    Signature(string) ?? Signature("")!
}
