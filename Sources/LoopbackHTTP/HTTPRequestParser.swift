/// Reads one request from bytes as they arrive. Strict: what two programs could understand differently is refused.
package struct HTTPRequestParser: Sendable {
    package enum Outcome: Hashable, Sendable {
        /// More bytes are needed.
        case incomplete
        case request(HTTPRequest)
        /// It is refused with this status.
        case refused(HTTPStatus)
    }

    private let limits: HTTPLimits
    private var bytes: [UInt8] = []
    /// The request without its content, once its head is there.
    private var request: HTTPRequest?
    /// How many bytes the content has.
    private var bodyLength = 0
    /// Where the search for the end of the head goes on: the head has this many bytes at least.
    private var searched = 0

    package init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// Takes more bytes. What follows the request is ignored: each connection has one.
    package mutating func append(_ more: some Sequence<UInt8>) -> Outcome {
        bytes.append(contentsOf: more)
        if request == nil {
            guard let end = endOfHead() else { return searched > limits.head ? .refused(.headTooLong) : .incomplete }
            guard end <= limits.head else { return .refused(.headTooLong) }
            do throws(HTTPStatus) {
                request = try parse(bytes[..<end])
            } catch {
                return .refused(error)
            }
            bytes.removeFirst(end + 4)
        }
        guard var request, bytes.count >= bodyLength else { return .incomplete }
        request.body = Array(bytes.prefix(bodyLength))
        return .request(request)
    }

    /// The index of the empty line that ends the head.
    private mutating func endOfHead() -> Int? {
        let end: [UInt8] = [13, 10, 13, 10]
        while searched + end.count <= bytes.count {
            if bytes[searched] == 13, bytes[searched..<searched + end.count].elementsEqual(end) { return searched }
            searched += 1
        }
        return nil
    }

    private mutating func parse(_ head: ArraySlice<UInt8>) throws(HTTPStatus) -> HTTPRequest {
        // No control characters but the line ends, and nothing beyond ASCII.
        guard head.allSatisfy({ (32..<127).contains($0) || $0 == 13 || $0 == 10 || $0 == 9 }) else { throw .badRequest }
        var lines: [String] = []
        var line: [UInt8] = []
        var rest = head[...]
        while let byte = rest.popFirst() {
            if byte == 13, rest.first == 10 {
                rest.removeFirst()
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
            } else {
                guard byte != 13, byte != 10 else { throw .badRequest }
                line.append(byte)
            }
        }
        lines.append(String(decoding: line, as: UTF8.self))
        let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy({ $0.isASCII && $0.isUppercase }),
            words[1].first == "/"
        else { throw .badRequest }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else { throw .versionNotSupported }
        let fields = try Self.fields(lines)
        guard fields["transfer-encoding"] == nil else { throw .lengthRequired }
        if let text = fields["content-length"] {
            guard !text.isEmpty, text.allSatisfy({ ("0"..."9").contains($0) }) else { throw .badRequest }
            guard let length = Int(text), length <= limits.body else { throw .contentTooLarge }
            bodyLength = length
        }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return HTTPRequest(
            method: String(words[0]), path: String(target[0]), query: target.count > 1 ? String(target[1]) : "",
            fields: fields)
    }

    private static func fields(_ lines: [String]) throws(HTTPStatus) -> [String: String] {
        var fields: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { throw .badRequest }
            let name = line[..<colon].lowercased()
            guard name.allSatisfy({ $0.isLetter || $0.isNumber || "-_".contains($0) }) else { throw .badRequest }
            let value = line[line.index(after: colon)...].trimmed
            // The first one and the last one may be read as the one that counts.
            guard fields.updateValue(value, forKey: name) == nil else { throw .badRequest }
        }
        return fields
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let blanks: Set<Character> = [" ", "\t"]
        var rest = self
        while let first = rest.first, blanks.contains(first) { rest.removeFirst() }
        while let last = rest.last, blanks.contains(last) { rest.removeLast() }
        return String(rest)
    }
}
