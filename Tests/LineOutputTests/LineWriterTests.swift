import Foundation
import Synchronization
import Testing

@testable import LineOutput

@Suite(.timeLimit(.minutes(5)))
struct LineWriterTests {
    @Test func `lines come out in order, whole, whatever their number`() async throws {
        let pipe = try TestPipe()
        let writer = LineWriter(descriptor: pipe.writingEnd, queue: pipe.queue)
        pipe.queue.async {
            for number in 0..<30_000 { writer.write("line \(number)") }
            // Closed when all is written: the reader's end.
            writer.finish(within: nil) { error in
                #expect(error == nil)
                pipe.closeWritingEnd()
            }
        }
        #expect(pipe.readToEnd() == Array((0..<30_000).map { "line \($0)\n" }.joined().utf8))
        #expect(pipe.queue.sync { writer.droppedLines } == 0)
    }

    @Test
    func
        `a reader that stops holds nobody up; what waits is bounded, the rest is counted, and a line says so in its place`()
        async throws
    {
        let pipe = try TestPipe()
        pipe.fill()
        let writer = LineWriter(descriptor: pipe.writingEnd, capacity: 10_000, queue: pipe.queue)
        let overflows = Mutex<[OutputError]>([])
        let written = 5000
        let dropped = pipe.queue.sync {
            writer.dropNotice = { "dropped \($0)" }
            writer.onOverflow = { error in overflows.withLock { $0.append(error) } }
            for number in 0..<written {
                writer.write("line \(number)")
                writer.flush()
            }
            return writer.droppedLines
        }
        // 1,000 lines of 8,890 bytes, and 111 of 10.
        #expect(dropped == written - 1111)
        #expect(overflows.withLock { $0 } == [OutputError(.tooMuchWaits(limit: 10_000))])
        _ = pipe.readLines { _ in true }
        let lines = pipe.readLines { $0.hasPrefix("dropped") }
        #expect(lines.last == "dropped \(dropped)")
        #expect(lines.dropLast() == (0..<(written - dropped)).map { "line \($0)" }[...])
        pipe.queue.sync { writer.write("after") }
        #expect(pipe.readLines { _ in true } == ["after"])
        #expect(await pipe.finish(writer) == nil)
    }

    @Test
    func `the end waits for a slow reader, and for one that has stopped only as long as allowed`() async throws {
        let pipe = try TestPipe()
        let writer = LineWriter(descriptor: pipe.writingEnd, queue: pipe.queue)
        pipe.queue.sync { for _ in 0..<1000 { writer.write("0123456789") } }
        // Without a limit this would never return.
        let loss = try #require(await pipe.finish(writer, within: .milliseconds(50)))
        guard case .notTaken(let bytes) = loss.reason else {
            Issue.record("\(loss)")
            return
        }
        #expect(bytes > 0 && bytes < 11_000)
        async let end = pipe.finish(writer)
        #expect(pipe.read(11_000).count == 11_000)
        #expect(await end == nil)
    }

    @Test func `a reader that has ended is reported once, and what follows is dropped`() async throws {
        let pipe = try TestPipe()
        let writer = LineWriter(descriptor: pipe.writingEnd, queue: pipe.queue)
        let failures = Mutex<[OutputError]>([])
        pipe.closeReadingEnd()
        pipe.queue.sync {
            writer.onFailure = { error in failures.withLock { $0.append(error) } }
            writer.write("one")
        }
        #expect(await pipe.finish(writer)?.isByTheReader == true)
        pipe.queue.sync { writer.write("two") }
        #expect(await pipe.finish(writer)?.isByTheReader == true)
        #expect(failures.withLock { $0 } == [OutputError(.failed(EPIPE))])
    }

    @Test func `what a full device or a closed descriptor refuses is a loss`() async throws {
        let pipe = try TestPipe()
        let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
        let readOnly = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for descriptor in [device, readOnly] { close(descriptor) } }
        for (descriptor, code) in [(device, ENOSPC), (readOnly, EBADF)] {
            let writer = LineWriter(descriptor: descriptor, queue: pipe.queue)
            pipe.queue.sync { writer.write("one") }
            let loss = await pipe.finish(writer)
            #expect(loss == OutputError(.failed(code)))
            #expect(loss?.isByTheReader == false)
        }
        #expect(OutputError(.failed(ENOSPC)).description.contains("No space left"))
        #expect(OutputError(.failed(EBADF)).description.contains("closed"))
    }

    @Test func `a regular file takes everything`() async throws {
        let path = NSTemporaryDirectory() + "lines-\(UUID().uuidString)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        defer {
            close(descriptor)
            unlink(path)
        }
        let pipe = try TestPipe()
        let writer = LineWriter(descriptor: descriptor, queue: pipe.queue)
        pipe.queue.sync { for number in 0..<10_000 { writer.write("\(number)") } }
        #expect(await pipe.finish(writer) == nil)
        #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == 10_000)
    }

    @Test func `the end waits longer for a late thread than for a reader`() async throws {
        let pipe = try TestPipe()
        let late = LateQueue()
        let writer = LineWriter(
            BackgroundWriter(descriptor: pipe.writingEnd, capacity: 1000, queue: late.queue), queue: pipe.queue)
        pipe.queue.sync { writer.write("a line") }
        let start = ContinuousClock.now
        #expect(await pipe.finish(writer, within: .milliseconds(20)) != nil)
        #expect(ContinuousClock.now - start >= .milliseconds(20) * BackgroundWriter.maximumTurns)
        late.resume()
        #expect(await pipe.finish(writer) == nil)
        #expect(pipe.readLines { _ in true } == ["a line"])
    }

    @Test func `a descriptor that others made non-blocking loses nothing`() async throws {
        let pipe = try TestPipe()
        _ = fcntl(pipe.writingEnd, F_SETFL, fcntl(pipe.writingEnd, F_GETFL) | O_NONBLOCK)
        let writer = LineWriter(descriptor: pipe.writingEnd, queue: pipe.queue)
        pipe.queue.sync { for _ in 0..<2000 { writer.write("0123456789") } }
        #expect(pipe.read(22_000).count == 22_000)
        #expect(await pipe.finish(writer) == nil)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct MessageWriterTests {
    private let message = Array("0123456789\n".utf8)

    @Test func `a message is written at once, and nothing is left for the end`() throws {
        let pipe = try TestPipe()
        let background = BackgroundWriter(descriptor: pipe.writingEnd, capacity: 1000)
        let writer = MessageWriter(background)
        writer.write(message)
        #expect(pipe.read(message.count) == message)
        background.drain(timeout: .seconds(20))
        #expect(writer.finish() == nil)
    }

    @Test func `nobody waits for a reader that has stopped, and what it misses is counted`() throws {
        let pipe = try TestPipe()
        pipe.fill()
        let background = BackgroundWriter(descriptor: pipe.writingEnd, capacity: 1000)
        let writer = MessageWriter(background)
        // One message waits a moment; if all did this would take minutes.
        for _ in 0..<5000 { writer.write(message) }
        #expect(writer.finish() != nil)
        _ = pipe.readLines { _ in true }
        let lines = pipe.readLines { $0.hasPrefix("(") }
        #expect(lines.last == "(\(5000 - (lines.count - 1)) messages not shown)")
        background.drain(timeout: .seconds(20))
        #expect(writer.finish() == nil)
    }

    @Test func `a writer waits longer for its late thread than for a reader`() throws {
        let pipe = try TestPipe()
        let late = LateQueue()
        let writer = BackgroundWriter(descriptor: pipe.writingEnd, capacity: 1000, queue: late.queue)
        #expect(writer.write(message) == .taken)
        let start = ContinuousClock.now
        #expect(!writer.drain(timeout: .milliseconds(20)))
        #expect(ContinuousClock.now - start >= .milliseconds(20) * BackgroundWriter.maximumTurns)
        late.resume()
        #expect(pipe.read(message.count) == message)
        #expect(writer.drain(timeout: .seconds(20)))
    }
}

/// A queue that does nothing until it is released, as if its thread got no processor.
private struct LateQueue {
    let queue = DispatchQueue(label: "late")

    init() { queue.suspend() }

    func resume() { queue.resume() }
}

@Suite(.timeLimit(.minutes(5)))
struct StandardDescriptorTests {
    @Test func `those that are open stay as they are`() async {
        await #expect(processExitsWith: .success) {
            func file(_ descriptor: Int32) -> ino_t {
                var status = stat()
                return fstat(descriptor, &status) == 0 ? status.st_ino : 0
            }
            let before = (0...2).map { file($0) }
            StandardDescriptors.open()
            #expect((0...2).map { file($0) } == before)
        }
    }
}
