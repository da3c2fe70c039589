/// Makes sure that a service is known before one of its characteristics is used.
final class DiscoverServiceOperation: QueuedOperation {
    private let service: ServiceIdentifier
    private let peripheral: ConnectedPeripheral
    /// The operation that needs the service.
    private let dependent: QueuedOperation

    init(_ service: ServiceIdentifier, on peripheral: ConnectedPeripheral, for dependent: QueuedOperation) {
        self.service = service
        self.peripheral = peripheral
        self.dependent = dependent
    }

    override var summary: String { "discovery of service \(service.uuid.uuidString)" }
    override var prepares: QueuedOperation? { dependent }

    override func start() {
        if dependent.phase == .ended || peripheral.isDiscovered(service) { return complete {} }
        peripheral.discover(service)
    }

    override func process(_ event: BluetoothEvent) -> Bool {
        guard case .servicesDiscovered(let error) = event else { return false }
        if error == nil { peripheral.discovered(service) }
        if let error {
            complete { report(error) }
        } else if peripheral.isDiscovered(service) {
            complete {}
        } else {
            complete { report(BluejayError.missingService(service)) }
        }
        return true
    }

    override func interrupt() {
        peripheral.abandon(.services)
    }

    override func report(_ error: any Error) {
        dependent.fail(error)
    }
}
