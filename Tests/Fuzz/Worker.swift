import Foundation
import MainLoop

/// Where a worker is: memory that it shares with the process that watches it.
struct Progress {
    /// The input that is being taken.
    var index: UInt64 = 0
    /// Milliseconds of processor time that the slowest input took, and which that was.
    var slowestTime: UInt64 = 0
    var slowest: UInt64 = 0

    /// Maps a file that exists.
    static func map(_ path: String) -> UnsafeMutablePointer<Progress>? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = MemoryLayout<Progress>.size
        guard ftruncate(descriptor, off_t(size)) == 0,
            let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else { return nil }
        return memory.bindMemory(to: Progress.self, capacity: 1)
    }

    static func unmap(_ progress: UnsafeMutablePointer<Progress>) {
        munmap(progress, MemoryLayout<Progress>.size)
    }
}

/// A process that takes one input after another until one of them breaks it.
struct Worker {
    /// How a worker ends that is not killed.
    enum Ending: Int32 {
        case done = 0
        /// A promise was broken.
        case failed = 10
        /// An input took too long.
        case slow = 11
        /// Memory was kept.
        case grown = 12
    }

    let target: FuzzTarget
    let seed: UInt64
    let range: Range<Int>
    let progress: UnsafeMutablePointer<Progress>

    /// Bytes of memory that a worker may have.
    private static let memoryLimit = 1 << 30
    /// Bytes of memory that a worker may keep, after a part of its inputs.
    private static let growthLimit = 48 << 20
    /// Seconds of processor time for one input.
    private static let timeLimit = 5.0

    func run() -> Ending {
        var limit = rlimit(rlim_cur: rlim_t(Self.memoryLimit), rlim_max: rlim_t(Self.memoryLimit))
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        var core = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
        let warm = range.lowerBound + range.count / 4
        var base = 0
        for index in range {
            progress.pointee.index = UInt64(index)
            var dice = Dice(seed: seed, target: target.name, index: index)
            let begin = Self.processorTime()
            do {
                try target.run(try target.generate(&dice))
            } catch {
                say("\(error)")
                return .failed
            }
            let time = Self.processorTime() - begin
            if time * 1000 > Double(progress.pointee.slowestTime) {
                progress.pointee.slowestTime = UInt64(time * 1000)
                progress.pointee.slowest = UInt64(index)
            }
            if time > Self.timeLimit { return .slow }
            // What is closed is closed on the loop.
            if index % 256 == 0 { MainLoop.shared.sync {} }
            if index == warm { base = Self.residentMemory() }
        }
        MainLoop.shared.sync {}
        let growth = Self.residentMemory() - base
        guard base == 0 || range.count < 2000 || growth < Self.growthLimit else {
            say("memory has grown by \(growth >> 20) MiB")
            return .grown
        }
        return .done
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func residentMemory() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let fields = text.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
    }
}
