import CoreBluetooth

/// Programs that follow a peripheral's events.
protocol EventSubscribers: AnyObject {
    /// Whether there are any.
    var hasSubscribers: Bool { get }

    func send(_ event: PeripheralEvent)
}

/// Delivers the events of a peripheral to the program that runs it, and to the programs that follow it. Used on the
/// peripheral's queue only.
final class EventOutput {
    /// Called for each event.
    var onEvent: ((PeripheralEvent) -> Void)?
    /// Called for each event, too, while a scenario is tested.
    var onTestedEvent: ((PeripheralEvent) -> Void)?
    /// The peripheral's id if it is one of several.
    var peripheral: String?
    private weak var subscribers: (any EventSubscribers)?

    /// Also sends the events to `subscribers`.
    func add(_ subscribers: any EventSubscribers) {
        self.subscribers = subscribers
    }

    /// Reports an event. It is not even made if it goes nowhere.
    func report(_ kind: PeripheralEvent.Kind, _ fill: (inout PeripheralEvent) -> Void) {
        let subscribers = subscribers.flatMap { $0.hasSubscribers ? $0 : nil }
        guard onEvent != nil || onTestedEvent != nil || subscribers != nil else { return }
        var event = PeripheralEvent(kind)
        event.peripheral = peripheral
        fill(&event)
        onEvent?(event)
        onTestedEvent?(event)
        subscribers?.send(event)
    }

    /// Reports that something did not work.
    func report(failure message: String) {
        report(.failed) { $0.message = message }
    }
}

extension PeripheralEvent {
    /// Reports the result of a request.
    mutating func note(_ answer: Answer) {
        switch answer.outcome {
        case .value(let bytes): if kind == .read || kind == .written { value = bytes }
        case .refused(let error): attError = error.code.rawValue
        case .lost: message = "not answered: the link to the device was lost"
        }
        original = answer.original
        deviceSeconds = answer.seconds
    }

    /// Says which characteristic the event is about.
    mutating func name(_ characteristic: SimulatedCharacteristic) {
        service = characteristic.service.profile.name
        self.characteristic = characteristic.profile.name
    }
}
