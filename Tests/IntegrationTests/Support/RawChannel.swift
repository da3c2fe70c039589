import BluetoothLab
import Foundation

/// The kernel's L2CAP sockets as any program has them: no package, no loop, calls that block.
enum RawChannel {
    private static let receivedPieceLimit: UInt16 = 8192
    private static let pieceSize = 2048

    /// How many bytes a second go from the sensor's controller to the central's over the link that is up.
    static func rate(of count: Int, psm: UInt16) async throws -> Double {
        let listener = try bound(to: Lab.sensorAddress, psm)
        defer { close(listener) }
        guard listen(listener, 1) == 0 else { throw failure("listen") }
        let receiver = try bound(to: Lab.centralAddress, 0)
        let sent = Promise<String?>("bytes that a raw socket sends")
        Thread { sent.fulfil(send(count, to: listener)) }.start()
        let received = Promise<Result<Double, any Error>>("bytes of a raw socket")
        Thread {
            received.fulfil(Result { try receive(count, by: receiver, psm) })
            close(receiver)
        }.start()
        let seconds = try await received.value(within: .seconds(60)).get()
        if let problem = try await sent.value(within: .seconds(60)) { throw LabError(problem) }
        return Double(count) / seconds
    }

    private static func bound(to address: String, _ psm: UInt16) throws -> Int32 {
        let descriptor = socket(31, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, with(address, psm, { bind(descriptor, $0, $1) }) == 0 else { throw failure("bind") }
        // BT_RCVMTU of SOL_BLUETOOTH.
        var limit = receivedPieceLimit
        guard setsockopt(descriptor, 274, 13, &limit, 2) == 0 else { throw failure("setsockopt") }
        return descriptor
    }

    /// Accepts a connection, sends, and waits for its end.
    private static func send(_ count: Int, to listener: Int32) -> String? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return "accept: \(String(cString: strerror(errno)))" }
        defer { close(descriptor) }
        let piece = [UInt8](repeating: 7, count: pieceSize)
        var left = count
        while left > 0 {
            let sent = Glibc.send(descriptor, piece, min(left, piece.count), Int32(MSG_NOSIGNAL))
            guard sent > 0 else { return "send: \(String(cString: strerror(errno)))" }
            left -= sent
        }
        var byte: UInt8 = 0
        _ = recv(descriptor, &byte, 1, 0)
        return nil
    }

    /// - Returns: the seconds from the first bytes to the last.
    private static func receive(_ count: Int, by descriptor: Int32, _ psm: UInt16) throws -> Double {
        guard with(Lab.sensorAddress, psm, { connect(descriptor, $0, $1) }) == 0 else { throw failure("connect") }
        var buffer = [UInt8](repeating: 0, count: Int(receivedPieceLimit))
        let begin = ContinuousClock.now
        var left = count
        while left > 0 {
            let received = recv(descriptor, &buffer, buffer.count, 0)
            guard received > 0 else { throw failure("recv") }
            left -= received
        }
        return (ContinuousClock.now - begin) / .seconds(1)
    }

    /// `struct sockaddr_l2` with a public address of LE.
    private static func with(
        _ address: String, _ psm: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let parts = address.split(separator: ":").compactMap { UInt8($0, radix: 16) }
        let bytes: [UInt8] = [31, 0, UInt8(psm & 0xFF), UInt8(psm >> 8)] + parts.reversed() + [0, 0, 1, 0]
        return bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { addresses in
                addresses.baseAddress.map { call($0, socklen_t(bytes.count)) } ?? -1
            }
        }
    }

    private static func failure(_ call: String) -> LabError { LabError("\(call): \(String(cString: strerror(errno)))") }
}
