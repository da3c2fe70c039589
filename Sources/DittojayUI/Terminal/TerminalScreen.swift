import Foundation
package import Posix

/// A terminal that is drawn on: its other screen, without a cursor, with single keys. To be restored in the end.
// @unchecked: the flag is only touched under the lock.
package final class TerminalScreen: @unchecked Sendable {
    private let former: termios
    private let output = DispatchQueue(label: "dittojay.top.output")
    private let lock = NSLock()
    private var isBusy = false

    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"

    /// - Parameter kind: the value of `TERM`.
    package init(kind: String?) throws(SystemError) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw SystemError(text: "top requires a terminal; \"dittojay status\" and \"dittojay events\" do not")
        }
        guard let kind, !kind.isEmpty, kind != "dumb" else {
            throw SystemError(
                text: "this terminal cannot be drawn on (TERM is \(kind.map { "\"\($0)\"" } ?? "not set")); "
                    + "\"dittojay status\" and \"dittojay events\" print lines")
        }
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else {
            throw SystemError("cannot read the terminal's settings")
        }
        former = mode
        // Ctrl-C and Ctrl-Z come as keys: neither may leave the terminal as it is here.
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        write(Self.enter)
    }

    /// In columns and lines.
    package var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Redraws all lines. If the terminal has not taken the picture before, this one is left out.
    package func draw(_ lines: [String]) {
        let isFree = lock.withLock {
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else { return }
        let text = "\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J"
        output.async { [self] in
            write(text)
            lock.withLock { isBusy = false }
        }
    }

    /// Puts the terminal back as it was.
    package func restore() {
        // What a stopped terminal has not taken must not keep the program.
        if lock.withLock({ isBusy }) { tcflush(STDOUT_FILENO, TCOFLUSH) }
        var mode = former
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        let flags = fcntl(STDOUT_FILENO, F_GETFL)
        _ = fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK)
        write(Self.leave)
        _ = fcntl(STDOUT_FILENO, F_SETFL, flags)
    }

    private func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 { bytes = bytes.dropFirst(count) } else if count < 0, errno != EINTR { return }
        }
    }
}
