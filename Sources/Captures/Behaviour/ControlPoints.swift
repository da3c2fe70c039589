/// The control points of standard services: a procedure is written, and its response is indicated. Specifications:
/// Glucose, Cycling Speed and Cadence, Running Speed and Cadence, Cycling Power, Fitness Machine and User Data Service.
enum ControlPoints {
    /// The op code with which a response begins, by the characteristic.
    private static let responseCodes: [String: UInt8] = [
        "2A52": 0x06, "2A55": 0x10, "2A66": 0x20, "2AD9": 0x80, "2A9F": 0x20,
    ]

    static func contains(_ uuid: String) -> Bool { responseCodes[uuid] != nil }

    /// Those of heart rate, both kinds of speed and cadence, cycling power and fitness machines: what else such a
    /// service sends, it measures. A glucose meter sends its records because of a procedure.
    private static let besideMeasurements: Set<String> = ["2A39", "2A55", "2A66", "2AD9"]
    /// Fitness Machine Status and Training Status report what a procedure has done.
    private static let dependent: Set<String> = besideMeasurements.union(["2ADA", "2AD3"])

    /// What a service with a control point sends whatever is written, by the handles of the values.
    static func measurements(in service: ImportedTable.Service) -> Set<UInt16> {
        let characteristics = service.characteristics
        guard characteristics.contains(where: { besideMeasurements.contains($0.uuid ?? "") }) else { return [] }
        return Set(characteristics.filter { !dependent.contains($0.uuid ?? "") }.map(\.handle))
    }

    /// Whether what a control point has sent is the response to what was written.
    static func answers(_ response: [UInt8], request: [UInt8], of uuid: String) -> Bool {
        guard let code = request.first, let first = response.first, let responseCode = responseCodes[uuid] else {
            return false
        }
        // Record Access Control Point: the number of records has an op code of its own.
        if uuid == "2A52", code == 0x04, first == 0x05 { return true }
        guard first == responseCode else { return false }
        // Record Access has an operator between the response's code and the request's.
        let index = uuid == "2A52" ? 2 : 1
        return response.count > index && response[index] == code
    }
}

/// A service that dittojay simulates by its name, to be compared with what was seen.
package struct StandardTable: Sendable {
    /// As profile files name it: `glucose`.
    package let name: String
    package let uuid: String
    /// The properties of each characteristic, as profile files name them, by its UUID.
    package let characteristics: [String: Set<String>]

    package init(name: String, uuid: String, characteristics: [String: Set<String>]) {
        self.name = name
        self.uuid = uuid
        self.characteristics = characteristics
    }
}

/// Compares a service with the simulated one.
struct StandardComparison {
    /// Whether it can take the service's place.
    private(set) var agrees = false
    /// The procedures that were seen, by their op codes, and where the first one is.
    private(set) var procedures: [UInt8] = []
    private(set) var mark: PacketMark?
    /// In what they differ, in sentences.
    private(set) var differences: [String] = []

    /// Nil if no control point of the service was used.
    init?(_ service: ImportedTable.Service, _ standard: StandardTable, _ sessions: [Session]) {
        guard let point = service.characteristics.first(where: { ControlPoints.contains($0.uuid ?? "") }),
            let uuid = point.uuid
        else { return nil }
        var isUnderstood = true
        for session in sessions {
            var request: (value: [UInt8], mark: PacketMark)?
            for event in session.events {
                switch event.kind {
                case .write(point.handle, let value, _, .success): request = (value, event.mark)
                case .value(point.handle, let response, _):
                    guard let written = request, let code = written.value.first else { break }
                    if ControlPoints.answers(response, request: written.value, of: uuid) {
                        if mark == nil { mark = written.mark }
                        if !procedures.contains(code) { procedures.append(code) }
                    } else {
                        isUnderstood = false
                        differences.append(
                            "packet \(event.mark.number): \(ValuePreview.text(response)) is not a response to "
                                + ValuePreview.text(written.value))
                    }
                    request = nil
                default: break
                }
            }
        }
        guard !procedures.isEmpty || !isUnderstood else { return nil }
        compare(service, standard)
        agrees = isUnderstood && differences.isEmpty
    }

    private mutating func compare(_ service: ImportedTable.Service, _ standard: StandardTable) {
        var seen: Set<String> = []
        for characteristic in service.characteristics {
            guard let uuid = characteristic.uuid else {
                differences.append("an attribute of which only the handle is known")
                continue
            }
            seen.insert(uuid)
            guard let expected = standard.characteristics[uuid] else {
                differences.append("the device also has \(uuid)")
                continue
            }
            let properties = Set(characteristic.properties)
            if properties != expected, !characteristic.isGuessed {
                differences.append(
                    "\(uuid) has \(properties.sorted().joined(separator: ", ")), not "
                        + expected.sorted().joined(separator: ", "))
            }
        }
        for missing in standard.characteristics.keys.sorted() where !seen.contains(missing) {
            differences.append("the device does not have \(missing)")
        }
    }
}
