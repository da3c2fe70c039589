import Foundation
import MainLoop

/// What the user types: single keys if standard input is a terminal, otherwise lines. Used on one queue only.
final class CommandInput {
    enum Line {
        case text(String)
        /// No more lines will come.
        case end
    }

    /// Whether single keys are commands.
    let takesKeys: Bool

    private let handler: (Line) -> Void
    private let show: ([UInt8]) -> Void
    private var watch: DescriptorWatch?
    private var formerMode: termios?
    /// The line that is being typed, after `:` or from `@` on.
    private var typedLine: [UInt8]?
    private var buffer: [UInt8] = []

    private static let lineLimit = 4096

    /// - Parameters:
    ///   - show: shows what is typed in a line. Called on `queue`.
    ///   - handler: called on `queue`.
    init(queue: DispatchQueue, show: @escaping ([UInt8]) -> Void, handler: @escaping (Line) -> Void) {
        self.handler = handler
        self.show = show
        // A process in the background must neither read from its terminal nor change it.
        takesKeys = isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
        if isatty(STDIN_FILENO) == 1, !takesKeys { return }
        if takesKeys { setKeyMode() }
        watch = DescriptorWatch(STDIN_FILENO, queue: queue) { [weak self] in self?.read() }
        watch?.start()
    }

    /// Puts the terminal back as it was.
    func stop() {
        guard var mode = formerMode else { return }
        formerMode = nil
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    /// Keys arrive at once and are not shown; Ctrl-C and Ctrl-Z stay signals.
    private func setKeyMode() {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
        formerMode = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else {
            watch?.suspend()
            if !buffer.isEmpty { finishLine() }
            return handler(.end)
        }
        for byte in bytes[..<count] {
            if takesKeys { take(key: byte) } else { take(lineByte: byte) }
        }
    }

    private func take(lineByte byte: UInt8) {
        if byte == UInt8(ascii: "\n") {
            finishLine()
        } else if buffer.count < Self.lineLimit {
            buffer.append(byte)
        }
    }

    private func finishLine() {
        let text = String(decoding: buffer, as: UTF8.self)
        buffer = []
        handler(.text(text.hasSuffix("\r") ? String(text.dropLast()) : text))
    }

    private func take(key: UInt8) {
        guard var line = typedLine else {
            switch key {
            case UInt8(ascii: ":"):
                typedLine = []
                echo(":")
            case UInt8(ascii: "@"):
                typedLine = [key]
                echo("@")
            case 0x04: handler(.text("q"))  // Ctrl-D
            case 0x21...0x7E: handler(.text(String(UnicodeScalar(key))))
            default: break
            }
            return
        }
        switch key {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            typedLine = nil
            echo("\n")
            handler(.text(String(decoding: line, as: UTF8.self)))
        case 0x1B:  // Escape
            typedLine = nil
            echo("\n")
        case 0x08, 0x7F:
            guard !line.isEmpty else { return }
            // The bytes of a character beyond ASCII are removed together.
            while let last = line.popLast(), last & 0xC0 == 0x80 {}
            typedLine = line
            echo("\u{8} \u{8}")
        case 0x20..., UInt8(ascii: "\t"):
            guard line.count < Self.lineLimit else { return }
            line.append(key)
            typedLine = line
            show([key])
        default: break
        }
    }

    private func echo(_ text: String) {
        show(Array(text.utf8))
    }
}
