import BluetoothLab
import CoreBluetooth
import Foundation

/// An L2CAP channel of a test, with reads and writes that wait, each on a thread of its own.
final class OpenChannel: Swift.Sendable {
    private let channel: CBL2CAPChannel

    init(_ channel: CBL2CAPChannel) {
        self.channel = channel
        channel.outputStream.open()
    }

    /// Reads this many bytes.
    ///
    /// - Returns: fewer if the peer closes the channel.
    /// - Throws: the stream's error.
    func read(_ count: Int, within limit: Duration = .seconds(60)) async throws -> Data {
        try await onThread("\(count) bytes of the channel", within: limit) { [channel] in
            // Not before: while it is open, the end of the output is reported after its own.
            channel.inputStream.open()
            var data = Data()
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            while data.count < count {
                let more = channel.inputStream.read(&buffer, maxLength: min(buffer.count, count - data.count))
                if more < 0 { throw channel.inputStream.streamError ?? LabError("the stream has no error") }
                if more == 0 { break }
                data.append(contentsOf: buffer[..<more])
            }
            return data
        }
    }

    /// Writes all of it.
    ///
    /// - Throws: the stream's error.
    func write(_ data: Data, within limit: Duration = .seconds(60)) async throws {
        try await onThread("room in the channel", within: limit) { [channel] in
            let bytes = [UInt8](data)
            var written = 0
            while written < bytes.count {
                let more = bytes.withUnsafeBufferPointer { bytes in
                    bytes.baseAddress.map {
                        channel.outputStream.write($0 + written, maxLength: bytes.count - written)
                    } ?? -1
                }
                if more <= 0 { throw channel.outputStream.streamError ?? LabError("the stream has no error") }
                written += more
            }
        }
    }

    /// Waits until the peer has closed it, before anything is read.
    func endByPeer() async throws {
        let watch = EndWatch()
        channel.outputStream.delegate = watch
        channel.schedule(on: DispatchQueue(label: "end of a channel"))
        try await watch.end.value()
    }

    private final class EndWatch: NSObject, StreamDelegate, Swift.Sendable {
        let end = Promise<Void>("the end of the channel")

        func stream(_ stream: Stream, handle event: Stream.Event) {
            if event == .endEncountered { end.fulfil(()) }
        }
    }

    /// Closes it, and returns when the peer has all that was written.
    func close() async { await channel.finish() }

    private func onThread<Value: Swift.Sendable>(
        _ what: String, within limit: Duration, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let promise = Promise<Result<Value, any Error>>(what)
        Thread { promise.fulfil(Result { try body() }) }.start()
        return try await promise.value(within: limit).get()
    }
}
