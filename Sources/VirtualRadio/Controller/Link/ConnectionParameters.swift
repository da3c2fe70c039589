/// How often the two ends of a connection meet. (Core Specification, Vol 6 Part B, 4.5.1, 4.5.2)
struct ConnectionParameters: Equatable {
    /// In units of 1.25 ms.
    var interval: Int
    /// How many connection events in a row the peripheral may skip.
    var latency: Int
    /// The supervision timeout in units of 10 ms.
    var timeout: Int

    /// The shortest of the intervals that the host allows.
    init(interval: Int, latency: Int, timeout: Int) {
        self.interval = interval
        self.latency = latency
        self.timeout = timeout
    }

    /// Reads the shortest and longest interval, the latency and the timeout from a command.
    init(_ parameters: Parameters, _ place: Int) throws(ErrorCode) {
        let shortest = parameters.number(place)
        let longest = parameters.number(place + 2)
        self.init(interval: shortest, latency: parameters.number(place + 4), timeout: parameters.number(place + 6))
        guard Self.areValid(shortest...max(shortest, longest), latency: latency, timeout: timeout),
            shortest <= longest
        else { throw .invalidParameters }
    }

    /// The timeout is longer than (1 + latency) · interval · 2.
    static func areValid(_ interval: ClosedRange<Int>, latency: Int, timeout: Int) -> Bool {
        interval.lowerBound >= 6 && interval.upperBound <= 3_200 && latency <= 499 && (10...3_200).contains(timeout)
            && timeout * Span.timeoutUnit > (1 + latency) * interval.upperBound * Span.intervalUnit * 2
    }

    var intervalSpan: Int { interval * Span.intervalUnit }
    var timeoutSpan: Int { timeout * Span.timeoutUnit }
}
