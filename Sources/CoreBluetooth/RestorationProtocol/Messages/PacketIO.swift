import Foundation

/// Packets on SOCK_SEQPACKET sockets of the Unix kind, with or without a file descriptor that comes along.
package enum PacketIO {
    /// What has come.
    package enum Received {
        /// A packet, and the descriptor that came with it, which is the caller's now.
        case packet(Data, descriptor: Int32?)
        /// A packet that is longer than the limit; it is lost.
        case tooLong
        /// Nothing has come.
        case nothing
        /// The other end is closed, or has sent an empty packet: the two look the same.
        case end
    }

    /// What has become of a packet.
    package enum Sent {
        case done
        /// There is no room for it now.
        case full
        /// The other end is closed.
        case closed
    }

    /// A `cmsghdr` (16 bytes where pointers have 8) and one descriptor, padded.
    private static let headerLength = MemoryLayout<cmsghdr>.size
    private static let controlLength =
        headerLength + (MemoryLayout<Int32>.size + MemoryLayout<Int>.size - 1) / MemoryLayout<Int>.size
        * MemoryLayout<Int>.size

    /// Sends one packet, never waiting.
    package static func send(_ packet: Data, to socket: Int32, passing descriptor: Int32? = nil) -> Sent {
        let count = packet.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(byteCount: controlLength, alignment: 16) { control in
                var vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
                var header = msghdr()
                return withUnsafeMutablePointer(to: &vector) { vector in
                    header.msg_iov = vector
                    header.msg_iovlen = 1
                    if let descriptor, let base = control.baseAddress {
                        memset(base, 0, controlLength)
                        var entry = cmsghdr()
                        entry.cmsg_len = numericCast(headerLength + MemoryLayout<Int32>.size)
                        entry.cmsg_level = SOL_SOCKET
                        entry.cmsg_type = Int32(SCM_RIGHTS)
                        control.storeBytes(of: entry, as: cmsghdr.self)
                        control.storeBytes(of: descriptor, toByteOffset: headerLength, as: Int32.self)
                        header.msg_control = base
                        header.msg_controllen = numericCast(controlLength)
                    }
                    return sendmsg(socket, &header, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
            }
        }
        if count >= 0 { return .done }
        return errno == EAGAIN || errno == ENOBUFS || errno == EINTR ? .full : .closed
    }

    /// Takes one packet, never waiting.
    ///
    /// - Parameters:
    ///   - limit: the longest packet in bytes.
    ///   - takesDescriptor: whether a descriptor may come along. Otherwise the kernel closes what comes.
    package static func receive(from socket: Int32, limit: Int, takesDescriptor: Bool = false) -> Received {
        withUnsafeTemporaryAllocation(byteCount: limit, alignment: 16) { buffer in
            withUnsafeTemporaryAllocation(byteCount: controlLength, alignment: 16) { control in
                var vector = iovec(iov_base: buffer.baseAddress, iov_len: limit)
                var header = msghdr()
                let count = withUnsafeMutablePointer(to: &vector) { vector in
                    header.msg_iov = vector
                    header.msg_iovlen = 1
                    if takesDescriptor {
                        header.msg_control = control.baseAddress
                        header.msg_controllen = numericCast(controlLength)
                    }
                    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_CMSG_CLOEXEC)
                    let count = recvmsg(socket, &header, flags)
                    // If the other end was closed without reading all that was sent to it, the kernel says so once,
                    // before it hands out what came from there.
                    return count < 0 && errno == ECONNRESET ? recvmsg(socket, &header, flags) : count
                }
                if count < 0 { return errno == EAGAIN || errno == EINTR ? .nothing : .end }
                let descriptor = takesDescriptor ? Self.descriptor(in: control, header) : nil
                guard count > 0, let base = buffer.baseAddress else {
                    if let descriptor { close(descriptor) }
                    return .end
                }
                guard header.msg_flags & Int32(MSG_TRUNC) == 0 else {
                    if let descriptor { close(descriptor) }
                    return .tooLong
                }
                return .packet(Data(bytes: base, count: count), descriptor: descriptor)
            }
        }
    }

    private static func descriptor(in control: UnsafeMutableRawBufferPointer, _ header: msghdr) -> Int32? {
        guard Int(header.msg_controllen) >= headerLength + MemoryLayout<Int32>.size else { return nil }
        let entry = control.load(as: cmsghdr.self)
        guard entry.cmsg_level == SOL_SOCKET, entry.cmsg_type == Int32(SCM_RIGHTS) else { return nil }
        return control.load(fromByteOffset: headerLength, as: Int32.self)
    }
}
