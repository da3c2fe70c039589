package import PlainText

/// How long repeated requests took.
package struct Latencies {
    private var milliseconds: [Double] = []
    private let start = ContinuousClock.now

    package init() {}

    package mutating func add(_ duration: Duration) {
        milliseconds.append(Self.milliseconds(duration))
    }

    /// The latency in ms that a share of the requests did not exceed.
    private func percentile(_ share: Double) -> Double {
        guard !milliseconds.isEmpty else { return 0 }
        let rank = Int((Double(milliseconds.count) * share).rounded(.up))
        return milliseconds.sorted()[min(max(rank, 1), milliseconds.count) - 1]
    }

    private var total: Double { Self.milliseconds(ContinuousClock.now - start) }

    /// For people: `300 requests in 0.512 s, p50 1.700 ms, p99 2.104 ms`.
    package var text: String {
        "\(milliseconds.count) requests in \(fixedPoint(total / 1000, places: 3)) s, p50 "
            + "\(fixedPoint(percentile(0.5), places: 3)) ms, p99 \(fixedPoint(percentile(0.99), places: 3)) ms"
    }

    /// For programs: `count`, `seconds`, and `p50` and `p99` in ms.
    package func add(to object: inout JSONObject) {
        object.add("count", milliseconds.count)
        object.add("seconds", total / 1000, places: 6)
        object.add("p50", percentile(0.5), places: 3)
        object.add("p99", percentile(0.99), places: 3)
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
    }
}
