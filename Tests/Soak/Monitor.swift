import BluetoothLab

/// `bluejay monitor` on the lab's second controller.
final class Monitor {
    let process: ChildProcess
    /// Lines that were looked through, and values among them.
    private var counted = (lines: 0, heartRates: 0, chirps: 0)

    private static func event(_ name: String) -> String { "\"event\":\"\(name)\"" }
    private static let (heartRate, chirp) = (event("heart-rate"), event("chirp"))

    init() throws {
        process = try ChildProcess("bluejay", ["monitor", "--json", "--adapter", Lab.centralAdapter])
    }

    /// How many lines it has printed: where to look for what comes later.
    var position: Int { process.lines.count }

    /// How many values it has shown.
    var received: Int {
        count()
        return counted.heartRates + counted.chirps
    }

    /// How many of them were chirps.
    var chirps: Int {
        count()
        return counted.chirps
    }

    private func count() {
        let new = process.lines.dropFirst(counted.lines)
        counted.lines += new.count
        for line in new {
            if line.contains(Self.heartRate) { counted.heartRates += 1 }
            if line.contains(Self.chirp) { counted.chirps += 1 }
        }
    }

    /// The last lines, for messages.
    var tail: String { process.lines.suffix(50).joined(separator: "\n") }

    func hasPrinted(_ text: String, from start: Int) -> Bool {
        process.lines.dropFirst(start).contains { $0.contains(text) }
    }

    /// Waits for a value.
    func value(from start: Int = 0, within timeout: Duration) async throws {
        _ = try await index(of: "heart-rate", from: start, within: timeout)
    }

    /// Waits until so many chirps have come in all.
    func chirps(_ number: Int, within timeout: Duration) async throws {
        let deadline = ContinuousClock.now + timeout
        while chirps < number {
            _ = try await index(of: "chirp", from: counted.lines, within: max(deadline - .now, .milliseconds(1)))
        }
    }

    /// Waits for the report that the connection has ended, or that Bluetooth is off.
    func down(from start: Int, within timeout: Duration) async throws {
        let signs = [Self.event("disconnected"), Self.event("bluetooth-off")]
        _ = try await explained {
            try await process.index(ofLineWith: "the loss", from: start, within: timeout) { line in
                signs.contains { line.contains($0) }
            }
        }
    }

    /// Waits for a value after the next connection.
    func valueOfNewConnection(from start: Int, within timeout: Duration) async throws {
        let connection = try await index(of: "connected", from: start, within: timeout)
        try await value(from: connection, within: timeout)
    }

    private func index(of event: String, from start: Int, within timeout: Duration) async throws -> Int {
        let sign = Self.event(event)
        return try await explained {
            try await process.index(ofLineWith: sign, from: start, within: timeout) { $0.contains(sign) }
        }
    }

    /// The transcript of a soak is too long for a message.
    private func explained(_ body: () async throws -> Int) async throws -> Int {
        do { return try await body() } catch {
            throw LabError("nothing of that kind in the last lines of bluejay, and \(process.outcome):\n\(tail)")
        }
    }

    func stop() async throws {
        let status = try await process.interrupt()
        // Interrupted while it goes on, as monitor is meant to be ended.
        guard status == 0 || status == 130 else { throw LabError("bluejay ended with \(status):\n\(tail)") }
    }
}
