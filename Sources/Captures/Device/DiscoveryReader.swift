/// Reads from discovery what attributes a device has: services by group, or by their UUID; characteristics and included
/// services by type; any attribute's type by Find Information. Specification: Core 5.4, Vol 3, Part G, 4.4 to 4.7.
enum DiscoveryReader {
    private enum Declaration {
        static let primaryService = "2800"
        static let secondaryService = "2801"
        static let include = "2802"
        static let characteristic = "2803"
    }

    static func read(_ exchange: ATTExchange, into table: inout ObservedTable) {
        guard case .success(let response, _) = exchange.answer else { return }
        let request = ByteCursor(exchange.parameters)
        let mark = exchange.answerMark ?? exchange.mark
        switch exchange.opcode {
        case ATTOpcode.readByGroupTypeRequest: readGroups(request, response, mark, &table)
        case ATTOpcode.findByTypeValueRequest: readServices(request, response, mark, &table)
        case ATTOpcode.readByTypeRequest: readDeclarations(request, response, mark, &table)
        case ATTOpcode.findInformationRequest: readTypes(response, mark, &table)
        default: break
        }
    }

    /// The type that a request asks for, behind the two ends of its range.
    private static func type(_ request: ByteCursor) -> String? {
        var request = request
        guard request.skip(4), request.count == 2 || request.count == 16 else { return nil }
        return AttributeUUIDText.text(request.rest)
    }

    /// Entries of the same length, which the first byte has.
    private static func forEachEntry(_ response: ArraySlice<UInt8>, _ body: (ByteCursor) -> Void) {
        var cursor = ByteCursor(response)
        guard let length = cursor.u8(), length > 0 else { return }
        while let entry = cursor.bytes(Int(length)) { body(ByteCursor(entry)) }
    }

    private static func readGroups(
        _ request: ByteCursor, _ response: ArraySlice<UInt8>, _ mark: PacketMark, _ table: inout ObservedTable
    ) {
        guard let type = type(request), [Declaration.primaryService, Declaration.secondaryService].contains(type)
        else { return }
        forEachEntry(response) { entry in
            var entry = entry
            guard let start = entry.u16(), let end = entry.u16(), entry.count == 2 || entry.count == 16 else { return }
            table.add(
                .init(
                    end: max(start, end), uuid: AttributeUUIDText.text(entry.rest),
                    isPrimary: type == Declaration.primaryService), at: start, mark)
        }
    }

    private static func readServices(
        _ request: ByteCursor, _ response: ArraySlice<UInt8>, _ mark: PacketMark, _ table: inout ObservedTable
    ) {
        var request = request
        // Always a type of 16 bits, then the value: for a service, its UUID.
        guard request.skip(4), let type = request.bytes(2), request.count == 2 || request.count == 16 else { return }
        let declaration = AttributeUUIDText.text(type)
        guard [Declaration.primaryService, Declaration.secondaryService].contains(declaration) else { return }
        var cursor = ByteCursor(response)
        while let start = cursor.u16(), let end = cursor.u16() {
            table.add(
                .init(
                    end: max(start, end), uuid: AttributeUUIDText.text(request.rest),
                    isPrimary: declaration == Declaration.primaryService), at: start, mark)
        }
    }

    private static func readDeclarations(
        _ request: ByteCursor, _ response: ArraySlice<UInt8>, _ mark: PacketMark, _ table: inout ObservedTable
    ) {
        guard let type = type(request) else { return }
        forEachEntry(response) { entry in
            var entry = entry
            guard let handle = entry.u16() else { return }
            switch type {
            case Declaration.characteristic:
                guard let properties = entry.u8(), let valueHandle = entry.u16(),
                    entry.count == 2 || entry.count == 16
                else { return }
                table.add(
                    .init(
                        properties: properties, valueHandle: valueHandle, uuid: AttributeUUIDText.text(entry.rest)),
                    at: handle, mark)
            case Declaration.include:
                guard let start = entry.u16(), let end = entry.u16() else { return }
                table.add(
                    .init(start: start, end: end, uuid: entry.count == 2 ? AttributeUUIDText.text(entry.rest) : nil),
                    at: handle, mark)
            default: table.add(type: type, at: handle, mark)
            }
        }
    }

    private static func readTypes(_ response: ArraySlice<UInt8>, _ mark: PacketMark, _ table: inout ObservedTable) {
        var cursor = ByteCursor(response)
        let width: Int
        switch cursor.u8() {
        case 1: width = 2
        case 2: width = 16
        default: return
        }
        while let handle = cursor.u16(), let type = cursor.bytes(width) {
            table.add(type: AttributeUUIDText.text(type), at: handle, mark)
        }
    }
}
