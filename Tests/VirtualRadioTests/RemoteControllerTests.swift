import Dispatch
import Foundation
import Testing

@testable import VirtualRadioCommand

/// A controller that is elsewhere.
@Suite struct RemoteControllerTests {
    /// On a serial line it may be lost before the other end has opened that.
    @Test func `what finds the controller is asked until it is answered`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let listener = try HostListener(path)
        defer { unlink(path) }
        let end = DispatchSemaphore(value: 0)
        let thread = Thread {
            // Nobody answers, so it ends with the connection and makes no controller.
            #expect(throws: Never.self) { try RemoteController(path).run() }
            end.signal()
        }
        thread.start()
        do {
            #expect(isReadable(listener.descriptor))
            let port = try #require(listener.accept())
            var commands: [UInt8] = []
            while commands.count < 12, isReadable(port.descriptor) {
                var bytes = [UInt8](repeating: 0, count: 12)
                let count = read(port.descriptor, &bytes, bytes.count)
                try #require(count > 0)
                commands += bytes[..<count]
            }
            #expect(commands.count >= 12)
            #expect(commands[..<4] == commands[4..<8] && commands[4..<8] == commands[8..<12])
            #expect(commands.first == 0x01)
        }
        #expect(end.wait(timeout: .now() + 20) == .success)
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 20_000) == 1
    }
}
