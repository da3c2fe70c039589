import MainLoop
import Synchronization
import TestSupport
import Testing

@testable import CoreBluetooth

/// Writes down the values that a peripheral's delegate gets.
private final class ValueLog: NSObject, CBPeripheralDelegate, Swift.Sendable {
    private let texts = Mutex<[String]>([])
    private let onValue = Mutex<(@Sendable () -> Void)?>(nil)

    var values: [String] { texts.withLock(\.self) }

    func onEachValue(_ action: @escaping @Sendable () -> Void) { onValue.withLock { $0 = action } }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        texts.withLock { $0.append(String(decoding: characteristic.value ?? Data(), as: UTF8.self)) }
        onValue.withLock(\.self)?()
    }
}

private struct LauncherFailure: Error {}

@Suite struct RestorationClientTests {
    private let bench: AgentBench
    private let queue = DispatchQueue(label: "manager")
    private let peripheral = CBPeripheral(identifier: UUID(), manager: nil)
    private let service: CBService
    private let characteristic: CBCharacteristic
    private let log = ValueLog()
    private let key = CharacteristicKey(service: "s", characteristic: "c", path: "service0010/char0011")

    init() throws {
        bench = try AgentBench()
        service = CBService(uuid: CBUUID(string: "180D"), isPrimary: true, peripheral: peripheral)
        characteristic = CBCharacteristic(uuid: CBUUID(string: "2A37"), properties: .notify, service: service)
        peripheral.delegate = log
    }

    private func makeClient(
        timeout: Duration = .seconds(20), startAgent: @escaping @Sendable (AgentLocation) throws -> Void = { _ in }
    ) -> RestorationClient {
        RestorationClient(
            AppRegistration(identifier: "test", command: nil),
            at: AgentAccess(location: bench.location, timeout: timeout, start: startAgent),
            inbox: RestorationInbox(delegateQueue: DelegateQueue(queue)))
    }

    @LoopActor
    private func open(_ client: RestorationClient) async -> Welcome? {
        await withCheckedContinuation { continuation in client.open { continuation.resume(returning: $0) } }
    }

    /// Connects and subscribes, as a link does.
    @LoopActor
    private func subscribe(_ client: RestorationClient) async throws -> AgentSubscription {
        client.connected(PeripheralRequest(peripheral: peripheral.identifier, adapter: "a", reconnects: false))
        let subscription = AgentSubscription(
            characteristic, key, of: peripheral.identifier, usesSocket: nil, client: client)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            subscription.start { continuation.resume(with: $0) }
        }
        return subscription
    }

    private func wait(_ what: String, until condition: () async -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while await !condition() {
            try #require(ContinuousClock.now < deadline, "\(what)")
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test func `values wait until the app knows that notifications are on`() async throws {
        try bench.start()
        let client = makeClient()
        #expect(await open(client)?.peripherals == [])
        await client.inbox.start()
        let subscription = try await subscribe(client)
        bench.notify("a", from: peripheral.identifier, key)
        bench.notify("b", from: peripheral.identifier, key)
        queue.sync {}
        #expect(log.values == [])
        await subscription.isOn()
        try await wait("two values") { log.values.count == 2 }
        #expect(log.values == ["a", "b"])
        await client.close()
        try await wait("the agent no longer knows of it") { bench.isIdle }
    }

    @Test func `what the app has not begun to handle is there for the next one`() async throws {
        try bench.start()
        let client = makeClient()
        _ = await open(client)
        await client.inbox.start()
        let subscription = try await subscribe(client)
        // The app stops in the middle of its third value, as one that is killed there does.
        let (stopped, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        log.onEachValue { [log] in
            guard log.values.count == 3 else { return }
            stopped.signal()
            release.wait()
        }
        await subscription.isOn()
        for text in ["1", "2", "3", "4", "5"] { bench.notify(text, from: peripheral.identifier, key) }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                stopped.wait()
                continuation.resume()
            }
        }
        // The same process, hence the agent lets the next registration in.
        let (next, nextQueue) = (ValueLog(), DispatchQueue(label: "next"))
        let again = RestorationClient(
            AppRegistration(identifier: "test", command: nil),
            at: AgentAccess(location: bench.location) { _ in },
            inbox: RestorationInbox(delegateQueue: DelegateQueue(nextQueue)))
        let welcome = try #require(await open(again))
        #expect(welcome.peripherals.map(\.state) == [.connected])
        let request = try #require(welcome.peripherals.first?.subscriptions.first)
        peripheral.delegate = next
        await adopt(request, again)
        try await wait("the rest") { next.values.count == 2 }
        #expect(next.values == ["4", "5"] && log.values == ["1", "2", "3"])
        await client.inbox.close()
        release.signal()
        await again.close()
        await client.close()
    }

    @LoopActor
    private func adopt(_ request: SubscriptionRequest, _ client: RestorationClient) {
        let subscription = AgentSubscription(
            characteristic, request.key, of: request.peripheral, usesSocket: nil, client: client)
        subscription.adopt(request.subscription)
        client.inbox.start()
    }

    @Test func `when the agent has ended another is started, and subscribes again`() async throws {
        let starts = Mutex(0)
        let client = makeClient { [bench] _ in
            starts.withLock { $0 += 1 }
            try bench.start()
        }
        #expect(await open(client) != nil, "started on demand")
        await client.inbox.start()
        let subscription = try await subscribe(client)
        await subscription.isOn()
        bench.notify("a", from: peripheral.identifier, key)
        try await wait("the value") { log.values == ["a"] }
        bench.stop()
        try await wait("another agent, which subscribes") {
            starts.withLock(\.self) == 2 && bench.calls.contains("subscribe")
        }
        bench.notify("b", from: peripheral.identifier, key)
        try await wait("the next value") { log.values == ["a", "b"] }
        await client.close()
    }

    /// The state waits for the controller, and the agent may end meanwhile.
    @Test func `what an agent has told that has ended is asked of the next one`() async throws {
        let request = SubscriptionRequest(subscription: 1, peripheral: peripheral.identifier, key: key)
        let link = PeripheralRequest(peripheral: peripheral.identifier, adapter: "a", reconnects: false)
        var record = PeripheralRecord(link, state: .connected)
        record.subscriptions = [request]
        var app = AppRecord(registration: AppRegistration(identifier: "test", command: nil), process: nil)
        app.peripherals = [record]
        app.scan = ScanRecord(adapter: "a", services: ["180d"], allowsDuplicates: false)
        app.nextSubscription = 2
        try bench.start(RestorationRecord(apps: [app]), linksAreUp: true)
        let client = makeClient { [bench] _ in try bench.start() }
        let welcome = try #require(await open(client))
        #expect(welcome.peripherals.first?.subscriptions == [request])
        bench.stop()
        try await wait("another agent") { await client.hasAnotherAgent }
        #expect(!bench.calls.contains("subscribe"))
        await client.connected(link)
        await adopt(request, client)
        let scan = try #require(welcome.scan)
        await client.adopt(scan)
        try await wait("its subscription") { bench.calls.contains("subscribe") }
        bench.notify("a", from: peripheral.identifier, key)
        try await wait("the value") { log.values == ["a"] }
        try await wait("its scan") { bench.scan == scan }
        await client.close()
    }

    @Test func `without an agent the program goes on without restoration`() async throws {
        let client = makeClient { _ in throw LauncherFailure() }
        #expect(await open(client) == nil)
        #expect(await !client.isAvailable)
    }

    /// On a machine that is very busy, or with an agent that is stopped.
    @Test func `a program begins without an agent that is late, and takes it up when it comes`() async throws {
        let client = makeClient(timeout: .milliseconds(50))
        #expect(await open(client) == nil)
        #expect(await !client.isAvailable)
        await client.connected(PeripheralRequest(peripheral: peripheral.identifier, adapter: "a", reconnects: false))
        try bench.start()
        try await wait("the agent") { await client.isAvailable }
        try await wait("the link") { bench.calls.contains("keep") }
        let subscription = try await subscribe(client)
        await subscription.isOn()
        bench.notify("a", from: peripheral.identifier, key)
        try await wait("the value") { log.values == ["a"] }
        await client.close()
    }

    @Test func `what a late agent has kept is forgotten`() async throws {
        var app = AppRecord(registration: AppRegistration(identifier: "test", command: nil), process: nil)
        let request = PeripheralRequest(peripheral: peripheral.identifier, adapter: "a", reconnects: false)
        app.peripherals = [PeripheralRecord(request, state: .connected)]
        let client = makeClient(timeout: .milliseconds(50))
        #expect(await open(client) == nil)
        try bench.start(RestorationRecord(apps: [app]))
        try await wait("the agent") { await client.isAvailable }
        try await wait("the end of what it has kept") { bench.calls.contains("release") }
        #expect(bench.calls == ["keep", "release"] || bench.calls == ["release"])
        await client.close()
    }

    @Test(arguments: [
        ("", Duration.seconds(6)), (#"{"UIApplicationLaunchOptionsBluetoothCentralsKey":["a"]}"#, .seconds(20)),
    ])
    private func `a program that the agent has started waits longer for it`(options: String, timeout: Duration) {
        let environment = options.isEmpty ? [:] : [LaunchEnvironment.variable: options]
        #expect(AgentAccess.timeout(in: environment) == timeout)
    }

    @Test @LoopActor func `an agent that was given up is not called again`() async throws {
        let client = makeClient { _ in throw LauncherFailure() }
        _ = await open(client)
        // The attempt that has failed is over by now.
        await withCheckedContinuation { continuation in MainLoop.shared.async { continuation.resume() } }
        #expect(client.connection.timer == nil)
    }
}
