import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import RestorationAgent

@Suite struct AgentCoreTests {
    private let backend = FakeBackend()
    private let host = FakeHost()
    private let core: AgentCore
    private let sensor = UUID.numbered(1)

    init() {
        core = AgentCore(
            record: RestorationRecord(), backend: backend, host: host,
            queue: DispatchQueue(label: "test"))
    }

    private func request(_ peripheral: UUID? = nil, reconnects: Bool = false) -> PeripheralRequest {
        PeripheralRequest(peripheral: peripheral ?? sensor, adapter: "00:AA", reconnects: reconnects)
    }

    /// A program that has registered.
    private func register(process: Int32 = 7, _ registration: AppRegistration = .app()) -> FakePeer {
        core.register(process: process, registration, on: host)
    }

    /// A program that is connected to the sensor and listens to the chirps.
    private func listener(process: Int32 = 7, _ registration: AppRegistration = .app()) -> FakePeer {
        let peer = register(process: process, registration)
        let number = peer.welcome?.nextSubscription ?? 0
        #expect(core.receive(.connecting(request()), from: peer))
        #expect(core.receive(.connected(request()), from: peer))
        #expect(
            core.receive(
                .subscribe(SubscriptionRequest(subscription: number, peripheral: sensor, key: .chirp)), from: peer))
        return peer
    }

    private func kill(_ peer: FakePeer) { core.kill(peer, on: host) }

    private func notify(_ text: String, path: String = CharacteristicKey.chirp.path) {
        backend.observer?.received(Data(text.utf8), from: sensor, path: path)
    }

    @Test func `a new program is welcomed with nothing to restore and a socket`() {
        let app = register()
        #expect(app.welcome == Welcome(nextSubscription: 1, peripherals: []))
        #expect(app.inbox != nil)
    }

    @Test func `a value goes to the socket of its subscriber, marked with its number`() {
        let app = listener()
        #expect(backend.takeCalls() == ["keep 1", "subscribe 1 service0010/char0011"])
        #expect(app.messages.last == .subscribed(subscription: 1, failure: nil))
        notify("a")
        notify("b")
        notify("other", path: CharacteristicKey.rate.path)
        #expect(app.takeAll() == ["1: a", "1: b"])
        #expect(host.launched.isEmpty)
    }

    @Test func `the first value for a killed program starts it, and all values are handed over in order`() {
        let app = listener()
        notify("read")
        #expect(app.takeAll() == ["1: read"])
        _ = backend.takeCalls()
        kill(app)
        #expect(host.launched.isEmpty, "nothing has happened yet")
        #expect(backend.takeCalls() == ["keep 1"], "the subscription stays")
        for number in 0..<1000 { notify("\(number)") }
        #expect(host.launched.map(\.registration) == [.app()])

        let next = register(process: 1000)
        #expect(next.welcome?.nextSubscription == 2)
        #expect(next.welcome?.peripherals.map(\.state) == [.connected])
        #expect(next.welcome?.peripherals.first?.subscriptions.map(\.key) == [.chirp])
        var values: [String] = []
        let deadline = ContinuousClock.now + .seconds(10)
        // What the socket has no room for follows as it is read.
        while values.count < 1000, ContinuousClock.now < deadline { values += next.takeAll() }
        #expect(values == (0..<1000).map { "1: \($0)" })
        host.advance(by: 100)
        #expect(host.launched.count == 1)
    }

    @Test func `a value that the program had not read when it died starts it`() {
        let app = listener()
        notify("a")
        notify("b")
        #expect(app.take()?.value == Data("a".utf8))
        kill(app)
        #expect(host.launched.count == 1)
        #expect(register(process: 1000).takeAll() == ["1: b"])
    }

    @Test func `a program that takes leave is not started again, and its connection ends`() {
        let app = listener()
        _ = backend.takeCalls()
        #expect(core.receive(.goodbye, from: app))
        core.connectionIsGone(app)
        #expect(backend.takeCalls() == ["release 1, disconnecting"])
        notify("a")
        backend.observer?.disconnected(sensor, isComing: false)
        host.advance(by: 100)
        #expect(host.launched.isEmpty)
        #expect(core.isIdle && host.saved.last?.apps == [])
    }

    @Test func `a lost connection is no death: a program that still runs may come back`() {
        let app = listener()
        core.connectionIsGone(app)
        notify("a")
        host.advance(by: 100)
        #expect(host.launched.isEmpty)
        let back = register(process: 7, .app(isResuming: true))
        #expect(back.welcome == Welcome(nextSubscription: 2, peripherals: []), "it knows what it has")
        #expect(back.takeAll() == ["1: a"])
    }

    @Test func `a loss of the link while the program is dead starts it with the news`() {
        let app = listener()
        kill(app)
        backend.observer?.disconnected(sensor, isComing: false)
        #expect(host.launched.count == 1)
        let next = register(process: 1000)
        #expect(next.welcome?.peripherals.map(\.state) == [.disconnected])
        // It dies before it has taken notice.
        kill(next)
        #expect(host.launched.count == 2)
        let another = register(process: 1000)
        #expect(another.welcome?.peripherals.map(\.state) == [.disconnected])
        #expect(core.receive(.released(peripheral: sensor), from: another))
        kill(another)
        #expect(core.isIdle, "reported")
    }

    @Test func `a pending connection that comes about while the program is dead starts it`() {
        let app = register()
        #expect(core.receive(.connecting(request()), from: app))
        kill(app)
        #expect(backend.takeCalls() == ["keep 1"])
        #expect(host.launched.isEmpty)
        backend.observer?.connected(sensor)
        #expect(host.launched.count == 1)
        #expect(register(process: 1000).welcome?.peripherals.map(\.state) == [.connected])
    }

    @Test func `with reconnection the subscriptions are made again`() {
        let app = listener()
        #expect(core.receive(.connected(request(reconnects: true)), from: app))
        kill(app)
        _ = backend.takeCalls()
        backend.observer?.disconnected(sensor, isComing: true)
        backend.moved = [CharacteristicKey.chirp.path: "service0030/char0031"]
        backend.observer?.connected(sensor)
        #expect(backend.takeCalls() == ["subscribe 1 service0010/char0011"])
        notify("a", path: "service0030/char0031")
        let next = register(process: 1000)
        #expect(next.welcome?.peripherals.map(\.state) == [.connected])
        #expect(next.takeAll() == ["1: a"])
    }

    @Test func `when bluetoothd comes back, a dead program's subscriptions do, however often it takes`() {
        let app = listener()
        kill(app)
        _ = backend.takeCalls()
        backend.observer?.bluetoothIsGone()
        #expect(host.launched.isEmpty)
        // The link breaks again while the subscription is made.
        backend.failure = AgentFailure(domain: .core, code: 7, text: "lost")
        backend.observer?.connected(sensor)
        backend.failure = nil
        backend.observer?.connected(sensor)
        #expect(backend.takeCalls() == Array(repeating: "subscribe 1 service0010/char0011", count: 2))
        notify("a")
        #expect(register(process: 1000).takeAll() == ["1: a"])
    }

    @Test func `a service that goes while the program is dead ends its subscriptions and starts it`() {
        let app = listener()
        #expect(
            core.receive(
                .subscribe(SubscriptionRequest(subscription: 2, peripheral: sensor, key: .rate)), from: app))
        kill(app)
        backend.observer?.servicesChanged(sensor, invalidated: ["s1"], paths: ["service0010"])
        #expect(host.launched.count == 1)
        let next = register(process: 1000)
        let restored = next.welcome?.peripherals.first
        #expect(restored?.serviceChange == ServiceChangeRecord(invalidated: ["s1"]))
        #expect(restored?.subscriptions.map(\.key) == [.rate])
        #expect(core.receive(.connected(request()), from: next))
        #expect(core.record.apps.first?.peripherals.first?.serviceChange == nil, "reported")
    }

    @Test func `two programs share a characteristic; it is turned off when the last one leaves`() {
        let (one, two) = (listener(), listener(process: 8, .app("other")))
        notify("a")
        #expect(one.takeAll() == ["1: a"] && two.takeAll() == ["1: a"])
        _ = backend.takeCalls()
        #expect(core.receive(.unsubscribe(subscription: 1), from: one))
        #expect(backend.takeCalls() == [])
        #expect(one.messages.last == .unsubscribed(subscription: 1, failure: nil))
        notify("b")
        #expect(one.takeAll() == [] && two.takeAll() == ["1: b"])
        #expect(core.receive(.goodbye, from: one))
        #expect(backend.takeCalls() == [], "the other is still connected")
        #expect(core.receive(.unsubscribe(subscription: 1), from: two))
        #expect(backend.takeCalls() == ["unsubscribe 1 service0010/char0011"])
    }

    @Test func `a second process of the same identifier is refused while the first one lives`() {
        let app = listener()
        let second = FakePeer(process: 8)
        host.alive.insert(8)
        #expect(!core.receive(.hello(.app()), from: second))
        #expect(second.refusal == "process 7 uses the restore identifier heart")
        notify("a")
        #expect(app.takeAll() == ["1: a"])
    }

    @Test func `a program that never registers is started less and less often`() {
        kill(listener())
        notify("a")
        #expect(host.launched.count == 1)
        var gaps: [Double] = []
        for _ in 0..<4 {
            host.alive.remove(1000)
            let start = host.now
            let count = host.launched.count
            while host.launched.count == count, host.now < start + 600 {
                host.advance(by: 0.25)
            }
            gaps.append(host.now - start)
        }
        #expect(gaps == gaps.sorted() && gaps[3] >= 7, "\(gaps)")
    }

    @Test func `a program that never registers is started ten times, and again once it has registered by itself`()
        throws
    {
        kill(listener())
        notify("a")
        for _ in 0..<50 {
            host.alive.remove(1000)
            host.advance(by: 600)
            notify("b")
        }
        #expect(host.launched.count == 10)
        let line = try #require(host.lines.last)
        #expect(line.hasSuffix("is not restarted until it registers by itself: 10 starts failed"))
        kill(register())
        #expect(host.launched.count == 11, "there are values for it")
    }

    @Test func `a program whose process cannot be found out has a minute to register`() {
        kill(listener())
        host.knowsProcesses = false
        notify("a")
        host.advance(by: 59)
        #expect(host.launched.count == 1)
        host.advance(by: 3)
        #expect(host.launched.count == 2)
        #expect(register(process: 1000).takeAll() == ["1: a"])
        host.advance(by: 100)
        #expect(host.launched.count == 2)
    }

    @Test func `a program that dies of every value is not started more than every two seconds, and loses none`() {
        var app = listener()
        for number in 0..<20 {
            kill(app)
            notify("\(number)")
            let started = host.launched.count
            if started <= number { host.advance(by: 2.1) }
            #expect(host.launched.count == number + 1)
            app = register(process: 1000)
            #expect(app.takeAll() == ["1: \(number)"])
        }
        #expect(host.now > 18)
    }

    @Test func `a failed subscription is reported, and is not on the record`() {
        backend.failure = AgentFailure(domain: .att, code: 3, text: "no")
        let app = listener()
        #expect(app.messages.last == .subscribed(subscription: 1, failure: backend.failure))
        #expect(core.record.apps.first?.peripherals.first?.subscriptions == [])
    }

    @Test func `after its own restart the agent connects and subscribes again, and starts programs that have ended`() {
        _ = listener()
        let other = listener(process: 8, .app("gone"))
        let record = core.record
        core.connectionIsGone(other)
        host.alive.remove(8)

        let backend = FakeBackend()
        let again = AgentCore(
            record: record, backend: backend, host: host, queue: DispatchQueue(label: "again"))
        again.start()
        #expect(backend.takeCalls() == ["keep 1"], "for the one that has ended")
        #expect(
            again.apps.first { $0.record.registration.identifier == "gone" }?.welcome.peripherals.map(\.state)
                == [.connecting], "not yet")
        backend.observer?.connected(sensor)
        #expect(backend.takeCalls() == ["subscribe 1 service0010/char0011"])
        #expect(host.launched.isEmpty, "a connection made again is no news")
        backend.observer?.received(Data("a".utf8), from: sensor, path: CharacteristicKey.chirp.path)
        #expect(host.launched.map(\.registration.identifier) == ["gone"])
    }

    /// An agent that takes up the record of this one, whose programs are all dead.
    private func nextAgent() -> (AgentCore, FakeBackend) {
        let backend = FakeBackend()
        let agent = AgentCore(
            record: core.record, backend: backend, host: host, queue: DispatchQueue(label: "next"))
        return (agent, backend)
    }

    @Test func `a program that the last agent has started is not started again`() {
        kill(listener())
        notify("a")
        #expect(host.launched.count == 1)
        #expect(host.saved.last == core.record, "the next agent has to know it")
        let (next, backend) = nextAgent()
        next.start()
        backend.observer?.connected(sensor)
        backend.observer?.received(Data("b".utf8), from: sensor, path: CharacteristicKey.chirp.path)
        host.advance(by: 10)
        #expect(host.launched.count == 1)
        let app = FakePeer(process: 1000)
        #expect(next.receive(.hello(.app()), from: app))
        #expect(app.welcome != nil && app.takeAll() == ["1: b"])
        #expect(next.record.apps.first?.started == nil)
    }

    @Test func `a program that the last agent has started and that has died is started again`() {
        kill(listener())
        notify("a")
        host.alive.remove(1000)
        let (next, backend) = nextAgent()
        next.start()
        backend.observer?.connected(sensor)
        backend.observer?.received(Data("b".utf8), from: sensor, path: CharacteristicKey.chirp.path)
        #expect(host.launched.count == 2)
    }

    /// A program that comes to an agent that has just begun to connect.
    private func waiting(for agent: AgentCore) -> FakePeer {
        agent.start()
        host.alive.insert(1000)
        let app = FakePeer(process: 1000)
        #expect(agent.receive(.hello(.app()), from: app))
        return app
    }

    @Test(arguments: [false, true])
    func `a program that comes before the agent has its links is welcomed when it has`(isStarted: Bool) {
        kill(listener())
        let (next, backend) = nextAgent()
        // With `start` the agent has begun to connect; without it the program is even faster.
        if isStarted { next.start() }
        backend.moved = [CharacteristicKey.chirp.path: "service0030/char0031"]
        backend.isHoldingAnswers = true
        let app = FakePeer(process: 1000)
        #expect(next.receive(.hello(.app()), from: app))
        #expect(app.welcome == nil)
        #expect(Set(backend.takeCalls()) == ["keep 1"])
        backend.observer?.connected(sensor)
        #expect(backend.takeCalls() == ["subscribe 1 service0010/char0011"])
        #expect(app.welcome == nil, "where the characteristic is now is not known yet")
        backend.answer()
        #expect(app.welcome?.peripherals.map(\.state) == [.connected])
        #expect(app.welcome?.peripherals.first?.subscriptions.map(\.key.path) == ["service0030/char0031"])
        backend.observer?.received(Data("a".utf8), from: sensor, path: "service0030/char0031")
        #expect(app.takeAll() == ["1: a"])
        host.advance(by: 100)
        #expect(app.messages.count == 1, "one welcome")
    }

    @Test func `a link that is lost, or does not come, is reported in the welcome`() {
        kill(listener())
        let (next, backend) = nextAgent()
        let app = waiting(for: next)
        backend.observer?.disconnected(sensor, isComing: false)
        #expect(app.welcome?.peripherals.map(\.state) == [.disconnected])

        let (another, _) = nextAgent()
        host.alive = []
        let other = waiting(for: another)
        host.advance(by: 4)
        #expect(other.welcome == nil)
        host.advance(by: 2)
        #expect(other.welcome?.peripherals.map(\.state) == [.connecting])
    }

    @Test func `a program that dies while it waits for its welcome is started again`() {
        kill(listener())
        let (next, backend) = nextAgent()
        let app = waiting(for: next)
        next.connectionIsGone(app)
        host.alive.remove(1000)
        host.advance(by: 0.1)
        backend.observer?.connected(sensor)
        backend.observer?.received(Data("a".utf8), from: sensor, path: CharacteristicKey.chirp.path)
        #expect(host.launched.count == 1)
        host.advance(by: 100)
        #expect(app.welcome == nil)
    }

    @Test func `what breaks the protocol is refused`() {
        let stranger = FakePeer(process: 9)
        #expect(!core.receive(.released(peripheral: sensor), from: stranger))
        var old = AppRegistration.app()
        old.version = 0
        #expect(!core.receive(.hello(old), from: stranger))
        let app = register()
        #expect(!core.receive(.hello(.app()), from: app), "twice")
        for number in 2..<40 where number <= AgentLimits.peripherals + 1 {
            #expect(core.receive(.connecting(request(.numbered(number))), from: app))
        }
        #expect(!core.receive(.connecting(request(.numbered(99))), from: app), "too many")
        let stale = SubscriptionRequest(subscription: 0, peripheral: .numbered(2), key: .chirp)
        #expect(!core.receive(.subscribe(stale), from: app), "a number used before")
    }

    @Test func `a program with two managers is started once`() {
        let (first, second) = (listener(process: 7, .app("one")), listener(process: 7, .app("two")))
        core.connectionIsGone(first)
        kill(second)
        notify("a")
        #expect(host.launched.count == 1)
        let again = register(process: 1000, .app("one"))
        host.advance(by: 1)
        #expect(host.launched.count == 1, "it is about to register the other")
        #expect(register(process: 1000, .app("two")).takeAll() == ["1: a"])
        #expect(again.takeAll() == ["1: a"])
    }

    @Test func `a program that registers only one of its managers is started for the other`() {
        let (first, second) = (listener(process: 7, .app("one")), listener(process: 7, .app("two")))
        core.connectionIsGone(first)
        kill(second)
        notify("a")
        _ = register(process: 1000, .app("one"))
        host.advance(by: 10)
        #expect(host.launched.map(\.registration.identifier) == ["one", "two"])
    }
}
