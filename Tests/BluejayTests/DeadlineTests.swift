import TestSupport
import Testing

@testable import Bluejay

@MainActor @Suite struct DeadlineTests {
    let time = ManualClock()

    @Test func `the time-out comes once, when the time is over`() {
        var count = 0
        let deadline = Deadline(time)
        deadline.set(in: 2) {
            #expect(!deadline.isSet)
            count += 1
        }
        #expect(deadline.isSet)
        time.advance(by: 1.9)
        #expect(count == 0)
        time.advance(by: 10)
        #expect(count == 1 && !deadline.isSet)
    }

    @Test func `after the event there is no time-out`() {
        let deadline = Deadline(time)
        deadline.set(in: 2) { Issue.record("came") }
        deadline.clear()
        #expect(!deadline.isSet && time.pendingCount == 0)
        time.advance(by: 10)
    }

    @Test func `a new deadline takes the place of the old one`() {
        var came: [String] = []
        let deadline = Deadline(time)
        deadline.set(in: 1) { came.append("old") }
        deadline.set(in: 2) { came.append("new") }
        time.advance(by: 10)
        #expect(came == ["new"])
    }

    @Test func `without a number of seconds there is no time-out`() {
        let deadline = Deadline(time)
        deadline.set(in: 1) { Issue.record("came") }
        deadline.set(in: nil) { Issue.record("came") }
        #expect(!deadline.isSet && time.pendingCount == 0)
    }

    @Test func `a time-out may set the deadline again`() {
        var count = 0
        let deadline = Deadline(time)
        deadline.set(in: 1) {
            count += 1
            deadline.set(in: 1) { count += 1 }
        }
        time.advance(by: 2)
        #expect(count == 2)
    }

    @Test func `nobody is called after the deadline was released`() {
        Deadline(time).set(in: 1) { Issue.record("came") }
        time.advance(by: 10)
    }
}
