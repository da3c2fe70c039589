import Foundation
import MainLoop
import Testing

struct SignalWatchTests {
    /// Each of a signal that nothing in this process has watched for yet.
    @Test(arguments: [SIGUSR1, SIGUSR2, SIGWINCH, SIGURG, SIGCONT])
    func `a signal just after the start of a watch is not missed`(number: Int32) async {
        let received = FirstOutcome<Int32>()
        let watch = SignalWatch([number], queue: .main) { received.report($0) }
        kill(getpid(), number)
        #expect(await received.value(within: .seconds(20), otherwise: 0) == number)
        withExtendedLifetime(watch) {}
    }

    @Test func `a later watch of the same signal gets it, too`() async {
        for _ in 0..<3 {
            let received = FirstOutcome<Int32>()
            let watch = SignalWatch([SIGTTOU], queue: .main) { received.report($0) }
            kill(getpid(), SIGTTOU)
            #expect(await received.value(within: .seconds(20), otherwise: 0) == SIGTTOU)
            withExtendedLifetime(watch) {}
        }
    }

    @Test func `a watch for a hangup that nohup ignores stays away from it`() async {
        signal(SIGHUP, SIG_IGN)
        let received = FirstOutcome<Int32>()
        let watch = SignalWatch([SIGHUP, SIGTTIN], queue: .main) { received.report($0) }
        kill(getpid(), SIGHUP)
        kill(getpid(), SIGTTIN)
        #expect(await received.value(within: .seconds(20), otherwise: 0) == SIGTTIN)
        withExtendedLifetime(watch) {}
    }
}
