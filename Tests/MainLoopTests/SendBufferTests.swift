import Foundation
import MainLoop
import Testing

@Suite struct SendBufferTests {
    private func pair() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func `what the socket does not take waits, and comes in order`() {
        let (sender, reader) = pair()
        defer { for end in [sender, reader] { close(end) } }
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        var buffer = SendBuffer()
        buffer.append(bytes)
        #expect(buffer.send(to: sender) == .isFull)
        #expect(!buffer.isEmpty && buffer.count < bytes.count)
        var received: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while received.count < bytes.count {
            let count = recv(reader, &part, part.count, 0)
            guard count > 0 else { break }
            received += part[..<count]
            _ = buffer.send(to: sender)
        }
        #expect(received == bytes)
        #expect(buffer.isEmpty && buffer.send(to: sender) == .sentAll)
    }

    @Test func `a broken connection is reported`() {
        let (sender, reader) = pair()
        defer { close(sender) }
        close(reader)
        var buffer = SendBuffer()
        buffer.append([1, 2, 3])
        #expect(buffer.send(to: sender) == .failed)
        buffer.removeAll()
        #expect(buffer.count == 0)
    }
}
