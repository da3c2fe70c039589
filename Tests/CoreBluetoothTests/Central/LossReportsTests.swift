import BlueZ
import MainLoop
import TestSupport
import Testing

@testable import CoreBluetooth

@LoopActor
@Suite(.fewAtOnce, .timeLimit(.minutes(5))) struct LossReportsTests {
    @Test func `the first loss is reported at once and what follows in one`() async throws {
        var reported: [PacketLoss] = []
        let reports = LossReports(interval: .milliseconds(5)) { reported.append($0) }
        reports.add(PacketLoss(dropped: 1))
        #expect(reported == [PacketLoss(dropped: 1)])
        reports.add(PacketLoss(dropped: 2))
        reports.add(PacketLoss(fullQueues: 1))
        #expect(reported.count == 1)
        try await eventually("the second report") { reported.count == 2 }
        #expect(reported[1] == PacketLoss(dropped: 2, fullQueues: 1))
    }

    @Test func `what was not reported yet is reported at the end`() {
        var reported: [PacketLoss] = []
        let reports = LossReports { reported.append($0) }
        for _ in 0..<3 { reports.add(PacketLoss(dropped: 1)) }
        reports.end()
        reports.end()
        #expect(reported == [PacketLoss(dropped: 1), PacketLoss(dropped: 2)])
    }

    @Test func `a sentence says what is missing`() {
        var loss = CBNotificationLoss()
        #expect(loss.description == "no values lost")
        loss += PacketLoss(dropped: 1)
        #expect(loss.description.hasPrefix("1 value dropped"))
        loss += PacketLoss(dropped: 2, fullQueues: 2)
        #expect(loss.description.hasPrefix("3 values dropped"))
        #expect(loss.description.contains("may be missing"))
    }
}
