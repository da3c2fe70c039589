import Glibc
import PlainText
import Posix
import RadioControl

/// Says something to a running radio, and prints what comes back.
struct ControlRequest {
    private let words: RequestWords
    private let path: String

    /// There is no radio, or it has ended.
    struct Absence: Error {
        let text: String
    }

    init(_ words: RequestWords) {
        self.words = words
        path = words.socket ?? ControlPath.usual
    }

    /// - Returns: whether the radio has done it.
    func run() throws -> Bool {
        var request = words.request
        if case .scene(let file, let waits) = words.kind {
            request = try SceneConversion.request(file, waits: waits)
        }
        let connection = try connect()
        defer { close(connection) }
        try send(Array(request.utf8) + [0x0A], connection)
        var lines = LineReader(connection)
        guard let line = lines.next() else { throw Absence(text: "the radio at \(path) stopped") }
        let reply = try JSONReader.read(line)
        guard reply["ok"]?.text == "true" else {
            for text in (reply["error"]?.text ?? "the radio refused").split(separator: "\n") {
                VirtualRadioProgram.say("virtual-radio: \(text)", to: STDERR_FILENO)
            }
            return false
        }
        if let warning = reply["warning"]?.text {
            VirtualRadioProgram.say("virtual-radio: warning: \(warning)", to: STDERR_FILENO)
        }
        switch words.kind {
        case .status: print(words.isJSON ? String(decoding: line, as: UTF8.self) : StatusText.text(reply))
        case .events:
            var past = Int(reply["past"]?.text ?? "") ?? 0
            while words.follows || past > 0, let line = lines.next() {
                try show(line)
                past -= 1
            }
        default: break
        }
        return true
    }

    private func show(_ line: [UInt8]) throws {
        print(words.isJSON ? String(decoding: line, as: UTF8.self) : StatusText.event(try JSONReader.read(line)))
    }

    /// At once, although the output may be a pipe.
    private func print(_ text: String) {
        VirtualRadioProgram.say(text, to: STDOUT_FILENO)
    }

    private func connect() throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        do throws(SystemError) {
            return try UnixSocket.connected(to: path)
        } catch {
            throw Absence(text: "no virtual radio: \(error.description)")
        }
    }

    private func send(_ bytes: [UInt8], _ connection: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Absence(text: "the radio at \(path) stopped") }
            rest = rest.dropFirst(count)
        }
    }
}

/// Lines from a descriptor.
private struct LineReader {
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    mutating func next() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            if let end = bytes.firstIndex(of: 0x0A) {
                defer { bytes.removeSubrange(...end) }
                return Array(bytes[..<end])
            }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0, bytes.count < RadioDirector.longestRequest else { return nil }
            bytes += buffer[..<count]
        }
    }
}

/// Scenes in YAML are read by another program, which needs Foundation: loading that costs a second in software
/// emulation.
enum SceneConversion {
    private static let program = "virtual-radio-scene"

    static func request(_ file: String, waits: Bool) throws -> String {
        let scene = file.hasSuffix(".json") ? try SceneFile.bytes(file) : try convert(file)
        return "{\"command\":\"scene\",\"waits\":\(waits),\"scene\":"
            + String(decoding: scene.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self) + "}"
    }

    /// Thrown when the other program has said what is wrong.
    struct Refused: Error {}

    private static func convert(_ file: String) throws -> [UInt8] {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError("cannot create a pipe") }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let reader: LaunchedProgram
        do throws(SystemError) {
            reader = try LaunchedProgram([program, file], group: .parents, output: .descriptor(ends[1]))
            close(ends[1])
        } catch {
            close(ends[1])
            throw SystemError("cannot start \(program), which reads scenes in YAML", code: error.code)
        }
        let scene = Result { try SceneFile.bytes(ends[0], file) }
        defer { reader.reap() }
        guard reader.end() == 0 else { throw Refused() }
        return try scene.get()
    }
}
