/// An ATT server for one link. It does what the specification says, unless it is told otherwise. (Core Specification,
/// Vol 3 Part F, 3.4)
struct AttributeServer {
    enum Opcode {
        static let errorResponse: UInt8 = 0x01
        static let exchangeMTU: UInt8 = 0x02
        static let findInformation: UInt8 = 0x04
        static let findByTypeValue: UInt8 = 0x06
        static let readByType: UInt8 = 0x08
        static let read: UInt8 = 0x0A
        static let readBlob: UInt8 = 0x0C
        static let readByGroupType: UInt8 = 0x10
        static let write: UInt8 = 0x12
        static let prepareWrite: UInt8 = 0x16
        static let executeWrite: UInt8 = 0x18
        static let notification: UInt8 = 0x1B
        static let indication: UInt8 = 0x1D
        static let confirmation: UInt8 = 0x1E
        static let writeCommand: UInt8 = 0x52
    }

    /// What is wrong with a request. (3.4.1.1)
    enum Refusal: UInt8, Error {
        case invalidHandle = 0x01
        case readNotPermitted = 0x02
        case writeNotPermitted = 0x03
        case invalidPDU = 0x04
        case requestNotSupported = 0x06
        case invalidOffset = 0x07
        case prepareQueueFull = 0x09
        case attributeNotFound = 0x0A
        case invalidLength = 0x0D
        case unsupportedGroupType = 0x10
    }

    enum Answer: Equatable {
        case bytes([UInt8])
        case nothing
        case disconnect
    }

    var table: AttributeTable
    private let peripheral: PhantomPeripheral
    /// Of all links.
    private let injector: FaultInjector
    private(set) var mtu = 23
    private(set) var awaitsConfirmation = false
    private var prepared: [(handle: Int, offset: Int, part: [UInt8])] = []
    /// The attribute that a request is refused for, if the request does not name it.
    private var refused = 0

    private static let maximumPrepared = 64
    private static let longestValue = 512

    init(_ peripheral: PhantomPeripheral, _ injector: FaultInjector) {
        self.peripheral = peripheral
        self.injector = injector
        table = AttributeTable(peripheral)
    }

    /// Takes a packet of the client.
    mutating func answer(_ packet: [UInt8]) -> Answer {
        guard let opcode = packet.first else { return .nothing }
        if opcode == Opcode.confirmation {
            awaitsConfirmation = false
            return .nothing
        }
        let request = Parameters(bytes: Array(packet.dropFirst()))
        if let answer = fault(opcode, request) { return answer }
        refused = 0
        do throws(Refusal) {
            let answer = try serve(opcode, request)
            return answer.isEmpty ? .nothing : .bytes(answer)
        } catch {
            // Commands have no answer.
            guard opcode & 0x40 == 0 else { return .nothing }
            return .bytes(Self.refusal(opcode, request, error.rawValue, of: refused))
        }
    }

    private static func refusal(
        _ opcode: UInt8, _ request: Parameters, _ code: UInt8, of refused: Int = 0
    ) -> [UInt8] {
        // The MTU is about no attribute, and the execution of writes about those that were prepared.
        let hasHandle = ![Opcode.exchangeMTU, Opcode.executeWrite].contains(opcode)
        return [Opcode.errorResponse, opcode] + .init(number: hasHandle ? request.number(0) : refused) + [code]
    }

    /// What happens instead of the right answer, if a fault does.
    private func fault(_ opcode: UInt8, _ request: Parameters) -> Answer? {
        let attribute = table[request.number(0)]
        let isConfiguration = opcode == Opcode.write && attribute?.configured != nil
        let subscribes = isConfiguration && request.byte(2) & 3 != 0
        let action = injector.hit { _, entry in
            guard entry.characteristic == nil || attribute?.owner == entry.characteristic else { return false }
            return switch entry.fault.trigger {
            case .request(let code): code == opcode && !isConfiguration
            case .subscribe: subscribes
            case .every: false
            }
        }
        return switch action {
        case .error(let code): .bytes(Self.refusal(opcode, request, code))
        case .noAnswer: .nothing
        case .packet(let packet): .bytes(packet)
        case .disconnect: .disconnect
        case nil: nil
        }
    }

    private mutating func serve(_ opcode: UInt8, _ request: Parameters) throws(Refusal) -> [UInt8] {
        switch opcode {
        case Opcode.exchangeMTU: return try exchangeMTU(request)
        case Opcode.findInformation: return try findInformation(request)
        case Opcode.findByTypeValue: return try findByTypeValue(request)
        case Opcode.readByType, Opcode.readByGroupType: return try readByType(opcode, request)
        case Opcode.read: return [opcode + 1] + (try value(request.number(0))).prefix(mtu - 1)
        case Opcode.readBlob: return try readBlob(request)
        case Opcode.write:
            try write(request.number(0), Array(request.bytes.dropFirst(2)))
            return [opcode + 1]
        case Opcode.writeCommand:
            try write(request.number(0), Array(request.bytes.dropFirst(2)))
            return []
        case Opcode.prepareWrite: return try prepareWrite(request)
        case Opcode.executeWrite: return try executeWrite(request)
        default: throw .requestNotSupported
        }
    }

    private mutating func exchangeMTU(_ request: Parameters) throws(Refusal) -> [UInt8] {
        guard request.count == 2 else { throw .invalidPDU }
        // Nothing shorter than 23 is possible, whatever is said.
        mtu = max(23, min(request.number(0), peripheral.mtu, 517))
        return [Opcode.exchangeMTU + 1] + .init(number: peripheral.mtu)
    }
}

/// Discovery.
extension AttributeServer {
    private func range(_ request: Parameters) throws(Refusal) -> [(handle: Int, attribute: AttributeTable.Attribute)] {
        let (first, last) = (request.number(0), request.number(2))
        guard first >= 1, first <= last else { throw .invalidHandle }
        return table.range(first, last)
    }

    private func findInformation(_ request: Parameters) throws(Refusal) -> [UInt8] {
        guard request.count == 4 else { throw .invalidPDU }
        let found = try range(request)
        guard let length = found.first?.attribute.type.bytes.count else { throw .attributeNotFound }
        var answer: [UInt8] = [Opcode.findInformation + 1, length == 2 ? 1 : 2]
        for (handle, attribute) in found {
            guard attribute.type.bytes.count == length, answer.count + 2 + length <= mtu else { break }
            answer += [UInt8](number: handle) + attribute.type.bytes
        }
        return answer
    }

    private func findByTypeValue(_ request: Parameters) throws(Refusal) -> [UInt8] {
        guard request.count >= 6 else { throw .invalidPDU }
        let type = AttributeType(bytes: request.bytes[4..<6])
        let value = Array(request.bytes[6...])
        var answer: [UInt8] = [Opcode.findByTypeValue + 1]
        for (handle, attribute) in try range(request) where attribute.type == type {
            guard AttributeType(bytes: attribute.value) == value, answer.count + 4 <= mtu else { continue }
            answer += [UInt8](number: handle) + .init(number: max(handle, attribute.groupEnd))
        }
        guard answer.count > 1 else { throw .attributeNotFound }
        return answer
    }

    private func readByType(_ opcode: UInt8, _ request: Parameters) throws(Refusal) -> [UInt8] {
        guard request.count == 6 || request.count == 20 else { throw .invalidPDU }
        let type = Array(request.bytes[4...])
        let isGroup = opcode == Opcode.readByGroupType
        let found = try range(request)
        guard !isGroup || AttributeTable.primaryService == type else { throw .unsupportedGroupType }
        var answer: [UInt8] = []
        for (handle, attribute) in found where attribute.type == type {
            guard attribute.canRead else {
                guard answer.isEmpty else { break }
                throw .readNotPermitted
            }
            let header = [UInt8](number: handle) + (isGroup ? .init(number: attribute.groupEnd) : [])
            let item = header + attribute.value.prefix(min(253, mtu - 2) - header.count)
            if answer.isEmpty { answer = [opcode + 1, UInt8(item.count)] }
            // All that are sent at once have the same length.
            guard item.count == Int(answer[1]), answer.count + item.count <= mtu else { break }
            answer += item
        }
        guard !answer.isEmpty else { throw .attributeNotFound }
        return answer
    }
}

/// Values.
extension AttributeServer {
    private func value(_ handle: Int) throws(Refusal) -> [UInt8] {
        guard let attribute = table[handle] else { throw .invalidHandle }
        guard attribute.canRead else { throw .readNotPermitted }
        return attribute.value
    }

    private func readBlob(_ request: Parameters) throws(Refusal) -> [UInt8] {
        guard request.count == 4 else { throw .invalidPDU }
        let value = try value(request.number(0))
        guard request.number(2) <= value.count else { throw .invalidOffset }
        return [Opcode.readBlob + 1] + value.dropFirst(request.number(2)).prefix(mtu - 1)
    }

    private mutating func write(_ handle: Int, _ value: [UInt8]) throws(Refusal) {
        guard let attribute = table[handle] else { throw .invalidHandle }
        guard attribute.canWrite else { throw .writeNotPermitted }
        let isRight = attribute.configured == nil ? value.count <= Self.longestValue : value.count == 2
        guard isRight else { throw .invalidLength }
        table.write(value, to: handle)
    }

    private mutating func prepareWrite(_ request: Parameters) throws(Refusal) -> [UInt8] {
        guard request.count >= 4 else { throw .invalidPDU }
        guard let attribute = table[request.number(0)] else { throw .invalidHandle }
        guard attribute.canWrite else { throw .writeNotPermitted }
        guard prepared.count < Self.maximumPrepared else { throw .prepareQueueFull }
        prepared.append((request.number(0), request.number(2), Array(request.bytes.dropFirst(4))))
        return [Opcode.prepareWrite + 1] + request.bytes
    }

    private mutating func executeWrite(_ request: Parameters) throws(Refusal) -> [UInt8] {
        guard request.count == 1 else { throw .invalidPDU }
        let parts = prepared
        prepared = []
        guard request.byte(0) == 1 else { return [Opcode.executeWrite + 1] }
        var values: [(handle: Int, value: [UInt8])] = []
        for (handle, offset, part) in parts {
            refused = handle
            if values.last?.handle != handle { values.append((handle, [])) }
            guard offset <= values[values.count - 1].value.count else { throw .invalidOffset }
            values[values.count - 1].value = Array(values[values.count - 1].value.prefix(offset)) + part
        }
        for (handle, value) in values {
            refused = handle
            try write(handle, value)
        }
        return [Opcode.executeWrite + 1]
    }

    /// The packet that sends a value to the client, if that has subscribed and nothing is to be waited for.
    mutating func update(_ handle: Int) -> [UInt8]? {
        guard let attribute = table[handle],
            let configuration = table.attributes.first(where: { $0.configured == handle })?.value.first
        else { return nil }
        if configuration & 1 != 0 {
            return [Opcode.notification] + .init(number: handle) + attribute.value.prefix(mtu - 3)
        }
        guard configuration & 2 != 0, !awaitsConfirmation || !peripheral.waitsForConfirmation else { return nil }
        awaitsConfirmation = true
        return [Opcode.indication] + .init(number: handle) + attribute.value.prefix(mtu - 3)
    }
}
