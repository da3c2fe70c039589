/// The status of a response. Specification: RFC 9110, 15.
package struct HTTPStatus: Error, Hashable, Sendable {
    package let code: Int
    package let reason: String

    package static let ok = HTTPStatus(code: 200, reason: "OK")
    package static let badRequest = HTTPStatus(code: 400, reason: "Bad Request")
    package static let unauthorized = HTTPStatus(code: 401, reason: "Unauthorized")
    package static let forbidden = HTTPStatus(code: 403, reason: "Forbidden")
    package static let notFound = HTTPStatus(code: 404, reason: "Not Found")
    package static let methodNotAllowed = HTTPStatus(code: 405, reason: "Method Not Allowed")
    package static let requestTimeout = HTTPStatus(code: 408, reason: "Request Timeout")
    package static let lengthRequired = HTTPStatus(code: 411, reason: "Length Required")
    package static let contentTooLarge = HTTPStatus(code: 413, reason: "Content Too Large")
    /// Of a server whose name or port is another one.
    package static let misdirectedRequest = HTTPStatus(code: 421, reason: "Misdirected Request")
    package static let headTooLong = HTTPStatus(code: 431, reason: "Request Header Fields Too Large")
    package static let serviceUnavailable = HTTPStatus(code: 503, reason: "Service Unavailable")
    package static let versionNotSupported = HTTPStatus(code: 505, reason: "HTTP Version Not Supported")
}

/// A response to one request.
package struct HTTPResponse: Sendable {
    package var status: HTTPStatus
    /// The header fields beside the length and `Connection`, in their order.
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package init(_ status: HTTPStatus, type: String = "text/plain; charset=utf-8", body: [UInt8]) {
        self.status = status
        self.body = body
        fields = [("Content-Type", type)]
    }

    /// A status, said for people.
    package init(_ status: HTTPStatus, _ text: String? = nil) {
        self.init(status, body: Array("\(text ?? status.reason)\n".utf8))
    }

    /// The head as it is sent; without a length if the content is a stream, which ends with the connection.
    func head(isStream: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status.code) \(status.reason)\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        if !isStream { text += "Content-Length: \(body.count)\r\n" }
        return Array("\(text)Connection: close\r\n\r\n".utf8)
    }
}
