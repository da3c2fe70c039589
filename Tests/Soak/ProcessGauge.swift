import BluetoothLab
import Foundation

/// What a process holds at a moment.
struct ProcessGauge {
    /// Memory that it has written to, in KiB: what it would keep if it leaked.
    let memory: Int
    let descriptors: Int
    let threads: Int

    /// Throws a ``LabError`` when there is no such process.
    init(of process: Int32) throws {
        let folder = "/proc/\(process)"
        guard let entries = try? FileManager.default.contentsOfDirectory(atPath: folder + "/fd"),
            let memory = Self.number(after: "Anonymous:", in: folder + "/smaps_rollup"),
            let threads = Self.number(after: "Threads:", in: folder + "/status")
        else { throw LabError("process \(process) is not there") }
        self.memory = memory
        self.threads = threads
        descriptors = entries.count
    }

    private static func number(after label: String, in file: String) -> Int? {
        // The size of such a file is not known before it is read, so that String(contentsOfFile:) would read too
        // little.
        guard let data = try? FileHandle(forReadingFrom: URL(fileURLWithPath: file)).readToEnd() else { return nil }
        let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(label) }
        return line?.dropFirst(label.count).split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
    }
}

/// What a program held at the end of each round.
struct Growth {
    let name: String
    private(set) var gauges: [ProcessGauge] = []

    /// Rounds from which on growth can be distinguished from a program's warming up.
    static let roundsNeeded = 8
    /// KiB that the mean of the last rounds may be above that of the first ones: what allocators keep varies by this
    /// much.
    static let memoryTolerance = 512

    /// Threads that there may be more in the end: those of the system's pool come and go.
    static let threadTolerance = 2

    init(of name: String) { self.name = name }

    mutating func add(_ gauge: ProcessGauge) { gauges.append(gauge) }

    var last: String {
        guard let gauge = gauges.last else { return name }
        return "\(name) \(gauge.memory) KiB, \(gauge.descriptors) descriptors, \(gauge.threads) threads"
    }

    /// What has grown; empty when nothing has, or too few rounds are there to say.
    var faults: [String] {
        guard gauges.count >= Self.roundsNeeded else { return [] }
        let quarter = gauges.count / 4
        func mean(_ gauges: ArraySlice<ProcessGauge>, _ value: (ProcessGauge) -> Int) -> Int {
            gauges.map(value).reduce(0, +) / max(gauges.count, 1)
        }
        let (early, late) = (gauges[quarter..<2 * quarter], gauges.suffix(quarter))
        var faults: [String] = []
        let memory = mean(late, \.memory) - mean(early, \.memory)
        if memory > Self.memoryTolerance {
            let course = gauges.map { "\($0.memory)" }.joined(separator: " ")
            faults.append("\(name) has grown by \(memory) KiB: \(course)")
        }
        let counts = [("descriptors", \ProcessGauge.descriptors, 0), ("threads", \.threads, Self.threadTolerance)]
        for (what, value, tolerance) in counts {
            let before = early.map { $0[keyPath: value] }.max() ?? 0
            let after = late.map { $0[keyPath: value] }.min() ?? 0
            if after > before + tolerance { faults.append("\(name) has \(after) \(what), and had \(before)") }
        }
        return faults
    }
}
