import AssignedNumbers
import CoreBluetooth
import GATTProfiles

/// Everything that a device has, in the order of the handles, as it was discovered.
@MainActor
struct AttributeTable {
    /// The primary services and those that they include.
    let services: [CBService]

    init(_ services: [CBService]) {
        self.services = services.sorted { ($0.handle ?? 0) < ($1.handle ?? 0) }
    }

    var characteristics: [CBCharacteristic] { services.flatMap { $0.characteristics ?? [] } }

    // MARK: Names

    /// `180F`, or `180F#2` where there are several of the kind.
    func path(of service: CBService) -> String {
        Self.numbered(service, among: services)
    }

    /// `180D/2A38`, with numbers where there are several of the kind.
    func path(of characteristic: CBCharacteristic) -> String {
        guard let service = characteristic.service else { return characteristic.uuid.uuidString }
        return path(of: service) + "/" + Self.numbered(characteristic, among: service.characteristics ?? [])
    }

    /// `180D/2A37/2901`, with numbers where there are several of the kind.
    func path(of descriptor: CBDescriptor) -> String {
        guard let characteristic = descriptor.characteristic else { return descriptor.uuid.uuidString }
        return path(of: characteristic) + "/" + Self.numbered(descriptor, among: characteristic.descriptors ?? [])
    }

    func path(of target: ValueAttribute) -> String {
        switch target {
        case .characteristic(let characteristic): path(of: characteristic)
        case .descriptor(let descriptor): path(of: descriptor)
        }
    }

    /// The UUID, and its number if `all` has others like it.
    static func numbered<T: CBAttribute>(_ attribute: T, among all: [T]) -> String {
        let alike = all.filter { $0.uuid == attribute.uuid }
        guard alike.count > 1, let index = alike.firstIndex(where: { $0 === attribute }) else {
            return attribute.uuid.uuidString
        }
        return "\(attribute.uuid.uuidString)#\(index + 1)"
    }

    // MARK: Finding

    /// The one attribute that a selector names.
    ///
    /// - Parameter device: the device, for the message.
    /// - Throws: ``CommandError`` if there is none, or more than one.
    func find(_ selector: AttributeSelector, of device: String) throws -> ValueAttribute {
        let found = matches(selector)
        if let only = found.first, found.count == 1 { return only }
        let kind: String
        switch selector.kind {
        case .handle: kind = "attribute"
        case .path(_, _, let descriptor): kind = descriptor == nil ? "characteristic" : "descriptor"
        }
        if found.isEmpty { throw CommandError(.noSuchCharacteristic, "\(device) has no \(kind) \(selector.text)") }
        let candidates = found.map { "\(path(of: $0)) \($0.attribute.handleText)" }.joined(separator: ", ")
        throw CommandError(
            .noSuchCharacteristic,
            "\(device) has several \(kind)s \(selector.text); name one by its number or its handle: \(candidates)")
    }

    private func matches(_ selector: AttributeSelector) -> [ValueAttribute] {
        switch selector.kind {
        case .handle(let handle):
            let characteristics = characteristics
            let descriptors = characteristics.flatMap { $0.descriptors ?? [] }
            return characteristics.filter { $0.handle == handle }.map(ValueAttribute.characteristic)
                + descriptors.filter { $0.handle == handle }.map(ValueAttribute.descriptor)
        case .path(let service, let characteristic, let descriptor):
            let owners = service.map { Self.choose($0, from: services) } ?? services
            let found = Self.choose(characteristic, from: owners.flatMap { $0.characteristics ?? [] })
            guard let descriptor else { return found.map(ValueAttribute.characteristic) }
            return Self.choose(descriptor, from: found.flatMap { $0.descriptors ?? [] })
                .map(ValueAttribute.descriptor)
        }
    }

    private static func choose<T: CBAttribute>(_ step: AttributeSelector.Step, from candidates: [T]) -> [T] {
        step.choose(from: candidates, uuid: \.uuid.uuidString, name: \.uuid.name)
    }
}

extension CBAttribute {
    /// The handle, which ends the name of BlueZ's object: `…/service0028/char0029`.
    var handle: UInt16? { objectPath.flatMap { UInt16($0.suffix(4), radix: 16) } }

    /// The handle as it is typed; empty if it is not known.
    var handleText: String { handle.map(AttributeSelector.text(ofHandle:)) ?? "" }

    /// The attribute in words: its name if it has one.
    var label: String { uuid.label }
}

extension CBUUID {
    /// The name as it is typed, or the UUID if there is none.
    var label: String { name.map(TypedName.text) ?? uuidString }

    /// The assigned name, or this package's own; nil if there is none.
    var name: String? {
        assignedName ?? OwnAttributes.name(ofUUID: uuidString)
    }
}
