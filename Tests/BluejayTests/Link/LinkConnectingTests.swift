import Testing

@testable import Bluejay
@testable import CoreBluetooth

@Suite struct LinkConnectingTests {
    @Test func `at first there is no link, and it would be made again`() {
        let machine = LinkBench().machine
        #expect(machine.isAbsent && machine.attempt == nil && machine.connection == nil)
        #expect(!machine.isDisconnecting && machine.shouldReconnect)
    }

    @Test func `an attempt succeeds`() {
        let bench = LinkBench()
        bench.start()
        #expect(bench.machine.attempt === bench.attempt && !bench.machine.isAbsent)
        bench.didConnect()
        #expect(bench.lines == ["connect", "the attempt has succeeded", "observers: connected"])
        #expect(bench.machine.connection === bench.connection && bench.machine.attempt == nil)
    }

    @Test func `an attempt that fails is repeated`() {
        let bench = LinkBench.connecting()
        bench.end(thermometer, CBError(.connectionFailed))
        #expect(
            bench.lines == [
                "release", "fail RSSI: notConnected", "close the attempt", "fail operations: unexpectedDisconnect",
                "interrupt the task: notConnected", "observers: disconnected from Thermometer",
                "handler: CBError 10, willReconnect true", "the disconnect has succeeded",
                "the attempt has failed: unexpectedDisconnect", "reconnect to Thermometer",
            ])
        #expect(bench.machine.isAbsent)
    }

    @Test func `an attempt times out, is given up, and is not repeated`() {
        let bench = LinkBench.connecting()
        bench.timeOut()
        #expect(bench.lines == ["fail operations: connectionTimedOut", "cancel the attempt"])
        #expect(bench.machine.attempt != nil && !bench.machine.isDisconnecting)
        bench.clear()
        bench.end()
        #expect(
            bench.lines == [
                "release", "fail RSSI: explicitDisconnect", "close the attempt", "fail what waited behind",
                "interrupt the task: notConnected", "observers: disconnected from Thermometer",
                "handler: no error, willReconnect false", "the disconnect has succeeded",
                "the attempt has failed: connectionTimedOut",
            ])
        #expect(!bench.machine.shouldReconnect)
    }

    @Test func `a connection that comes up while the attempt is given up is ignored`() {
        let bench = LinkBench.connecting()
        bench.timeOut()
        bench.clear()
        bench.didConnect()
        #expect(bench.lines == [])
        #expect(bench.machine.connection == nil && bench.machine.attempt != nil)
    }

    @Test func `the time of an attempt that has ended means nothing`() {
        let connected = LinkBench.connected()
        connected.timeOut()
        #expect(connected.lines == [])

        let cancelled = LinkBench.connecting()
        cancelled.cancelEverything()
        cancelled.clear()
        cancelled.timeOut()
        #expect(cancelled.lines == [])
    }

    @Test func `an attempt that is cancelled is given up once`() {
        let bench = LinkBench.connecting()
        bench.cancelEverything(shouldDisconnect: false)
        #expect(bench.machine.isDisconnecting && !bench.machine.shouldReconnect)
        bench.cancelEverything()
        #expect(
            bench.lines == ["fail everything: cancelled", "cancel the attempt", "fail everything: cancelled"])
        bench.clear()
        bench.end()
        #expect(bench.lines.last == "the attempt has failed: cancelled")
        #expect(!bench.machine.isDisconnecting && bench.machine.isAbsent)
    }

    @Test func `an attempt that timed out can still be cancelled, and keeps its reason`() {
        let bench = LinkBench.connecting()
        bench.timeOut()
        bench.cancelEverything()
        #expect(bench.machine.isDisconnecting)
        bench.clear()
        bench.end()
        #expect(bench.lines.last == "the attempt has failed: connectionTimedOut")
        #expect(!bench.machine.isDisconnecting)
    }

    @Test func `an attempt whose task was cancelled is given up and not repeated`() {
        let bench = LinkBench.connecting()
        bench.abandonAttempt()
        #expect(bench.lines == ["cancel the attempt"])
        #expect(bench.machine.isDisconnecting)
        bench.end()
        #expect(bench.lines.last == "the attempt has failed: CancellationError()")
        #expect(!bench.machine.shouldReconnect)
    }

    @Test func `a task that is cancelled too late changes nothing`() {
        let bench = LinkBench.connected()
        bench.abandonAttempt()
        #expect(bench.lines == [])
        #expect(!bench.machine.isDisconnecting && bench.machine.shouldReconnect)
    }

    @Test func `events of other peripherals are logged and ignored`() {
        let connecting = LinkBench.connecting()
        connecting.didConnect(stranger)
        connecting.end(stranger)
        #expect(connecting.lines == ["log", "log"])
        #expect(connecting.machine.attempt != nil)

        let connected = LinkBench.connected()
        connected.didConnect()
        connected.end(stranger)
        #expect(connected.lines == ["log", "log"])
        #expect(connected.machine.connection === connected.connection)

        let idle = LinkBench()
        idle.didConnect()
        idle.end()
        #expect(idle.lines == ["log", "log"])
        #expect(idle.machine.isAbsent)
    }

    @Test func `a restored connection is a connection`() {
        let bench = LinkBench()
        bench.adopt()
        #expect(bench.machine.connection === bench.connection && bench.machine.shouldReconnect)
        bench.end(thermometer, CBError(.connectionTimeout))
        #expect(bench.lines.last == "reconnect to Thermometer")
    }

    @Test func `the failure of a restored attempt concerns its completion only`() {
        let bench = LinkBench.connecting(isRestoration: true)
        bench.end(thermometer, CBError(.connectionFailed))
        #expect(
            bench.lines.dropFirst(4) == [
                "interrupt the task: notConnected", "the disconnect has succeeded",
                "the attempt has failed: unexpectedDisconnect",
            ])
        #expect(!bench.machine.shouldReconnect)
    }

    @Test func `a restored attempt that succeeds is a link as any other`() {
        let bench = LinkBench.connecting(isRestoration: true)
        bench.didConnect()
        bench.end(thermometer, CBError(.connectionTimeout))
        #expect(bench.lines.last == "reconnect to Thermometer")
    }
}
