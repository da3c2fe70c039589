import CoreBluetooth
import DequeModule
import MainLoop

/// The requests to a device, in the order in which centrals have made them. Used on the peripheral's queue only.
///
/// CoreBluetooth executes them one after another, as ATT has it. Only writes without response, which nobody answers,
/// wait here until there is room for them, and what was asked after them waits with them.
final class DeviceRequests {
    private enum Kind {
        case read
        case write(Data)
        case command(Data)
        case setNotifying(Bool)
    }

    private struct Request {
        let kind: Kind
        let characteristic: CBCharacteristic
        let start: Double
        let done: (Answer) -> Void
    }

    /// What answers belong to: CoreBluetooth reports each with its characteristic.
    private enum Question: Hashable {
        case read, write, notify
    }

    private struct Key: Hashable {
        let question: Question
        let characteristic: ObjectIdentifier
    }

    private let clock: any Clock
    /// The device, while it is connected.
    private var peripheral: CBPeripheral?
    private var waiting: Deque<Request> = []
    /// What was asked and is not answered, by what answers it.
    private var asked: [Key: Deque<Request>] = [:]
    private var count = 0

    /// How many requests may be under way. A central has one at a time, besides its writes without response.
    static let limit = 1024

    init(clock: any Clock) {
        self.clock = clock
    }

    /// The device is connected.
    func open(_ peripheral: CBPeripheral) {
        self.peripheral = peripheral
    }

    /// The link to the device has ended: what was asked gets no answer.
    func close() {
        peripheral = nil
        let lost = asked.values.joined().sorted { $0.start < $1.start } + Array(waiting)
        asked = [:]
        waiting = []
        count = 0
        for request in lost { end(request, .lost) }
    }

    // MARK: Requests

    func read(_ characteristic: CBCharacteristic, _ done: @escaping (Answer) -> Void) {
        add(.read, characteristic, done)
    }

    /// - Parameter wantsResponse: if that is not known, and the characteristic takes both, it is written without
    ///   response: bluetoothd has answered the central by then, and to wait for the device would hold up what follows.
    func write(
        _ value: Data, to characteristic: CBCharacteristic, wantsResponse: Bool?, _ done: @escaping (Answer) -> Void
    ) {
        let room = peripheral?.maximumWriteValueLength(for: .withoutResponse) ?? 0
        let isRequest =
            switch (
                characteristic.properties.contains(.write), characteristic.properties.contains(.writeWithoutResponse)
            ) {
            case (true, true): wantsResponse ?? false || value.count > room
            case (let isPossible, _): isPossible
            }
        add(isRequest ? .write(value) : .command(value), characteristic, done)
    }

    func setNotifying(_ isOn: Bool, of characteristic: CBCharacteristic, _ done: @escaping (Answer) -> Void) {
        add(.setNotifying(isOn), characteristic, done)
    }

    private func add(_ kind: Kind, _ characteristic: CBCharacteristic, _ done: @escaping (Answer) -> Void) {
        let request = Request(kind: kind, characteristic: characteristic, start: clock.now, done: done)
        // Whoever asks now loses its link anyway: nobody waits for that with an open request.
        guard peripheral != nil else { return end(request, .refused(CBATTError(.unlikelyError))) }
        guard count < Self.limit else { return end(request, .refused(CBATTError(.insufficientResources))) }
        count += 1
        waiting.append(request)
        proceed()
    }

    /// There may be room for a write without response.
    func proceed() {
        while let peripheral, let request = waiting.first {
            if case .command = request.kind, !peripheral.canSendWriteWithoutResponse { return }
            waiting.removeFirst()
            make(request, to: peripheral)
        }
    }

    private func make(_ request: Request, to peripheral: CBPeripheral) {
        let characteristic = request.characteristic
        switch request.kind {
        case .read:
            expect(.read, request)
            peripheral.readValue(for: characteristic)
        case .write(let value):
            expect(.write, request)
            peripheral.writeValue(value, for: characteristic, type: .withResponse)
        case .setNotifying(let isOn):
            expect(.notify, request)
            peripheral.setNotifyValue(isOn, for: characteristic)
        case .command(let value):
            count -= 1
            guard value.count <= peripheral.commandCapacity else {
                return end(request, .refused(CBATTError(.invalidAttributeValueLength)))
            }
            peripheral.writeValue(value, for: characteristic, type: .withoutResponse)
            end(request, .value(value))
        }
    }

    private func expect(_ question: Question, _ request: Request) {
        let key = Key(question: question, characteristic: ObjectIdentifier(request.characteristic))
        asked[key, default: []].append(request)
    }

    // MARK: Answers

    func wasRead(_ characteristic: CBCharacteristic, _ error: (any Error)?) {
        end(.read, characteristic, error) { _ in characteristic.value ?? Data() }
    }

    func wasWritten(_ characteristic: CBCharacteristic, _ error: (any Error)?) {
        end(.write, characteristic, error) { kind in if case .write(let value) = kind { value } else { Data() } }
    }

    func notificationStateChanged(of characteristic: CBCharacteristic, _ error: (any Error)?) {
        end(.notify, characteristic, error) { _ in Data() }
    }

    private func end(
        _ question: Question, _ characteristic: CBCharacteristic, _ error: (any Error)?, value: (Kind) -> Data
    ) {
        let key = Key(question: question, characteristic: ObjectIdentifier(characteristic))
        guard let request = asked[key]?.popFirst() else { return }
        if asked[key]?.isEmpty ?? false { asked[key] = nil }
        count -= 1
        end(request, error.map { .refused(Self.attError($0)) } ?? .value(value(request.kind)))
    }

    private func end(_ request: Request, _ outcome: Answer.Outcome) {
        request.done(Answer(outcome, seconds: clock.now - request.start))
    }

    /// What a central gets for an error: the device's own, or the nearest one for one of the link.
    private static func attError(_ error: any Error) -> CBATTError {
        if let error = error as? CBATTError { return error }
        switch (error as? CBError)?.code {
        case .invalidHandle: return CBATTError(.invalidHandle)
        case .operationNotSupported: return CBATTError(.requestNotSupported)
        default: return CBATTError(.unlikelyError)
        }
    }
}
