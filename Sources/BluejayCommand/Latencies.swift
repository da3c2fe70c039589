import Bluejay
import PlainText

/// How long repeated requests took.
struct Latencies {
    private var milliseconds: [Double] = []
    private let start = ContinuousClock.now

    mutating func add(_ duration: Duration) {
        milliseconds.append(Self.milliseconds(duration))
    }

    /// The latency in ms that a share of the requests did not exceed.
    private func percentile(_ share: Double) -> Double {
        guard !milliseconds.isEmpty else { return 0 }
        let rank = Int((Double(milliseconds.count) * share).rounded(.up))
        return milliseconds.sorted()[min(max(rank, 1), milliseconds.count) - 1]
    }

    private var total: Double { Self.milliseconds(ContinuousClock.now - start) }

    var text: String {
        "\(milliseconds.count) requests in \(fixedPoint(total / 1000, places: 3)) s, p50 "
            + "\(fixedPoint(percentile(0.5), places: 3)) ms, p99 \(fixedPoint(percentile(0.99), places: 3)) ms"
    }

    func add(to object: inout JSONObject) {
        object.add("count", milliseconds.count)
        object.add("seconds", total / 1000, places: 6)
        object.add("p50", percentile(0.5), places: 3)
        object.add("p99", percentile(0.99), places: 3)
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
    }
}
