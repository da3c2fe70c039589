import CoreBluetooth
import MainLoop

/// The services of a running peripheral. Used on the peripheral's queue only.
final class SimulatedServices {
    let clock: any Clock
    let seed: UInt64
    private(set) var all: [SimulatedService] = []
    /// Whether nothing is sent and nothing is answered for a while, on purpose.
    var isSilent = false
    /// Called after each change of the subscriptions.
    var onSubscriptionChange: (() -> Void)?
    /// What answers requests in place of the profile.
    weak var source: (any AnswerSource)?
    /// Called when a value that is about to be sent goes wrong, or a subscription does.
    var onFault: ((SimulatedCharacteristic, Fault.Action) -> Void)?
    /// Called with each value that a simulation has sent in consequence of a write.
    var onMessage: ((SimulatedCharacteristic, Data) -> Void)?

    /// The number of the L2CAP channel with a name; nil while it is not offered.
    var channelPSM: (String) -> CBL2CAPPSM? = { _ in nil }

    init(_ profile: PeripheralProfile, seed: UInt64, clock: any Clock) {
        self.seed = seed
        self.clock = clock
        all = profile.services.map { SimulatedService($0, of: self) }
    }

    /// Adds services, which are not published yet.
    func add(_ profiles: [ServiceProfile]) {
        all += profiles.map { SimulatedService($0, of: self) }
    }

    /// Forgets services, which are withdrawn already.
    func forget(_ services: [SimulatedService]) {
        all.removeAll { service in services.contains { $0 === service } }
        for service in services { service.dissolve() }
    }

    deinit {
        for service in all { service.dissolve() }
    }

    var characteristics: [SimulatedCharacteristic] { all.flatMap(\.characteristics) }

    func service(named name: String) -> SimulatedService? {
        all.first { $0.profile.name == name }
    }

    func characteristic(at path: CharacteristicPath) -> SimulatedCharacteristic? {
        service(named: path.service)?.characteristics.first { $0.profile.name == path.characteristic }
    }

    func characteristic(for attribute: CBCharacteristic) -> SimulatedCharacteristic? {
        for service in all {
            for characteristic in service.characteristics where characteristic.registration === attribute {
                return characteristic
            }
        }
        return nil
    }

    /// Adds a fault.
    ///
    /// - Returns: false if there are ``Fault/maximumCount`` already.
    func add(_ fault: Fault, to characteristic: SimulatedCharacteristic) -> Bool {
        let count = all.reduce(0) { $1.characteristics.reduce($0) { $0 + $1.faultCount } }
        guard count < Fault.maximumCount else { return false }
        characteristic.add(fault)
        return true
    }

    /// Why ``add(_:to:)`` has refused.
    static let tooManyFaults: String = "too many faults (limit \(Fault.maximumCount)): clear some first"

    /// There is room again: sends what waits.
    func sendWaiting() {
        for service in all {
            for characteristic in service.characteristics { characteristic.sendWaiting() }
        }
    }

    /// The characteristic that chirps, if the profile has one.
    var chirp: SimulatedCharacteristic? {
        all.lazy.flatMap(\.characteristics).first { $0.profile.chirps }
    }

    /// A seed for one characteristic that follows from that of the run.
    func seed(for path: CharacteristicPath) -> UInt64 {
        // FNV-1a, so that two characteristics of the same kind do not send the same values.
        path.description.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// A service of a running peripheral. It outlives its registrations: what was written is kept when the service is
/// withdrawn and published again. Used on the peripheral's queue only.
final class SimulatedService {
    let profile: ServiceProfile
    private(set) unowned var services: SimulatedServices
    private(set) var characteristics: [SimulatedCharacteristic] = []
    /// The simulation of a standard service; it is shared by the characteristics.
    let model: (any ServiceModel)?
    /// Whether a value of the simulation is on its way.
    private var isSending = false
    /// Whether it should be published.
    var isWanted: Bool
    /// The object that is registered, or being registered.
    private(set) var registration: CBMutableService?
    /// The state of the registration.
    private(set) var publication = Publication.none

    enum Publication {
        /// There is no registration.
        case none
        /// It was requested.
        case pending
        /// It is confirmed: centrals can find the service.
        case done
        /// It was refused.
        case failed
    }

    var isPublished: Bool { publication == .done }

    init(_ profile: ServiceProfile, of services: SimulatedServices) {
        self.profile = profile
        self.services = services
        isWanted = profile.isPublished
        let seed = services.seed(for: CharacteristicPath(profile.name, ""))
        model = profile.standard?.makeModel(ModelSetup(seed: seed, clock: .system))
        characteristics = profile.characteristics.map { SimulatedCharacteristic($0, of: self) }
    }

    /// Lets go of the characteristics, which keep the service.
    fileprivate func dissolve() {
        characteristics = []
    }

    /// Makes fresh objects for a registration at `server`.
    func makeRegistration(server: any GATTServer) -> CBMutableService {
        withdraw()
        let service = CBMutableService(type: CBUUID(string: profile.uuid), primary: profile.isPrimary)
        service.characteristics = characteristics.map { $0.makeRegistration(server: server) }
        registration = service
        publication = .pending
        return service
    }

    /// The registration is confirmed.
    func confirm() {
        publication = .done
    }

    /// The registration was refused.
    func fail() {
        withdraw()
        publication = .failed
    }

    /// Forgets the registration, and the subscriptions with it.
    func withdraw() {
        registration = nil
        publication = .none
        for characteristic in characteristics { characteristic.withdraw() }
    }

    // MARK: Simulation

    /// Passes a value that was written on to the simulation.
    func write(_ value: Data, to characteristic: SimulatedCharacteristic) throws(CBATTError) {
        let client = ModelClient { [characteristics] uuid in
            characteristics.contains { $0.profile.uuid == uuid && !$0.subscribers.isEmpty }
        }
        try model?.write(Array(value), to: characteristic.profile.uuid, by: client)
    }

    /// Sends what follows from a write, value by value. To be called when the write was answered.
    func sendMessages() {
        guard !isSending, let message = model?.nextMessage() else { return }
        isSending = true
        deliver(message, after: message.pause)
    }

    private func deliver(_ message: ModelMessage, after pause: Double) {
        services.clock.after(pause) { [weak self] in
            guard let self else { return }
            if let characteristic = characteristics.first(where: { $0.profile.uuid == message.uuid }) {
                let value = Data(message.value)
                // The link takes no more at the moment.
                guard characteristic.sendOrWait(value) else { return deliver(message, after: 0.01) }
                services.onMessage?(characteristic, value)
            }
            isSending = false
            sendMessages()
        }
    }
}
