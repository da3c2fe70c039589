import CoreBluetooth
import DequeModule

/// A service of a running peripheral. It outlives its registrations: what was written stays written when the service is
/// withdrawn and comes back. Used on the peripheral's queue only.
final class SimulatedService {
    let profile: ServiceProfile
    let context: ServiceContext
    private(set) var characteristics: [SimulatedCharacteristic] = []
    /// Whether the user wants it to be there.
    var isWanted = true
    /// The object that is registered, or being registered.
    private(set) var registration: CBMutableService?
    /// How far the registration is.
    var publication = Publication.none

    enum Publication {
        /// There is no registration.
        case none
        /// It is asked for.
        case pending
        /// It is confirmed: centrals can find the service.
        case done
        /// It was refused.
        case failed
    }

    var isPublished: Bool { publication == .done }

    init(_ profile: ServiceProfile, context: ServiceContext) {
        self.profile = profile
        self.context = context
        characteristics = profile.characteristics.map { SimulatedCharacteristic($0, service: self) }
        for characteristic in characteristics { _ = characteristic.behaviour }
    }

    /// Makes fresh objects for a registration by `manager`.
    func makeRegistration(manager: CBPeripheralManager) -> CBMutableService {
        withdraw()
        let service = CBMutableService(type: CBUUID(string: profile.uuid), primary: true)
        service.characteristics = characteristics.map { $0.makeRegistration(manager: manager) }
        registration = service
        publication = .pending
        return service
    }

    /// Forgets the registration, and the subscriptions with it.
    func withdraw() {
        registration = nil
        publication = .none
        for characteristic in characteristics { characteristic.withdraw() }
    }
}

/// A characteristic of a ``SimulatedService``.
final class SimulatedCharacteristic {
    let profile: CharacteristicProfile
    private(set) unowned var service: SimulatedService
    private(set) lazy var behaviour = service.context.behaviour(of: self)

    /// How many notifications and indications were handed over for sending.
    private(set) var notificationCount: UInt64 = 0
    private(set) var registration: CBMutableCharacteristic?
    private weak var manager: CBPeripheralManager?
    private var waiting: Deque<Data> = []

    /// How many values may wait for room. Above it the user, or the central, is told.
    private static let waitingLimit = 64

    init(_ profile: CharacteristicProfile, service: SimulatedService) {
        self.profile = profile
        self.service = service
    }

    func makeRegistration(manager: CBPeripheralManager) -> CBMutableCharacteristic {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: profile.uuid), properties: profile.properties, value: nil,
            permissions: profile.permissions)
        registration = characteristic
        self.manager = manager
        return characteristic
    }

    func withdraw() {
        registration = nil
        manager = nil
        subscriptionsChanged()
    }

    /// The centrals that have subscribed.
    var subscribers: [CBCentral] { registration?.subscribedCentrals ?? [] }

    /// How many bytes fit into a notification to every subscriber.
    var maximumNotificationLength: Int { subscribers.lazy.map(\.maximumUpdateValueLength).min() ?? 20 }

    func subscriptionsChanged() {
        let isSubscribed = !subscribers.isEmpty
        if !isSubscribed { waiting.removeAll() }
        behaviour.subscriptionChanged(isSubscribed: isSubscribed)
    }

    /// Sends now; false if there is no room.
    func sendNow(_ value: Data) -> Bool {
        guard waiting.isEmpty, let manager, let registration else { return false }
        guard manager.updateValue(value, for: registration, onSubscribedCentrals: nil) else { return false }
        notificationCount += 1
        return true
    }

    /// Sends now, or as soon as there is room. Without subscribers nothing is sent.
    ///
    /// - Returns: false if so much waits that the value is refused.
    func sendOrWait(_ value: Data) -> Bool {
        guard !subscribers.isEmpty else { return true }
        if sendNow(value) { return true }
        guard waiting.count < Self.waitingLimit else { return false }
        waiting.append(value)
        return true
    }

    /// Sends what waits, as there is room again.
    func sendWaiting() {
        guard let manager, let registration else { return }
        while let value = waiting.first {
            guard manager.updateValue(value, for: registration, onSubscribedCentrals: nil) else { return }
            waiting.removeFirst()
            notificationCount += 1
        }
    }
}
