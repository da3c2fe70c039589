import Testing

@testable import Bluejay

/// What is refused, and why. The first reason in the order of the suite's tests counts.
@Suite struct LinkAdmissionTests {
    static let names = [
        "scan", "connect", "disconnect", "disconnect at once", "access", "signal strength", "task",
    ]
    private static let requests: [LinkRequest] = [
        .scan, .connection, .disconnection(immediate: false), .disconnection(immediate: true), .characteristic,
        .signalStrength, .backgroundTask,
    ]

    /// The refused requests with their reasons.
    private func refusals(_ bench: LinkBench, _ change: (inout LinkCircumstances) -> Void = { _ in }) -> [String] {
        var circumstances = LinkCircumstances()
        change(&circumstances)
        return zip(Self.names, Self.requests).compactMap { name, request in
            bench.machine.refusal(of: request, circumstances).map { "\(name): \($0.short)" }
        }
    }

    @Test func `without a link`() {
        #expect(
            refusals(LinkBench()) == [
                "disconnect: notConnected", "disconnect at once: notConnected", "access: notConnected",
                "signal strength: notConnected", "task: notConnected",
            ])
    }

    @Test func `while connecting`() {
        #expect(
            refusals(.connecting()) == [
                "connect: multipleConnectNotSupported", "access: notConnected", "signal strength: notConnected",
                "task: notConnected",
            ])
    }

    @Test func `while connected`() {
        #expect(refusals(.connected()) == ["connect: multipleConnectNotSupported"])
    }

    @Test func `while a requested end is under way`() {
        let bench = LinkBench.connected()
        bench.disconnect(immediate: true)
        #expect(
            refusals(bench) == [
                "connect: multipleConnectNotSupported", "disconnect: multipleDisconnectNotSupported",
                "disconnect at once: multipleDisconnectNotSupported", "task: notConnected",
            ])
        bench.onEffect["observers: disconnected from Thermometer"] = {
            #expect(
                refusals(bench) == [
                    "disconnect: multipleDisconnectNotSupported",
                    "disconnect at once: multipleDisconnectNotSupported", "access: notConnected",
                    "signal strength: notConnected", "task: notConnected",
                ])
        }
        bench.end()
    }

    @Test func `while a disconnect is queued`() {
        #expect(
            refusals(.connected()) { $0.isDisconnectionPending = true } == [
                "scan: disconnectQueued", "connect: disconnectQueued",
                "disconnect: multipleDisconnectNotSupported", "access: disconnectQueued", "task: disconnectQueued",
            ])
    }

    @Test func `while a scan or a connection is queued`() {
        #expect(
            refusals(.connected()) { $0.isScanPending = true } == [
                "scan: multipleScanNotSupported", "connect: multipleConnectNotSupported",
            ])
        #expect(
            refusals(LinkBench()) { $0.isConnectionPending = true }.first
                == "connect: multipleConnectNotSupported")
    }

    @Test func `while a background task is running`() {
        #expect(
            refusals(.connected()) {
                $0.isTaskRunning = true
                $0.isDisconnectionPending = true
            } == [
                "scan: backgroundTaskRunning", "connect: backgroundTaskRunning",
                "disconnect: backgroundTaskRunning", "disconnect at once: backgroundTaskRunning",
                "access: backgroundTaskRunning", "signal strength: backgroundTaskRunning",
                "task: multipleBackgroundTaskNotSupported",
            ])
    }

    @Test func `before the start`() {
        #expect(
            refusals(LinkBench()) { $0.isStarted = false } == Self.names.map { "\($0): BluejayNotStartedError" })
    }

    @Test func `an operation starts on a connection that lasts`() {
        #expect(LinkBench().machine.refusalOfStart?.short == "notConnected")
        #expect(LinkBench.connecting().machine.refusalOfStart?.short == "notConnected")
        let bench = LinkBench.connected()
        #expect(bench.machine.refusalOfStart == nil)
        bench.disconnect(immediate: true)
        #expect(bench.machine.refusalOfStart?.short == "explicitDisconnect")
    }
}
