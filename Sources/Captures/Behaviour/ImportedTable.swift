/// The services of a device, from discovery where the capture has it, and from what was done with handles where not.
package struct ImportedTable: Sendable {
    package struct Service: Sendable {
        /// Nil if only handles are known.
        package let uuid: String?
        package let start: UInt16
        package let isPrimary: Bool
        package internal(set) var characteristics: [Characteristic] = []
    }

    package struct Characteristic: Sendable {
        /// Nil if only the handle is known.
        package let uuid: String?
        /// Of the value.
        package let handle: UInt16
        /// As profile files name them, and those that they do not know.
        package internal(set) var properties: [String]
        /// Whether the properties are only those that were seen to be used.
        package let isGuessed: Bool
        /// Descriptors, and what types they are if that is known.
        package internal(set) var descriptors: [UInt16: String] = [:]
        /// The Client Characteristic Configuration.
        package internal(set) var configuration: UInt16?
        /// Whether ``configuration`` is a guess.
        package internal(set) var isConfigurationGuessed = false
    }

    package internal(set) var services: [Service] = []

    /// What profile files can have.
    static let knownProperties = ["read", "write", "write-without-response", "notify", "indicate"]

    /// The properties of a declaration.
    static func names(ofProperties bits: UInt8) -> [String] {
        let names = [
            "broadcast", "read", "write-without-response", "write", "notify", "indicate", "signed writes",
            "extended properties",
        ]
        return names.indices.filter { bits >> UInt8($0) & 1 == 1 }.map { names[$0] }
    }
}

/// Puts attributes together.
struct TableBuilder {
    private let observed: ObservedTable
    private let uses: [UInt16: AttributeUse]
    private var table = ImportedTable()
    /// What has its place.
    private var placed: Set<UInt16> = []

    init(_ observed: ObservedTable, _ uses: [UInt16: AttributeUse]) {
        self.observed = observed
        self.uses = uses
    }

    mutating func build() -> ImportedTable {
        for (start, service) in observed.services.sorted(by: { $0.key < $1.key }) {
            table.services.append(.init(uuid: service.uuid, start: start, isPrimary: service.isPrimary))
            placed.insert(start)
        }
        placed.formUnion(observed.includes.keys)
        addDeclared()
        addTyped()
        addUnknown()
        return table
    }

    /// Where a service ends: at the latest before the next one.
    private func end(ofService index: Int) -> UInt16 {
        let service = table.services[index]
        let end = observed.services[service.start]?.end ?? .max
        guard index + 1 < table.services.count, table.services[index + 1].uuid != nil else { return end }
        let next = table.services[index + 1].start
        return next > service.start ? min(end, next - 1) : end
    }

    /// The service that a handle is in, if that was discovered.
    private func service(of handle: UInt16) -> Int? {
        guard let index = table.services.lastIndex(where: { $0.start <= handle && $0.uuid != nil }),
            handle <= end(ofService: index)
        else { return nil }
        return index
    }

    /// Adds to the service that a handle is in, or else to one that is not known.
    private mutating func add(_ characteristic: ImportedTable.Characteristic, at handle: UInt16) {
        placed.insert(characteristic.handle)
        if let index = service(of: handle) { return table.services[index].characteristics.append(characteristic) }
        let index: Int
        if let known = table.services.lastIndex(where: { $0.uuid == nil }) {
            index = known
        } else {
            index = table.services.count
            table.services.append(.init(uuid: nil, start: handle, isPrimary: true))
        }
        table.services[index].characteristics.append(characteristic)
    }

    private mutating func addDeclared() {
        for (handle, declared) in observed.characteristics.sorted(by: { $0.key < $1.key }) {
            placed.insert(handle)
            // Two declarations of one value are damage.
            guard !placed.contains(declared.valueHandle) else { continue }
            add(
                .init(
                    uuid: declared.uuid, handle: declared.valueHandle,
                    properties: ImportedTable.names(ofProperties: declared.properties), isGuessed: false), at: handle)
        }
    }

    /// Attributes whose types are known: descriptors, and values that were read by their type.
    private mutating func addTyped() {
        for (handle, type) in observed.types.sorted(by: { $0.key < $1.key }) where !placed.contains(handle) {
            // Declarations, which Find Information lists as well.
            guard !["2800", "2801", "2802", "2803"].contains(type) else {
                placed.insert(handle)
                continue
            }
            if let (service, characteristic) = owner(ofDescriptor: handle) {
                placed.insert(handle)
                table.services[service].characteristics[characteristic].descriptors[handle] = type
                if type == "2902" {
                    table.services[service].characteristics[characteristic].configuration = handle
                }
            } else if !type.hasPrefix("29") || type.utf8.count != 4 {
                add(.init(uuid: type, handle: handle, properties: properties(handle), isGuessed: true), at: handle)
            }
        }
    }

    /// The characteristic that a handle behind its value belongs to: the nearest one before it in the same service.
    private func owner(ofDescriptor handle: UInt16) -> (service: Int, characteristic: Int)? {
        guard let service = service(of: handle) ?? table.services.lastIndex(where: { $0.uuid == nil }),
            let characteristic = table.services[service].characteristics.lastIndex(where: { $0.handle < handle })
        else { return nil }
        return (service, characteristic)
    }

    /// Handles that were only used: the central has the table from before.
    private mutating func addUnknown() {
        let unknown = uses.keys.filter { !placed.contains($0) && $0 != 0 }.sorted()
        for handle in unknown {
            guard let use = uses[handle] else { continue }
            if let (service, characteristic) = owner(ofDescriptor: handle),
                table.services[service].characteristics[characteristic].configuration == nil,
                use.looksLikeConfiguration, isNear(handle, table.services[service].characteristics[characteristic])
            {
                placed.insert(handle)
                table.services[service].characteristics[characteristic].configuration = handle
                table.services[service].characteristics[characteristic].isConfigurationGuessed = true
                addSubscription(service, characteristic)
            } else if let (service, characteristic) = owner(ofDescriptor: handle),
                !table.services[service].characteristics[characteristic].isGuessed
            {
                // All characteristics of this service are known, so it is a descriptor.
                placed.insert(handle)
                table.services[service].characteristics[characteristic].descriptors[handle] = ""
            } else if use.looksLikeConfiguration, uses[handle - 1] == nil, !placed.contains(handle - 1), handle > 1 {
                addSilent(handle, use)
            } else if !use.properties.isEmpty {
                add(.init(uuid: nil, handle: handle, properties: use.properties, isGuessed: true), at: handle)
            }
        }
    }

    /// A characteristic that was subscribed to and has sent nothing: most often it is right in front of its
    /// configuration.
    private mutating func addSilent(_ handle: UInt16, _ use: AttributeUse) {
        placed.insert(handle)
        var characteristic = ImportedTable.Characteristic(
            uuid: nil, handle: handle - 1, properties: [use.wantsIndications ? "indicate" : "notify"], isGuessed: true)
        characteristic.configuration = handle
        characteristic.isConfigurationGuessed = true
        add(characteristic, at: handle - 1)
    }

    /// Most devices have the configuration right behind the value, or behind one or two other descriptors.
    private func isNear(_ handle: UInt16, _ characteristic: ImportedTable.Characteristic) -> Bool {
        !characteristic.isGuessed || handle - characteristic.handle <= 4
    }

    /// What was subscribed to sends, even if nothing came.
    private mutating func addSubscription(_ service: Int, _ characteristic: Int) {
        let owner = table.services[service].characteristics[characteristic]
        guard owner.isGuessed, !owner.properties.contains("notify"), !owner.properties.contains("indicate") else {
            return
        }
        table.services[service].characteristics[characteristic].properties.append("notify")
    }

    private func properties(_ handle: UInt16) -> [String] {
        let used = uses[handle]?.properties ?? []
        return used.isEmpty ? ["read"] : used
    }
}
