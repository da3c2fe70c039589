/// A service that the agent publishes, or is about to.
struct AgentService {
    let number: UInt32
    /// While this lives, no other service has its identity.
    let service: CBMutableService
    /// The characteristics that it had when it was added.
    let characteristics: [CBMutableCharacteristic]
    /// Whether the app has its answer.
    var isAnswered: Bool

    init(number: UInt32, service: CBMutableService, isAnswered: Bool) {
        self.number = number
        self.service = service
        self.isAnswered = isAnswered
        characteristics = (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
    }
}

/// A characteristic that the agent publishes, and its subscribers.
final class AgentCharacteristic {
    let characteristic: CBMutableCharacteristic
    let place: CharacteristicPlace
    var subscribers: [CBCentral] = []
    /// Counts the periods in which somebody was subscribed.
    var generation = 0

    init(_ characteristic: CBMutableCharacteristic, _ place: CharacteristicPlace) {
        self.characteristic = characteristic
        self.place = place
    }
}
