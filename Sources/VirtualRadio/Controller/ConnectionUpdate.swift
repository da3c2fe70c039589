/// Other parameters for a connection. (Core Specification, Vol 4 Part E, 7.8.18, 7.8.31, 7.8.32; Vol 6 Part B, 5.1.1,
/// 5.1.7)
extension Controller {
    static let connectionUpdateCommands = [
        Command(0x2013, length: 14, supported: (27, 2), answer: .status, updateConnection),
        Command(0x2020, length: 14, supported: (33, 4), answer: .completeWithHandle, acceptParameters),
        Command(0x2021, length: 3, supported: (33, 5), answer: .completeWithHandle, refuseParameters),
    ]

    /// Between the request and its effect, at least. (Vol 6 Part B, 5.1.1)
    private static let eventsToInstant = 6

    private func updateConnection(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        let wanted = try ConnectionParameters(parameters, 2)
        guard !connection.link.isUpdating else { throw .commandDisallowed }
        connection.link.isUpdating = true
        if connection.isCentral {
            update(connection.link, wanted)
        } else {
            let longest = parameters.number(4)
            let content =
                [UInt8](number: wanted.interval) + [UInt8](number: longest) + Self.content(wanted).dropFirst(2)
            // No preferred period, and no offsets.
            connection.send(
                control: .connectionParametersRequest, content + [0, 0, 0] + [UInt8](repeating: 0xFF, count: 12))
            connection.link.inEvents(1) { [self] in request(wanted, longest, connection) }
        }
        return .success
    }

    private static func content(_ parameters: ConnectionParameters) -> [UInt8] {
        let numbers = [parameters.interval, parameters.latency, parameters.timeout]
        return numbers.flatMap { [UInt8](number: $0) }
    }

    /// The peripheral's request. The central's host decides, if it wants to; the controller would agree.
    private func request(_ wanted: ConnectionParameters, _ longest: Int, _ connection: Connection) {
        let central = connection.other
        guard let event = central.controller.begin(.remoteConnectionParameterRequest) else {
            return update(connection.link, wanted)
        }
        event.add(central.handle)
        event.add(wanted.interval)
        event.add(longest)
        event.add(wanted.latency)
        event.add(wanted.timeout)
        central.controller.send(event)
        connection.link.awaitHost()
    }

    private func acceptParameters(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        let wanted = try ConnectionParameters(parameters, 2)
        guard connection.isCentral, connection.link.isUpdating else { throw .commandDisallowed }
        connection.link.hostAnswered()
        update(connection.link, wanted)
        return Reply(parameters: .init(number: connection.handle))
    }

    private func refuseParameters(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        guard connection.isCentral, connection.link.isUpdating else { throw .commandDisallowed }
        connection.link.hostAnswered()
        let peripheral = connection.other
        let reason = ErrorCode(rawValue: parameters.byte(2)) ?? .unacceptableConnectionParameters
        connection.link.inEvents(1) {
            guard peripheral.isOpen else { return }
            peripheral.link.isUpdating = false
            peripheral.controller.sendConnectionUpdated(peripheral, reason)
        }
        return Reply(parameters: .init(number: connection.handle))
    }

    /// Both ends change at the same event.
    private func update(_ link: Link, _ wanted: ConnectionParameters) {
        link.central.send(
            control: .connectionUpdate,
            [1, 0, 0] + Self.content(wanted) + [UInt8](number: link.trace.events + Self.eventsToInstant))
        link.inEvents(Self.eventsToInstant) { [weak link] in
            guard let link else { return }
            link.isUpdating = false
            link.parameters = wanted
            for connection in link.ends where connection.isOpen {
                connection.controller.sendConnectionUpdated(connection, .success)
            }
        }
    }

    private func sendConnectionUpdated(_ connection: Connection, _ status: ErrorCode) {
        guard let event = begin(.connectionUpdateComplete) else { return }
        event.add(status)
        event.add(connection.handle)
        event.add(connection.link.parameters.interval)
        event.add(connection.link.parameters.latency)
        event.add(connection.link.parameters.timeout)
        send(event)
    }
}
