import DBus
import Foundation

extension Device {
    /// For how long the kernel may take to set a link up that bluetoothd has told of.
    private static let linkSetupTime: Duration = .seconds(2)

    /// Asks the kernel for the RSSI of the link in dBm; 127 when the controller does not know it.
    ///
    /// bluetoothd tells the RSSI of advertisements only. The kernel's management interface tells that of a link ("Get
    /// Connection Information", BlueZ `doc/mgmt-api.txt`), to programs with CAP_NET_ADMIN.
    ///
    /// - Throws: ``BlueZError/notSupported(_:)`` without the privilege, ``BlueZError/notConnected``.
    public func readRSSI() async throws -> Int {
        guard isConnected else { throw BlueZError.notConnected }
        guard let adapter, let index = UInt16(adapter.name.drop { !$0.isNumber }) else {
            throw BlueZError.gone(path.string)
        }
        let bytes = address.split(separator: ":").compactMap { UInt8($0, radix: 16) }
        guard bytes.count == 6 else { throw BlueZError.invalidArguments("the address '\(address)'") }
        let type: UInt8 = addressType == "random" ? 2 : 1
        let socket = try ManagementSocket()
        let deadline = ContinuousClock.now + Self.linkSetupTime
        var answer: [UInt8]?
        while answer == nil {
            do {
                answer = try await socket.request(
                    opcode: 0x0031, controller: index, parameters: bytes.reversed() + [type])
            } catch BlueZError.notConnected where isConnected && ContinuousClock.now < deadline {
                // The kernel tells bluetoothd of a link first and counts it as connected once it knows the other end's
                // features.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        guard let answer, answer.count >= 8 else {
            throw BlueZError.failed(name: "", message: "a short answer of the kernel")
        }
        return Int(Int8(bitPattern: answer[7]))
    }
}

/// The kernel's Bluetooth management interface, for one request.
@BusActor
private final class ManagementSocket {
    private let descriptor: Int32
    private var reading: LoopSource?
    private var timer: LoopSource?

    private static let afBluetooth: Int32 = 31
    private static let protocolHCI: Int32 = 1

    init() throws(BlueZError) {
        descriptor = socket(
            Self.afBluetooth, Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
            Self.protocolHCI)
        guard descriptor >= 0 else {
            throw .notSupported("the kernel's management interface: \(String(cString: strerror(errno)))")
        }
        // struct sockaddr_hci: family, device (none), channel (control).
        let address: [UInt16] = [UInt16(Self.afBluetooth), 0xFFFF, 3]
        let bound = address.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
        }
        guard bound == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw .notSupported("the kernel's management interface: \(reason)")
        }
    }

    isolated deinit {
        reading?.cancel()
        timer?.cancel()
        close(descriptor)
    }

    /// Sends a command and waits for its Command Complete event.
    func request(opcode: UInt16, controller: UInt16, parameters: [UInt8]) async throws -> [UInt8] {
        func little(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
        let packet = little(opcode) + little(controller) + little(UInt16(parameters.count)) + parameters
        guard write(descriptor, packet, packet.count) == packet.count else {
            throw BlueZError.notSupported("the kernel's management interface: \(String(cString: strerror(errno)))")
        }
        let outcome: Outcome = await withCheckedContinuation { continuation in
            let once = OnceOutcome(continuation)
            reading = .descriptor(descriptor, [.readable, .hangUp]) { [weak self] _ in
                guard let self else { return }
                if let outcome = read(opcode) { once.resume(outcome) }
            }
            timer = .timer(after: .seconds(5)) { once.resume(.failure(.timedOut("management command"))) }
        }
        reading?.cancel()
        timer?.cancel()
        return try outcome.get()
    }

    private typealias Outcome = Result<[UInt8], BlueZError>

    @BusActor
    private final class OnceOutcome {
        private var continuation: CheckedContinuation<Outcome, Never>?

        nonisolated init(_ continuation: CheckedContinuation<Outcome, Never>) { self.continuation = continuation }

        func resume(_ outcome: Outcome) {
            continuation?.resume(returning: outcome)
            continuation = nil
        }
    }

    /// Nil when the packet is about something else.
    private func read(_ opcode: UInt16) -> Outcome? {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else {
            return errno == EAGAIN ? nil : .failure(.failed(name: "", message: String(cString: strerror(errno))))
        }
        // Header (event, controller, length), then the command's opcode and status.
        guard count >= 9, UInt16(buffer[6]) | UInt16(buffer[7]) << 8 == opcode else { return nil }
        switch buffer[8] {
        // "Failed" comes with the answer of a controller that knows the RSSI, or does not, but not the transmit power.
        case 0x00, 0x03: return .success(Array(buffer[9..<count]))
        case 0x02: return .failure(.notConnected)
        case 0x14: return .failure(.notSupported("reading the RSSI of a link needs CAP_NET_ADMIN"))
        default: return .failure(.failed(name: "", message: "management status \(buffer[8])"))
        }
    }
}
