import MainLoop
import Synchronization
import TestSupport
import Testing

@testable import CoreBluetooth
@testable import Dittojay

/// A server without Bluetooth: it notes what it is asked for, and confirms nothing by itself.
final class FakeGATTServer: GATTServer {
    var state = CBManagerState.poweredOn
    private(set) var isAdvertising = false
    private(set) var services: [CBMutableService] = []
    /// The UUIDs of each advertisement.
    private(set) var advertisements: [[String]] = []
    /// How often it was to stop advertising.
    private(set) var stops = 0
    /// The answers by their codes.
    private(set) var answers: [Int] = []
    private(set) var sent: [Data] = []
    private var settling: [@Sendable () -> Void] = []
    /// What was asked for of L2CAP channels.
    private(set) var channels: [String] = []

    func startAdvertising(_ advertisementData: [String: Any]?) {
        isAdvertising = true
        let uuids = advertisementData?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        advertisements.append(uuids.map(\.uuidString))
    }

    func stopAdvertising() {
        isAdvertising = false
        stops += 1
    }

    func add(_ service: CBMutableService) { services.append(service) }
    func remove(_ service: CBMutableService) { services.removeAll { $0 === service } }
    func removeAllServices() { services = [] }
    func respond(to request: CBATTRequest, withResult result: CBATTError.Code) { answers.append(result.rawValue) }

    func publishL2CAPChannel(at psm: CBL2CAPPSM?, withEncryption encryptionRequired: Bool) {
        channels.append((psm.map { "\($0)" } ?? "any") + (encryptionRequired ? ", encrypted" : ""))
    }

    func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) { channels.append("not \(PSM)") }

    func updateValue(
        _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
    ) -> Bool {
        sent.append(value)
        return true
    }

    func settle(_ done: @escaping @Sendable () -> Void) { settling.append(done) }

    /// bluetoothd answers all that it was asked for.
    func answer() {
        for done in settling { done() }
        settling = []
    }
}

/// A controller whose links end as soon as they are asked to. It notes what it is asked for.
final class FakeLinkControl: LinkControl {
    nonisolated private let requests = Mutex<[String]>([])
    /// What the end of links is answered after, if not at once.
    nonisolated let delay = Mutex<FirstOutcome<Void>?>(nil)

    nonisolated init() {}

    /// What it was asked for, a line each.
    nonisolated var lines: [String] { requests.withLock { $0 } }

    /// What receives an answer, and notes it among the rest.
    nonisolated var pendingAnswer: PendingAnswer {
        PendingAnswer(owner: ObjectIdentifier(self)) { [self] code, _ in
            requests.withLock { $0.append("answer \(code.rawValue)") }
        }
    }

    func confirmConnection(of address: String, mtu: Int) {
        requests.withLock { $0.append("confirm \(address) \(mtu)") }
    }

    func disconnectCentrals(address: String?) async -> [String] {
        requests.withLock { $0.append("disconnect \(address ?? "all")") }
        await delay.withLock { $0 }?.value()
        return [address ?? "all"]
    }

    func signals() async -> [String: Int] { [Parts.central: -59] }

    func setPower(_ isOn: Bool) async throws { requests.withLock { $0.append("power \(isOn ? "on" : "off")") } }
}

/// The parts of a peripheral without the peripheral. The queue is the test's own thread, on which time passes, too.
final class Parts {
    static let central = "C0:00:00:00:00:02"

    let clock: ManualClock
    let events = EventOutput()
    let unanswered = UnansweredRequests()
    let services: SimulatedServices
    let links: CentralLinks
    let publication: ServicePublication
    let scenario: ScenarioPlayer
    let requests: RequestHandler
    let server = FakeGATTServer()
    let control = FakeLinkControl()
    /// The events without their times.
    private(set) var lines: [String] = []

    init(_ profile: PeripheralProfile = .lab, queue: DispatchQueue = DispatchQueue(label: "parts")) {
        clock = ManualClock(queue: queue)
        services = SimulatedServices(profile, seed: 1, clock: clock)
        links = CentralLinks(queue: queue, events: events, unanswered: unanswered)
        publication = ServicePublication(profile, localName: "Parts", services: services, events: events)
        scenario = ScenarioPlayer(services: services, links: links, events: events)
        requests = RequestHandler(
            services: services, links: links, unanswered: unanswered, scenario: scenario, events: events)
        links.use(control)
        requests.use(server)
        publication.use(server, on: .init(name: "hci0", address: "00:AA:01:00:00:00"))
        events.onEvent = { [unowned self] event in
            let text = event.text.drop { $0 != " " }.dropFirst()
            lines.append(text.replacingOccurrences(of: Self.central, with: "02"))
        }
    }

    /// Publishes all services that are wanted.
    func publish() {
        publication.start()
        for service in server.services { publication.published(service, error: nil) }
    }

    /// bluetoothd answers all that it was asked for, and the peripheral notices.
    func settle() {
        server.answer()
        clock.queue.sync {}
    }

    /// Withdraws a service, or all if nil, and returns the answer.
    func remove(_ service: String?) -> ControlReply {
        var answer = ControlReply(error: "no answer")
        if let service { publication.remove(service) { answer = $0 } } else { publication.removeAll { answer = $0 } }
        settle()
        return answer
    }

    /// What a central asks of a characteristic.
    func request(
        _ uuid: String, _ value: [UInt8]? = nil, offset: Int = 0, pendingAnswer: PendingAnswer? = nil
    ) throws -> CBATTRequest {
        let characteristic = try #require(
            server.services.lazy.compactMap(\.characteristics).joined().first { $0.uuid == CBUUID(string: uuid) })
        let identifier = try #require(CBPeer.identifier(forBluetoothAddress: Self.central, isRandom: true))
        return CBATTRequest(
            central: CBCentral(identifier: identifier, attMTU: 100), characteristic: characteristic, offset: offset,
            value: value.map { Data($0) }, pendingAnswer: pendingAnswer)
    }
}
