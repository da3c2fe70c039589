import Testing

@testable import Bluejay
@testable import CoreBluetooth

@Suite struct LinkEndingTests {
    let bench = LinkBench.connected()

    @Test func `a lost connection fails what was queued, is reported, and is made again`() {
        bench.end(thermometer, CBError(.connectionTimeout))
        #expect(
            bench.lines == [
                "release the connection", "broadcast: notConnected", "fail operations: notConnected",
                "end listeners: notConnected", "fail RSSI: notConnected", "close the disconnect",
                "fail operations on the connection: explicitDisconnect", "interrupt the task: notConnected",
                "observers: disconnected from Thermometer", "handler: CBError 6, willReconnect true",
                "the disconnect has succeeded", "reconnect to Thermometer",
            ])
        #expect(bench.machine.isAbsent && bench.machine.shouldReconnect)
    }

    @Test func `a queued disconnect ends the connection at its turn, and it is not made again`() {
        bench.disconnect()
        #expect(!bench.machine.isDisconnecting && !bench.machine.shouldReconnect)
        bench.startDisconnect()
        #expect(bench.lines == ["broadcast: explicitDisconnect", "cancel the connection"])
        #expect(bench.machine.isDisconnecting && bench.machine.connection != nil)
        bench.clear()
        bench.end()
        #expect(
            bench.lines == [
                "release the connection", "end listeners: explicitDisconnect", "fail RSSI: explicitDisconnect",
                "close the disconnect", "fail operations on the connection: explicitDisconnect",
                "interrupt the task: notConnected", "observers: disconnected from Thermometer",
                "handler: no error, willReconnect false", "the disconnect has succeeded",
            ])
        #expect(!bench.machine.isDisconnecting && !bench.machine.shouldReconnect)
    }

    @Test func `an immediate disconnect fails everything first`() {
        bench.onEffect["fail everything: explicitDisconnect"] = { [bench] in
            #expect(bench.machine.isDisconnecting && bench.machine.connection != nil)
        }
        bench.disconnect(immediate: true)
        #expect(
            bench.lines == [
                "broadcast: explicitDisconnect", "fail everything: explicitDisconnect", "cancel the connection",
            ])
        bench.end()
        #expect(bench.lines.last == "the disconnect has succeeded")
    }

    @Test func `an immediate disconnect gives up an attempt`() {
        let bench = LinkBench.connecting()
        bench.disconnect(immediate: true)
        #expect(bench.lines == ["fail everything: explicitDisconnect", "cancel the attempt"])
        #expect(bench.machine.isDisconnecting)
        bench.end()
        #expect(
            bench.lines.suffix(2) == [
                "the disconnect has succeeded", "the attempt has failed: explicitDisconnect",
            ])
        #expect(!bench.machine.isDisconnecting && !bench.machine.shouldReconnect)
    }

    @Test func `a disconnect that waits behind an attempt prevents that the attempt is repeated no longer than it`() {
        let bench = LinkBench.connecting()
        bench.disconnect()
        #expect(!bench.machine.shouldReconnect)
        bench.end(thermometer, CBError(.connectionFailed))
        #expect(bench.lines.last == "reconnect to Thermometer")
    }

    @Test func `a withdrawn disconnect leaves the link as it was`() {
        bench.disconnect()
        bench.withdrawDisconnect()
        #expect(bench.machine.shouldReconnect)
        bench.disconnect()
        bench.startDisconnect()
        bench.withdrawDisconnect()
        #expect(!bench.machine.shouldReconnect)
    }

    @Test func `cancelling everything disconnects after the operations have failed`() {
        bench.onEffect["fail everything: cancelled"] = { [bench] in #expect(!bench.machine.isDisconnecting) }
        bench.cancelEverything()
        #expect(
            bench.lines == [
                "broadcast: cancelled", "fail everything: cancelled", "end listeners: cancelled",
                "cancel the connection",
            ])
        #expect(bench.machine.isDisconnecting && !bench.machine.shouldReconnect)
    }

    @Test func `cancelling everything can leave the connection alone`() {
        bench.cancelEverything(shouldDisconnect: false)
        #expect(bench.lines == ["broadcast: cancelled", "fail everything: cancelled"])
        #expect(!bench.machine.isDisconnecting && bench.machine.shouldReconnect)
    }

    @Test func `cancelling everything without a link fails the operations`() {
        let bench = LinkBench()
        bench.cancelEverything()
        #expect(bench.lines == ["fail everything: cancelled"])
        #expect(!bench.machine.isDisconnecting && bench.machine.shouldReconnect)
    }

    @Test func `a completion that disconnects forestalls the cancellation's own disconnect`() {
        bench.onEffect["fail everything: cancelled"] = { [bench] in bench.disconnect(immediate: true) }
        bench.cancelEverything()
        #expect(bench.lines.filter { $0 == "cancel the connection" }.count == 1)
        #expect(!bench.lines.contains("end listeners: cancelled"))
    }

    @Test(arguments: [false, true])
    func `a completion that stops and starts again keeps its new connection`(immediate: Bool) {
        let error = immediate ? "explicitDisconnect" : "cancelled"
        bench.onEffect["fail everything: \(error)"] = { [bench] in
            bench.stop()
            bench.adopt()
        }
        if immediate { bench.disconnect(immediate: true) } else { bench.cancelEverything() }
        #expect(!bench.lines.contains { $0.hasPrefix("cancel the connection") })
        #expect(bench.machine.connection === bench.connection && !bench.machine.isDisconnecting)
    }

    @Test func `a confirmation that does not come is done without; if it comes late, it is ignored`() {
        bench.disconnect(immediate: true)
        bench.clear()
        bench.confirmationTimesOut()
        #expect(bench.lines.first == "log" && bench.lines.last == "the disconnect has succeeded")
        #expect(bench.machine.isAbsent && !bench.machine.isDisconnecting)
        bench.clear()
        bench.end()
        #expect(bench.lines == ["log"])
    }

    @Test func `the handler decides about the new connection`() {
        bench.answer = .change(shouldAutoReconnect: false)
        bench.end(thermometer, CBError(.connectionTimeout))
        #expect(bench.lines.last == "the disconnect has succeeded")
        #expect(!bench.machine.shouldReconnect)

        let requested = LinkBench.connected()
        requested.answer = .change(shouldAutoReconnect: true)
        requested.disconnect(immediate: true)
        requested.end()
        #expect(requested.lines.last == "reconnect to Thermometer")

        let unchanged = LinkBench.connected()
        unchanged.answer = .noChange
        unchanged.end(thermometer, CBError(.connectionTimeout))
        #expect(unchanged.lines.last == "reconnect to Thermometer")
    }

    @Test func `the new connection has the timeout of the last request`() {
        bench.request(timeout: .seconds(7))
        bench.end(thermometer, CBError(.connectionTimeout))
        #expect(bench.lines.last == "reconnect to Thermometer within 7.0 s")
    }

    @Test func `a connection that the program has asked for meanwhile takes the place of the automatic one`() {
        bench.isConnectionPending = true
        bench.end(thermometer, CBError(.connectionTimeout))
        #expect(bench.lines.last == "the disconnect has succeeded")
        #expect(bench.machine.shouldReconnect)
    }

    @Test func `until it was reported to everybody, a requested end is under way`() {
        bench.disconnect(immediate: true)
        bench.onEffect["the disconnect has succeeded"] = { [bench] in
            #expect(bench.machine.isDisconnecting && bench.machine.isAbsent)
        }
        bench.end()
        #expect(!bench.machine.isDisconnecting)
    }

    @Test func `a program that stops and starts again during the report keeps its new connection`() {
        bench.onEffect["observers: disconnected from Thermometer"] = { [bench] in
            bench.stop()
            bench.adopt()
        }
        bench.end(thermometer, CBError(.connectionTimeout))
        #expect(!bench.lines.contains { $0.hasPrefix("reconnect") })
        #expect(bench.machine.connection === bench.connection)
    }
}
