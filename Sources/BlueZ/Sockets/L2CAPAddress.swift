import Foundation

/// An end of an L2CAP channel on LE, as the kernel's sockets name it: `struct sockaddr_l2` of its
/// `include/net/bluetooth/l2cap.h`.
package struct L2CAPAddress: Hashable, Swift.Sendable {
    /// The numbers that the specification leaves to programs (Core Specification, Vol 3, Part A, 4.22). Below them a
    /// program needs the capability CAP_NET_BIND_SERVICE to offer a channel.
    package static let dynamicPSMs: ClosedRange<UInt16> = 0x80...0xFF
    /// All numbers of LE.
    package static let psms: ClosedRange<UInt16> = 0x01...0xFF

    /// The device, as `AA:BB:CC:DD:EE:FF`.
    package let device: String
    /// Whether that is a random address, not a public one.
    package let isRandom: Bool
    /// The channel's number; 0 for an end that has none.
    package let psm: UInt16

    package init(device: String, isRandom: Bool, psm: UInt16 = 0) {
        self.device = device
        self.isRandom = isRandom
        self.psm = psm
    }

    private static let family: UInt16 = 31
    private static let size = 14
    /// `BDADDR_LE_PUBLIC`, `BDADDR_LE_RANDOM`.
    private static let (publicType, randomType): (UInt8, UInt8) = (1, 2)

    /// The kernel's structure: family, number, address with its last byte first, channel (none), type of address.
    func encoded() throws(BlueZError) -> [UInt8] {
        let parts = device.split(separator: ":", omittingEmptySubsequences: false)
        let address = parts.compactMap { $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil }
        guard parts.count == 6, address.count == 6 else { throw .invalidArguments("the address '\(device)'") }
        var bytes = withUnsafeBytes(of: Self.family) { Array($0) }
        bytes += [UInt8(psm & 0xFF), UInt8(psm >> 8)]
        bytes += address.reversed()
        bytes += [0, 0, isRandom ? Self.randomType : Self.publicType, 0]
        return bytes
    }

    /// - Parameter bytes: what the kernel has filled in; nil is returned for what is no address of LE.
    init?(encoded bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= Self.size - 1, bytes[12] == Self.publicType || bytes[12] == Self.randomType else {
            return nil
        }
        psm = UInt16(bytes[2]) | UInt16(bytes[3]) << 8
        device = bytes[4..<10].reversed()
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
        isRandom = bytes[12] == Self.randomType
    }

    /// The address that a socket call fills in.
    static func returned(_ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32)
        -> L2CAPAddress?
    {
        var bytes = [UInt8](repeating: 0, count: 64)
        var length = socklen_t(bytes.count)
        let result = bytes.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { addresses in
                addresses.baseAddress.map { call($0, &length) } ?? -1
            }
        }
        guard result >= 0 else { return nil }
        return L2CAPAddress(encoded: bytes.prefix(Int(length)))
    }

    /// Gives the address to a socket call.
    func pass(to call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) throws(BlueZError) -> Int32 {
        let bytes = try encoded()
        return bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { addresses in
                addresses.baseAddress.map { call($0, socklen_t(bytes.count)) } ?? -1
            }
        }
    }
}
