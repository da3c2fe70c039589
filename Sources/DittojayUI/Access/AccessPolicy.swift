/// Decides which requests are carried out.
///
/// The server is at a loopback address, which every user of the machine and every page in the browser reaches:
///
/// - `Host` has to be this server's own. A page of a name that resolves to 127.0.0.1 (DNS rebinding) has another one.
/// - `Origin`, which browsers add to what other pages send, has to be this server's own, and so has `Sec-Fetch-Site`.
/// - All but the files of the page takes the token. It comes in a header, never by itself as a cookie does: cookies are
///   sent to all ports of a host, hence to servers of other users of the machine, too.
package struct AccessPolicy: Sendable {
    private let token: AccessToken
    /// The values of `Host` that are this server's.
    private let hosts: Set<String>

    package init(token: AccessToken, port: UInt16) {
        self.token = token
        let names = ["127.0.0.1", "localhost"]
        // Browsers leave out the port that http has by itself.
        hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
    }

    /// Why a request is refused; nil if it may be carried out.
    ///
    /// - Parameter isOpen: whether it takes no token.
    package func refusal(of request: HTTPRequest, isOpen: Bool) -> HTTPStatus? {
        guard let host = request["host"], hosts.contains(host) else { return .misdirectedRequest }
        if let origin = request["origin"], origin != "http://\(host)" { return .forbidden }
        // Only the address that somebody types or clicks comes from elsewhere.
        if let site = request["sec-fetch-site"], site != "same-origin" {
            guard isOpen, request["sec-fetch-mode"] == "navigate" else { return .forbidden }
        }
        if isOpen { return nil }
        let scheme = "Bearer "
        guard let value = request["authorization"], value.hasPrefix(scheme),
            token.matches(String(value.dropFirst(scheme.count)))
        else { return .unauthorized }
        return nil
    }
}
