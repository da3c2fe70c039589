/// An address and a port of TCP, written `tcp:PORT` (on 127.0.0.1), `tcp:ADDRESS:PORT` or `tcp:[IPV6-ADDRESS]:PORT`.
package struct TCPAddress: Hashable, Sendable, CustomStringConvertible {
    /// An IPv4 address, an IPv6 address (without brackets), or the name of a host with an IPv4 address.
    package let host: String
    /// 0: one that the system chooses.
    package let port: UInt16

    /// What such an address begins with, and the path of a socket does not.
    package static let prefix = "tcp:"

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// - Throws: ``SystemError`` if the text is not such an address. Nothing is looked up.
    package init(_ text: String) throws(SystemError) {
        guard text.hasPrefix(Self.prefix) else { throw Self.invalid(text) }
        let rest = text.dropFirst(Self.prefix.count)
        let colon = rest.lastIndex(of: ":")
        guard let host = Self.host(colon.map { rest[..<$0] } ?? "127.0.0.1") else { throw Self.invalid(text) }
        let digits = colon.map { rest[rest.index(after: $0)...] } ?? rest
        // UInt16 takes signs, too.
        guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = UInt16(digits) else {
            throw SystemError(text: "invalid port \"\(digits)\" in \(text); valid: 0 to \(UInt16.max)")
        }
        self.init(host: host, port: port)
    }

    package var description: String { "\(Self.prefix)\(isIPv6 ? "[\(host)]" : host):\(port)" }

    var isIPv6: Bool { host.contains(":") }

    /// The host of the part before the port; nil if that is not valid.
    private static func host(_ part: Substring) -> String? {
        let isBracketed = part.hasPrefix("[") && part.hasSuffix("]")
        let host = isBracketed ? part.dropFirst().dropLast() : part
        let isValid = !host.isEmpty && host.contains(":") == isBracketed && !host.contains { "[]".contains($0) }
        return isValid ? String(host) : nil
    }

    private static func invalid(_ text: String) -> SystemError {
        SystemError(text: "invalid address \"\(text)\"; valid: tcp:PORT, tcp:ADDRESS:PORT, tcp:[IPV6-ADDRESS]:PORT")
    }
}
