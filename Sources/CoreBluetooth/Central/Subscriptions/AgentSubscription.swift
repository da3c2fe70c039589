import MainLoop
import RestorationProtocol

/// A characteristic whose notifications the restoration agent has turned on for this program.
@LoopActor
final class AgentSubscription: Subscription {
    let characteristic: CBCharacteristic
    /// Marks the values in the inbox. Another agent gets another number.
    var number: UInt32 = 0
    /// Whether the app knows that notifications are on, so that values may come.
    private(set) var isTurnedOn = false

    private let client: RestorationClient
    private let peripheral: UUID
    private let key: CharacteristicKey
    private let usesSocket: Bool?
    private var onAnswer: Completion<Void>?
    private var onEnd: Completion<Void>?

    init(
        _ characteristic: CBCharacteristic, _ key: CharacteristicKey, of peripheral: UUID, usesSocket: Bool?,
        client: RestorationClient
    ) {
        self.characteristic = characteristic
        self.key = key
        self.peripheral = peripheral
        self.usesSocket = usesSocket
        self.client = client
    }

    /// The request to the agent.
    var request: SubscriptionRequest {
        SubscriptionRequest(subscription: number, peripheral: peripheral, key: key, usesSocket: usesSocket)
    }

    /// Takes up the subscription of an earlier run.
    func adopt(_ number: UInt32) {
        self.number = number
        isTurnedOn = true
        client.inbox.expect(number, characteristic, isOn: true)
        client.adopt(self)
    }

    func start(completion: @escaping Completion<Void>) {
        onAnswer = completion
        client.request(self)
    }

    func stop(completion: @escaping Completion<Void>) {
        onEnd = completion
        client.cancel(self)
    }

    /// The app knows that notifications are on.
    func isOn() {
        isTurnedOn = true
        client.inbox.turnOn(number)
    }

    /// The app gets only the values that have arrived.
    func end() {
        client.forget(self)
        client.inbox.close(characteristic)
        onAnswer = nil
        onEnd = nil
    }

    // MARK: Answers of the agent

    func answered(_ failure: AgentFailure?) {
        guard let completion = onAnswer else {
            // This answer comes from another agent than the one that the app had its answer from.
            if let failure {
                Diagnostics.warning("no longer subscribed to \(characteristic.uuid): \(failure.text)")
            }
            return
        }
        onAnswer = nil
        completion(failure.map { .failure($0.error) } ?? .success(()))
    }

    func ended(_ failure: AgentFailure?) {
        let completion = onEnd
        onEnd = nil
        completion?(failure.map { .failure($0.error) } ?? .success(()))
    }

    /// There is no agent, and there will be none.
    func lost() {
        let error = CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: "The restoration agent stopped."])
        let (answer, end) = (onAnswer, onEnd)
        onAnswer = nil
        onEnd = nil
        answer?(.failure(error))
        end?(.success(()))
    }
}

extension AgentFailure {
    /// The error that is reported to the app.
    var error: any Error {
        switch domain {
        case .att: CBATTError(CBATTError.Code(number: code))
        case .core: CBError(CBError.Code(rawValue: code) ?? .unknown, userInfo: [NSLocalizedDescriptionKey: text])
        }
    }
}
