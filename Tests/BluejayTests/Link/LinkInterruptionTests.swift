import Testing

@testable import Bluejay
@testable import CoreBluetooth

/// Interruptions of a link: a background task, Bluetooth off and on, a stop.
@Suite struct LinkInterruptionTests {
    let bench = LinkBench.connected()

    @Test func `during a background task, the reports of the end wait for the end of the task`() {
        bench.isTaskRunning = true
        bench.end(thermometer, CBError(.connectionTimeout))
        #expect(bench.lines.last == "interrupt the task: notConnected")
        #expect(bench.machine.isAbsent)
        bench.clear()
        bench.endTask()
        #expect(
            bench.lines == [
                "observers: disconnected from Thermometer", "handler: CBError 6, willReconnect true",
                "the disconnect has succeeded", "reconnect to Thermometer",
            ])
        bench.clear()
        bench.endTask()
        #expect(bench.lines == [])
    }

    @Test func `a requested end during a background task is under way until the task has ended`() {
        bench.isTaskRunning = true
        bench.cancelEverything()
        bench.end()
        #expect(bench.machine.isDisconnecting)
        bench.endTask()
        #expect(!bench.machine.isDisconnecting)
        #expect(bench.lines.last == "the disconnect has succeeded")
    }

    @Test func `Bluetooth going off during a background task does not keep back the reports`() {
        bench.isTaskRunning = true
        bench.end(thermometer, CBError(.connectionTimeout))
        bench.clear()
        bench.loseBluetooth()
        #expect(
            bench.lines == [
                "fail RSSI: bluetoothUnavailable", "release", "fail everything at once: bluetoothUnavailable",
                "the disconnect has failed: bluetoothUnavailable",
            ])
        bench.clear()
        bench.endTask()
        #expect(bench.lines.first == "observers: disconnected from Thermometer")
    }

    @Test func `a task that ends while the link lasts has nothing to report`() {
        bench.isTaskRunning = true
        bench.endTask()
        #expect(bench.lines == [])
    }

    @Test func `Bluetooth off ends a connection at once, and it is not made again`() {
        bench.loseBluetooth()
        #expect(
            bench.lines == [
                "broadcast: bluetoothUnavailable", "end listeners: bluetoothUnavailable",
                "fail RSSI: bluetoothUnavailable", "release the connection",
                "fail everything at once: bluetoothUnavailable", "the disconnect has failed: bluetoothUnavailable",
            ])
        #expect(bench.machine.isAbsent && !bench.machine.isDisconnecting && !bench.machine.shouldReconnect)
        bench.clear()
        bench.end(thermometer, CBError(.peripheralDisconnected))
        #expect(bench.lines == ["log"])
    }

    @Test func `after Bluetooth is on again, the next connection is as the first`() {
        bench.loseBluetooth()
        bench.clear()
        bench.start()
        bench.didConnect()
        #expect(bench.lines == ["connect", "the attempt has succeeded", "observers: connected"])
        #expect(bench.machine.shouldReconnect)
    }

    @Test func `listeners hear of a disconnect under way once, not of Bluetooth too`() {
        bench.disconnect(immediate: true)
        bench.clear()
        bench.onEffect["fail everything at once: bluetoothUnavailable"] = { [bench] in
            #expect(bench.machine.isDisconnecting)
        }
        bench.loseBluetooth()
        #expect(bench.lines.first == "end listeners: bluetoothUnavailable")
        #expect(bench.lines.last == "the disconnect has failed: bluetoothUnavailable")
        #expect(!bench.machine.isDisconnecting)
    }

    @Test func `Bluetooth off ends an attempt at once`() {
        let bench = LinkBench.connecting()
        bench.loseBluetooth()
        #expect(
            bench.lines == [
                "fail RSSI: bluetoothUnavailable", "release", "fail everything at once: bluetoothUnavailable",
                "the disconnect has failed: bluetoothUnavailable",
            ])
        #expect(bench.machine.isAbsent && !bench.machine.shouldReconnect)
        bench.clear()
        bench.didConnect()
        #expect(bench.lines == ["log"])
    }

    @Test func `Bluetooth off without a link leaves reconnecting as it is`() {
        let bench = LinkBench()
        bench.loseBluetooth()
        #expect(bench.machine.shouldReconnect)
    }

    @Test func `before Bluetooth was on for the first time, operations go on waiting for it`() {
        bench.loseBluetooth(hadBluetooth: false)
        #expect(!bench.lines.contains { $0.hasPrefix("fail everything") })
        #expect(bench.machine.isAbsent)
    }

    @Test func `a stop lets go of the connection without ending it`() {
        bench.stop()
        #expect(
            bench.lines == [
                "broadcast: stopped", "fail everything: stopped", "end listeners: stopped",
                "release the connection", "the disconnect has failed: stopped",
            ])
        #expect(bench.machine.isAbsent && bench.machine.shouldReconnect)
    }

    @Test func `a stop drops the reports that wait for the end of a task`() {
        bench.isTaskRunning = true
        bench.end(thermometer, CBError(.connectionTimeout))
        bench.stop()
        bench.clear()
        bench.endTask()
        #expect(bench.lines == [])
    }

    @Test func `a stop during a disconnect forgets that it was requested`() {
        bench.disconnect(immediate: true)
        bench.stop()
        #expect(!bench.machine.isDisconnecting)
        bench.adopt()
        #expect(!bench.machine.isDisconnecting && bench.machine.shouldReconnect)
    }
}
