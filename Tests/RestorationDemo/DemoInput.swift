import Dispatch
import Glibc
import MainLoop

/// Lines from the terminal.
@MainActor
final class DemoInput {
    private var watch: DescriptorWatch?
    private var rest = ""

    /// - Parameter handler: is called with each line, and once with nil at the end.
    init(_ handler: @escaping @MainActor (String?) -> Void) {
        watch = DescriptorWatch(STDIN_FILENO, queue: .main) { [weak self] in
            MainActor.assumeIsolated { self?.read(handler) }
        }
        watch?.start()
    }

    private func read(_ handler: @MainActor (String?) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else {
            watch?.suspend()
            return handler(nil)
        }
        rest += String(decoding: buffer[..<count], as: UTF8.self)
        while let end = rest.firstIndex(of: "\n") {
            let line = String(rest[..<end])
            rest = String(rest[rest.index(after: end)...])
            handler(line)
        }
    }
}
