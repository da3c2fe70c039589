import Foundation
import MainLoop

/// Where the user is asked.
@MainActor
protocol QuestionTerminal: AnyObject {
    /// Whether somebody is there to be asked.
    var isInteractive: Bool { get }

    /// Asks for a line.
    ///
    /// - Parameter answered: called at most once, with nil at the end of the input.
    func ask(_ prompt: String, _ answered: @escaping @MainActor (String?) -> Void)

    /// The answer is no longer needed.
    func cancel()
}

/// Asks on standard error, and reads from standard input.
@MainActor
final class StandardTerminal: QuestionTerminal {
    private static let lineLimit = 1024

    private var watch: DescriptorWatch?
    private var line: [UInt8] = []
    private var hasAsked = false

    /// A process in the background must not read from its terminal.
    let isInteractive = isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()

    func ask(_ prompt: String, _ answered: @escaping @MainActor (String?) -> Void) {
        cancel()
        hasAsked = isInteractive
        if isInteractive { FileHandle.standardError.write(Data(prompt.utf8)) }
        let copy = dup(STDIN_FILENO)
        guard copy >= 0 else { return answered(nil) }
        let watch = DescriptorWatch(copy, queue: .main) { [weak self] in
            MainActor.assumeIsolated { self?.read(answered) }
        }
        self.watch = watch
        watch.start()
    }

    private func read(_ answered: @MainActor (String?) -> Void) {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        line += bytes.prefix(max(count, 0))
        let end = line.firstIndex(of: UInt8(ascii: "\n"))
        guard count <= 0 || end != nil || line.count > Self.lineLimit else { return }
        let text = String(decoding: line[..<(end ?? line.endIndex)], as: UTF8.self)
        let isEnd = count <= 0 && line.isEmpty
        hasAsked = false
        cancel()
        answered(isEnd ? nil : text.trimmingCharacters(in: .whitespaces))
    }

    func cancel() {
        watch?.cancel()
        watch = nil
        line = []
        // The prompt's line has no end yet.
        if hasAsked { FileHandle.standardError.write(Data("\n".utf8)) }
        hasAsked = false
    }
}
