import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import RestorationAgent

/// What the agent does for programs that are peripherals.
@Suite struct AgentPublishingTests {
    private let host = FakeHost()
    private let publisher = FakePublisher()
    private let core: AgentCore

    private static let service = ServiceRecord(
        number: 1, uuid: "180D", isPrimary: true,
        characteristics: [CharacteristicRecord(uuid: "2A37", properties: 0x10, permissions: 1)])
    private static let advertisement = AdvertisementRecord(localName: "Counter")
    private static let place = CharacteristicPlace(service: 1, index: 0)
    private static let central = SubscribedCentral(
        place: place, central: CentralRecord(identifier: .numbered(9), mtu: 247))

    init() { core = Self.core(RestorationRecord(), publisher, host) }

    private static func core(_ record: RestorationRecord, _ publisher: FakePublisher, _ host: FakeHost) -> AgentCore {
        AgentCore(
            record: record, backend: FakeBackend(), host: host, queue: DispatchQueue(label: "test"),
            makePublisher: { _ in publisher })
    }

    private func register(process: Int32 = 7, isResuming: Bool = false, _ core: AgentCore? = nil) -> FakePeer {
        host.alive.insert(process)
        let peer = FakePeer(process: process)
        let registration = AppRegistration.app(isResuming: isResuming, role: .peripheral)
        #expect((core ?? self.core).receive(.hello(registration), from: peer))
        return peer
    }

    /// A program that has published and advertises.
    private func peripheral() -> FakePeer {
        let peer = register()
        publisher.change(to: 5)
        let epoch = peer.welcome?.publication?.epoch ?? -1
        #expect(core.receive(.publish(Self.service, epoch: epoch), from: peer))
        #expect(core.receive(.advertise(Self.advertisement, epoch: epoch), from: peer))
        #expect(publisher.takeCalls() == ["publish 1 180D", "advertise Counter"])
        return peer
    }

    private func kill(_ peer: FakePeer, _ core: AgentCore? = nil) {
        (core ?? self.core).connectionIsGone(peer)
        if let process = peer.process { host.alive.remove(process.identifier) }
        host.advance(by: 0.1)
    }

    private func ask(_ number: UInt32) {
        publisher.observer?.received(
            CentralRequest(
                number: number, place: Self.place, central: Self.central.central, offset: 0, value: nil,
                wantsResponse: nil), publisher)
    }

    private func requests(to peer: FakePeer) -> [UInt32] {
        peer.messages.compactMap { if case .request(let request) = $0 { request.number } else { nil } }
    }

    // MARK: Programs that publish again

    /// As a program does that removes all its services when it finds Bluetooth on.
    @Test func `a request to a service that the program withdraws is refused`() {
        let peer = peripheral()
        kill(peer)
        ask(3)
        let again = register(process: 8)
        #expect(requests(to: again) == [3])
        #expect(core.receive(.withdraw(service: 1), from: again))
        #expect(publisher.takeCalls() == ["respond 3 14", "withdraw 1"])
        // The program's own answer comes too late.
        #expect(core.receive(.respond(CentralAnswer(request: 3, code: 0, value: nil)), from: again))
        #expect(publisher.takeCalls() == [])
    }

    // MARK: Programs that run

    @Test func `the welcome waits for the controller's state`() {
        let peer = register()
        #expect(peer.messages.isEmpty)
        publisher.change(to: 5)
        #expect(peer.welcome?.publication?.state == 5 && peer.welcome?.publication?.record.isEmpty == true)
    }

    @Test func `a program that waits for long is welcomed without a state and learns it later`() {
        let peer = register()
        host.advance(by: 6)
        #expect(peer.welcome?.publication?.state == 0)
        publisher.change(to: 5)
        #expect(peer.messages.last == .state(5, epoch: 1))
    }

    @Test func `what the program asks for is done and answered`() {
        let peer = peripheral()
        #expect(peer.messages.suffix(2) == [.published(service: 1, failure: nil), .advertising(failure: nil)])
        ask(4)
        #expect(requests(to: peer) == [4])
        #expect(core.receive(.respond(CentralAnswer(request: 4, code: 0, value: Data([1]))), from: peer))
        #expect(core.receive(.respond(CentralAnswer(request: 4, code: 0, value: nil)), from: peer), "once more")
        #expect(core.receive(.stopAdvertising, from: peer))
        #expect(core.receive(.withdraw(service: 1), from: peer))
        #expect(publisher.takeCalls() == ["respond 4 0", "stop advertising", "withdraw 1"])
        #expect(core.record.apps.first?.publication?.isEmpty == true)
    }

    @Test func `what was asked for before a change of state is refused`() {
        let peer = peripheral()
        publisher.change(to: 4)
        #expect(peer.messages.last == .state(4, epoch: 2))
        publisher.change(to: 5)
        var late = Self.service
        late.number = 2
        #expect(core.receive(.publish(late, epoch: 1), from: peer))
        guard case .published(2, .some) = peer.messages.last else { return #expect(Bool(false), "\(peer.messages)") }
        #expect(publisher.takeCalls().isEmpty && core.record.apps.first?.publication?.services == [])
    }

    @Test func `a service that cannot be published is not kept`() {
        let peer = register()
        publisher.change(to: 5)
        publisher.failure = AgentFailure(domain: .core, code: 8, text: "no")
        #expect(core.receive(.publish(Self.service, epoch: 1), from: peer))
        #expect(peer.messages.last == .published(service: 1, failure: publisher.failure))
        #expect(core.record.apps.first?.publication?.services == [])
    }

    @Test func `values are passed on as there is room`() {
        let peer = peripheral()
        publisher.room = 2
        let values = ["a", "b", "c"].map { ValueUpdate(place: Self.place, value: Data($0.utf8)) }
        #expect(core.receive(.update(values), from: peer))
        #expect(peer.messages.last == .updated(count: 2))
        publisher.room = 5
        publisher.observer?.isReady(publisher)
        #expect(peer.messages.last == .updated(count: 1))
        #expect(publisher.takeCalls() == ["update a", "update b", "update c"])
    }

    @Test func `a program that hands over too many values breaks the protocol`() {
        let peer = peripheral()
        publisher.room = 0
        let value = ValueUpdate(place: Self.place, value: Data())
        #expect(core.receive(.update(Array(repeating: value, count: AgentLimits.updates)), from: peer))
        #expect(!core.receive(.update([value]), from: peer))
    }

    @Test func `each role has its own messages`() {
        let peer = peripheral()
        let request = PeripheralRequest(peripheral: .numbered(1), adapter: "00:AA", reconnects: false)
        #expect(!core.receive(.connecting(request), from: peer))
        host.alive.insert(8)
        let central = FakePeer(process: 8)
        #expect(core.receive(.hello(.app()), from: central), "the same identifier, for a central")
        #expect(!core.receive(.publish(Self.service, epoch: 1), from: central))
    }

    // MARK: Programs that are gone

    @Test func `a killed program is started by a request, which it finds when it is back`() throws {
        let peer = peripheral()
        kill(peer)
        #expect(publisher.takeCalls().isEmpty, "what it has published stays")
        #expect(host.launched.isEmpty)
        publisher.subscriptions = [Self.central]
        ask(4)
        ask(5)
        #expect(host.launched.count == 1)
        let next = register(process: 1000)
        let publication = try #require(next.welcome?.publication)
        #expect(publication.record.services == [Self.service] && publication.record.nextService == 2)
        #expect(publication.record.advertisement == Self.advertisement)
        #expect(publication.subscriptions == [Self.central] && publication.state == 5)
        #expect(requests(to: next) == [4, 5])
        #expect(publisher.takeCalls().isEmpty)
    }

    @Test func `a request that the dead program had taken and not answered starts it`() {
        let peer = peripheral()
        ask(4)
        ask(5)
        #expect(core.receive(.respond(CentralAnswer(request: 4, code: 0, value: nil)), from: peer))
        kill(peer)
        #expect(host.launched.count == 1)
        #expect(requests(to: register(process: 1000)) == [5])
    }

    @Test func `a subscription starts a program and its end does not`() {
        let peer = peripheral()
        kill(peer)
        publisher.observer?.unsubscribed(Self.central, publisher)
        #expect(host.launched.isEmpty)
        publisher.observer?.subscribed(Self.central, publisher)
        #expect(host.launched.count == 1)
    }

    @Test func `a request that nobody answers ends in time, and only so many wait`() {
        let peer = peripheral()
        kill(peer)
        for number in 0..<UInt32(AgentLimits.requests) { ask(number) }
        _ = publisher.takeCalls()
        ask(1000)
        #expect(publisher.takeCalls() == ["respond 1000 17"])
        host.advance(by: AgentLimits.requestTimeout + 1)
        #expect(publisher.takeCalls().count == AgentLimits.requests)
        #expect(requests(to: register(process: 1000)).isEmpty)
    }

    @Test func `values of a program that has died still go out`() {
        let peer = peripheral()
        publisher.room = 0
        #expect(core.receive(.update([ValueUpdate(place: Self.place, value: Data("last".utf8))]), from: peer))
        kill(peer)
        let next = register(process: 8)
        publisher.room = 1
        publisher.observer?.isReady(publisher)
        #expect(publisher.takeCalls() == ["update last"])
        guard case .welcome = next.messages.last else { return #expect(Bool(false), "it has not sent that value") }
    }

    @Test func `a program that takes leave withdraws everything`() {
        let peer = peripheral()
        #expect(core.receive(.goodbye, from: peer))
        #expect(publisher.takeCalls() == ["stop"] && core.isIdle)
    }

    @Test func `a program that has published nothing is forgotten when it dies`() {
        let peer = register()
        publisher.change(to: 5)
        kill(peer)
        #expect(core.isIdle && publisher.takeCalls() == ["stop"])
    }

    // MARK: Bluetooth and the agent come and go

    @Test func `for a dead program all is published again when Bluetooth is back`() {
        let peer = peripheral()
        kill(peer)
        publisher.change(to: 1)
        publisher.change(to: 5)
        #expect(publisher.takeCalls() == ["publish 1 180D", "advertise Counter"])
        #expect(register(process: 8).welcome?.publication?.record.services == [Self.service])
    }

    @Test func `the loss of Bluetooth while it is published again takes nothing from the record`() {
        let peer = peripheral()
        kill(peer)
        publisher.isHoldingAnswers = true
        publisher.change(to: 1)
        publisher.change(to: 5)
        publisher.change(to: 1)
        publisher.isHoldingAnswers = false
        publisher.change(to: 5)
        let publication = register(process: 8).welcome?.publication
        #expect(publication?.record.services == [Self.service] && publication?.record.advertisement != nil)
    }

    @Test func `the next agent publishes what a dead program had`() throws {
        let peer = peripheral()
        kill(peer)
        let saved = try #require(host.saved.last)
        let (later, next) = (FakePublisher(), FakeHost())
        let core = Self.core(saved, later, next)
        core.start()
        later.change(to: 5)
        #expect(later.takeCalls() == ["publish 1 180D", "advertise Counter"])
        #expect(next.launched.isEmpty)
    }

    @Test func `a program that has lost its agent begins anew`() throws {
        _ = peripheral()
        let saved = try #require(host.saved.last)
        let later = FakePublisher()
        let core = Self.core(saved, later, host)
        core.start()
        let peer = register(isResuming: true, core)
        later.change(to: 5)
        #expect(later.takeCalls().isEmpty && peer.welcome?.publication?.record.isEmpty == true)
    }

    @Test func `what cannot be published again is the program's to publish`() throws {
        let peer = peripheral()
        kill(peer)
        publisher.change(to: 1)
        publisher.failure = AgentFailure(domain: .core, code: 0, text: "no")
        publisher.change(to: 5)
        #expect(register(process: 8).welcome?.publication?.record.isEmpty == true)
    }

    // MARK: Limits

    @Test func `a record beyond the limits is not kept`() {
        var record = PublicationRecord()
        record.services = [Self.service]
        #expect(!record.isWithinLimits, "its number was never given")
        record.nextService = 2
        #expect(record.isWithinLimits)
        record.services += [Self.service]
        #expect(!record.isWithinLimits, "a number twice")
        record.services = [Self.service]
        record.advertisement = AdvertisementRecord(localName: String(repeating: "x", count: 2000))
        #expect(!record.isWithinLimits)
        record.advertisement = nil
        record.services[0].characteristics[0].value = Data(count: 100_000)
        #expect(!record.isWithinLimits)
    }

    @Test func `too many services are refused and those before stay`() {
        let peer = peripheral()
        var large = Self.service
        large.number = 2
        large.characteristics = Array(
            repeating: CharacteristicRecord(uuid: "2A00", properties: 2, permissions: 1, value: Data(count: 512)),
            count: 60)
        #expect(core.receive(.publish(large, epoch: 1), from: peer))
        guard case .published(2, .some) = peer.messages.last else { return #expect(Bool(false), "\(peer.messages)") }
        #expect(core.record.apps.first?.publication?.services == [Self.service])
        #expect(!core.receive(.publish(large, epoch: 1), from: peer), "a number twice")
    }
}
