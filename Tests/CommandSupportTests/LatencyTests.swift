import CommandSupport
import Testing

@Suite struct LatencyTests {
    @Test func `percentiles are those of the nearest rank`() {
        var latencies = Latencies()
        for number in (1...100).reversed() { latencies.add(.milliseconds(number)) }
        #expect(latencies.text.contains("p50 50.000 ms, p99 99.000 ms"))
        var one = Latencies()
        one.add(.milliseconds(7))
        #expect(one.text.contains("p50 7.000 ms, p99 7.000 ms"))
        #expect(Latencies().text.contains("p50 0.000 ms"))
    }
}
