/// A request as received. Specification: RFC 9112.
package struct HTTPRequest: Hashable, Sendable {
    /// `GET`, `POST`, …
    package var method: String
    /// The path as sent, without the query: `/app.js`.
    package var path: String
    /// What follows the question mark, as sent; empty if nothing does.
    package var query: String
    /// The bytes of the content.
    package var body: [UInt8]
    /// By names in lower case.
    private var fields: [String: String]

    package init(method: String, path: String, query: String = "", fields: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// The value of a header field.
    ///
    /// - Parameter name: in lower case.
    package subscript(name: String) -> String? { fields[name] }
}

/// The limits of what others can make a server keep.
package struct HTTPLimits: Hashable, Sendable {
    /// How many connections may be open.
    package var connections = 32
    /// The longest request line with its header fields, in bytes.
    package var head = 8192
    /// The longest content of a request, in bytes.
    package var body = 8192
    /// Seconds in which a request has to arrive.
    package var arrival = 10.0
    /// Seconds in which a response has to be taken.
    package var departure = 30.0
    /// How many bytes of a stream may wait for its reader.
    package var waiting = 1 << 18

    package init() {}
}
