/// The length of packets of data. (Core Specification, Vol 4 Part E, 7.8.33 to 7.8.35, 7.8.46; Vol 6 Part B, 5.1.9)
extension Controller {
    static let dataLengthCommands = [
        Command(0x2022, length: 6, supported: (33, 6), answer: .completeWithHandle, setDataLength),
        Command(0x2023, length: 0, supported: (33, 7), readSuggestedDataLength),
        Command(0x2024, length: 4, supported: (34, 0), writeSuggestedDataLength),
        Command(0x202F, length: 0, supported: (35, 3), readMaximumDataLength),
    ]

    /// Payloads in bytes, and how long such packets take in microseconds.
    static let shortest = 27
    static let longest = 251
    static let shortestTime = 328
    /// On the Coded PHY with S8 a packet of 251 bytes takes so long.
    private static let longestTimeCoded = 17_040
    private static let longestTime = 2_120

    private var longestTime: Int { kind >= .v5_3 ? Self.longestTimeCoded : Self.longestTime }

    private func setDataLength(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        try checkLength(parameters.number(2), time: parameters.number(4))
        negotiateDataLength(connection, parameters.number(2))
        return Reply(parameters: .init(number: connection.handle))
    }

    private func readSuggestedDataLength(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: .init(number: suggestedLength) + .init(number: suggestedTime))
    }

    private func writeSuggestedDataLength(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        try checkLength(parameters.number(0), time: parameters.number(2))
        suggestedLength = parameters.number(0)
        suggestedTime = parameters.number(2)
        return .success
    }

    private func readMaximumDataLength(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let both = [UInt8](number: Self.longest) + .init(number: longestTime)
        return Reply(parameters: both + both)
    }

    private func checkLength(_ length: Int, time: Int) throws(ErrorCode) {
        guard Self.shortest...Self.longest ~= length, Self.shortestTime...Self.longestTimeCoded ~= time else {
            throw .invalidParameters
        }
    }

    /// A controller whose host wants longer packets asks for them by itself.
    func beginDataLength(_ connection: Connection) {
        guard suggestedLength > Self.shortest else { return }
        negotiateDataLength(connection, suggestedLength)
    }

    /// All controllers here receive packets of any length, so that the longest that one wants is that of both.
    private func negotiateDataLength(_ connection: Connection, _ length: Int) {
        let longest = [UInt8](number: Self.longest) + [UInt8](number: Self.longestTime)
        let wanted = [UInt8](number: length) + [UInt8](number: Self.longestTime)
        connection.send(control: .lengthRequest, longest + wanted)
        connection.other.send(control: .lengthResponse, longest + longest)
        connection.link.inEvents(1) { [weak link = connection.link] in
            guard let link, link.payload != length else { return }
            link.payload = length
            for connection in link.ends where connection.isOpen {
                connection.controller.sendDataLengthChanged(connection)
            }
        }
    }

    private func sendDataLengthChanged(_ connection: Connection) {
        guard let event = begin(.dataLengthChange) else { return }
        let length = connection.link.payload
        let time = max(Self.shortestTime, connection.link.phy.airTime(length + 4) / Span.microsecond)  // 4: encrypted
        event.add(connection.handle)
        for _ in 0..<2 {
            event.add(length)
            event.add(time)
        }
        send(event)
    }
}
