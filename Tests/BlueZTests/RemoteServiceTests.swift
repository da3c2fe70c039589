import DBus
import MainLoop
import TestSupport
import Testing

@testable import BlueZ

@Suite(.timeLimit(.minutes(5)))
@LoopActor
struct RemoteServiceTests {
    private let session = BlueZSession { () throws(BusError) in throw .disconnected(call: "none") }
    private let device: Device

    init() {
        let adapter = Adapter(path: path("/org/bluez/hci0"), properties: PropertyValues(), session: session)
        device = Device(
            path: path("/org/bluez/hci0/dev_00_AA_01_00_00_00"), properties: PropertyValues(), adapter: adapter,
            session: session)
    }

    private func service(_ end: String, _ properties: [String: BusValue]) -> RemoteService {
        let service = RemoteService(
            path: device.path.appending(end), properties: PropertyValues(properties), device: device, session: session)
        device.servicesByPath[service.path] = service
        return service
    }

    /// bluetoothd 5.66 says so of a service whose handles overlap those of one that the device had before.
    @Test func `a service that no other includes is primary whatever bluetoothd says`() {
        #expect(service("service0060", ["Primary": .boolean(true)]).isPrimary)
        #expect(service("service0070", [:]).isPrimary)
        #expect(service("service0080", ["Primary": .boolean(false)]).isPrimary)
    }

    @Test func `a service that another includes is secondary`() {
        let included = service("service0080", ["Primary": .boolean(false)])
        let includer = service(
            "service0060", ["Primary": .boolean(true), "Includes": [included.path].busValue])
        #expect(!included.isPrimary && includer.isPrimary)
        // A primary service may be included, too.
        #expect(service("service0090", ["Primary": .boolean(true)]).isPrimary)
    }
}
