import Dittojay
package import Foundation
import PlainText
package import Posix

/// The page of running dittojays: its files, a stream of what happens, and what it asks for. Used on one queue only.
package final class PageServer {
    /// What the page shows.
    package struct Subject: Sendable {
        /// The control sockets of dittojays.
        package var sockets: [String]
        /// The control socket of the virtual radio.
        package var radio: String

        package init(sockets: [String], radio: String) {
            self.sockets = sockets
            self.radio = radio
        }
    }

    private let queue: DispatchQueue
    private let hub: SourceHub
    private let token: AccessToken
    private var server: HTTPServer?
    private var policy: AccessPolicy?
    private var streams: [ObjectIdentifier: PageStream] = [:]

    /// How many pages may be open.
    package static let maximumStreams = 8

    package init(_ subject: Subject, token: AccessToken = AccessToken(), queue: DispatchQueue) {
        self.queue = queue
        self.token = token
        hub = SourceHub(subject, queue: queue)
    }

    /// Begins to serve.
    ///
    /// - Parameters:
    ///   - port: 0 for one that is free.
    ///   - limits: of what others can make it keep.
    /// - Returns: the address for a browser, with the token after the number sign: there it is not sent to servers.
    package func start(port: UInt16, limits: HTTPLimits = HTTPLimits()) throws(SystemError) -> String {
        let server = try HTTPServer(port: port, queue: queue, limits: limits) { [weak self] request, connection in
            self?.handle(request, connection)
        }
        self.server = server
        policy = AccessPolicy(token: token, port: server.port)
        hub.start()
        return "http://127.0.0.1:\(server.port)/#\(token.text)"
    }

    package func stop() {
        server?.stop()
        hub.stop()
    }

    // MARK: Requests

    private func handle(_ request: HTTPRequest, _ connection: HTTPConnection) {
        let isCall = request.path.hasPrefix("/api/")
        if let refusal = policy?.refusal(of: request, isOpen: !isCall) {
            return respond(HTTPResponse(refusal, refusal == .unauthorized ? Self.advice : nil), connection)
        }
        switch (request.method, request.path) {
        case ("GET", "/api/stream"): beginStream(request, connection)
        case ("POST", "/api/command"): carryOut(request, connection)
        case ("GET", _) where !isCall:
            respond(PageFiles.response(request.path) ?? HTTPResponse(.notFound), connection)
        case (_, "/api/stream"), (_, "/api/command"): respond(HTTPResponse(.methodNotAllowed), connection)
        default: respond(HTTPResponse(isCall ? .notFound : .methodNotAllowed), connection)
        }
    }

    private static let advice = "open the address that dittojay ui printed"

    private func respond(_ response: HTTPResponse, _ connection: HTTPConnection) {
        connection.respond(Self.secured(response))
    }

    /// What holds for each response: nothing is kept, framed, guessed or passed on.
    private static func secured(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.fields += [
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        return response
    }

    private func beginStream(_ request: HTTPRequest, _ connection: HTTPConnection) {
        guard streams.count < Self.maximumStreams else {
            return respond(
                HTTPResponse(.serviceUnavailable, "too many open pages (limit \(Self.maximumStreams))"), connection)
        }
        connection.beginStream(Self.secured(HTTPResponse(.ok, type: "application/x-ndjson", body: [])))
        let stream = PageStream(connection, hub: hub, peripheral: request.query.removingPercentEncoding ?? "")
        streams[ObjectIdentifier(stream)] = stream
        hub.add(stream)
        connection.onClose = { [weak self, weak stream] in
            guard let self, let stream else { return }
            stream.stop()
            hub.remove(stream)
            streams[ObjectIdentifier(stream)] = nil
        }
    }

    /// `{"peripheral":KEY,"request":{"command":…}}`, or `{"radio":true,"request":…}`.
    private func carryOut(_ request: HTTPRequest, _ connection: HTTPConnection) {
        guard request["content-type"]?.hasPrefix("application/json") == true,
            let members = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any],
            let wanted = members["request"] as? [String: Any], let command = wanted["command"] as? String
        else { return respond(HTTPResponse(.badRequest), connection) }
        let answer: (ControlAnswer) -> Void = { [weak self] answer in
            self?.respond(
                HTTPResponse(.ok, type: "application/json", body: Self.line(answer)), connection)
        }
        if members["radio"] as? Bool == true {
            guard ControlRequests.radioCommands.contains(command) else {
                return answer(.refused("the page may not send the command \"\(command.prefix(40))\""))
            }
            return hub.radio.command(ControlRequests.line(wanted), answer)
        }
        guard ControlRequests.peripheralCommands.contains(command) else {
            return answer(.refused("the page may not send the command \"\(command.prefix(40))\""))
        }
        guard let key = members["peripheral"] as? String, let found = hub.find(key) else {
            return answer(.refused("this peripheral is no longer running"))
        }
        found.source.command(ControlRequests.line(wanted, about: found.id), answer)
    }

    private static func line(_ answer: ControlAnswer) -> [UInt8] {
        switch answer {
        case .done(let line): line
        case .refused(let error): ControlReply(error: error).json.utf8
        case .ended: ControlReply(error: "dittojay ended before it answered").json.utf8
        }
    }
}

extension PageServer {
    /// The control socket of the radio, unless another one is given.
    package static func usualRadio(environment: [String: String]) -> String {
        RadioSource.usualPath(environment: environment)
    }
}
