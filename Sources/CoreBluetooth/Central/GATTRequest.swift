import Synchronization

/// What a program asks of a connected peripheral, and the completion for the answer: one value for each call of
/// ``CBPeripheral``.
///
/// Filters are nil for all.
enum GATTRequest: Swift.Sendable {
    /// In dBm.
    case readRSSI(RequestCompletion<Int>)
    case discoverServices([CBUUID]?, RequestCompletion<Void>)
    case discoverIncludedServices([CBUUID]?, of: CBService, RequestCompletion<Void>)
    case discoverCharacteristics([CBUUID]?, of: CBService, RequestCompletion<Void>)
    case discoverDescriptors(of: CBCharacteristic, RequestCompletion<Void>)
    case readValue(of: ValueAttribute, RequestCompletion<Data>)
    case writeValue(Data, to: ValueAttribute, RequestCompletion<Void>)
    /// Not answered.
    case writeWithoutResponse(Data, to: CBCharacteristic)
    case setNotifying(Bool, for: CBCharacteristic, RequestCompletion<Void>)
    case openL2CAPChannel(CBL2CAPPSM, RequestCompletion<CBL2CAPChannel>)

    /// What has to be called once; nil if there is no answer.
    var completion: (any DroppableRequest)? {
        switch self {
        case .readRSSI(let completion): completion
        case .discoverServices(_, let completion), .discoverIncludedServices(_, _, let completion),
            .discoverCharacteristics(_, _, let completion), .discoverDescriptors(_, let completion),
            .writeValue(_, _, let completion), .setNotifying(_, _, let completion):
            completion
        case .readValue(_, let completion): completion
        case .openL2CAPChannel(_, let completion): completion
        case .writeWithoutResponse: nil
        }
    }
}

/// Takes the answer to a request, or why there is none, once. To be called on the manager's queue, after the public
/// objects have been updated.
final class RequestCompletion<Answer: Swift.Sendable>: DroppableRequest {
    private let action: Mutex<(@Sendable (Result<Answer, any Error>) -> Void)?>

    init(_ action: @escaping @Sendable (Result<Answer, any Error>) -> Void) {
        self.action = Mutex(action)
    }

    func callAsFunction(_ result: Result<Answer, any Error>) {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?(result)
    }

    func drop() { self(.failure(RequestDropped())) }
}

/// A request that the end of the connection leaves without an answer.
protocol DroppableRequest: AnyObject, Swift.Sendable {
    /// Completes it with ``RequestDropped``. To be called on the manager's queue.
    func drop()
}

/// The error of a request that is not answered because its connection has ended. The manager's delegate learns why.
struct RequestDropped: Error {}

extension Result where Failure == any Error {
    /// The error; nil after a success.
    var failure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// An attribute of a peripheral that has a value.
package enum ValueAttribute: Swift.Sendable {
    case characteristic(CBCharacteristic)
    case descriptor(CBDescriptor)

    package var attribute: CBAttribute {
        switch self {
        case .characteristic(let characteristic): characteristic
        case .descriptor(let descriptor): descriptor
        }
    }

    /// Stores what a read has yielded. To be called on the manager's queue.
    func wasRead(_ result: Result<Data, any Error>) {
        let value = try? result.get()
        switch self {
        case .characteristic(let characteristic):
            if let value { characteristic.value = value }
            characteristic.isValueNotified = false
        case .descriptor(let descriptor):
            guard let value else { return }
            descriptor.bytes = value
            descriptor.value = DescriptorValue.decode(value, of: descriptor.uuid)
        }
    }
}
