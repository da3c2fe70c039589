import CoreBluetooth

/// SC Control Point (2A55), which the services for cycling and for running have in common. Specifications: Cycling
/// Speed and Cadence Service 1.0, 3.4; Running Speed and Cadence Service 1.0, 3.4.
struct SpeedCadenceControlPoint {
    static let uuid = "2A55"

    enum OpCode {
        static let setCumulativeValue: UInt8 = 1
        static let startSensorCalibration: UInt8 = 2
        static let updateSensorLocation: UInt8 = 3
        static let requestSupportedSensorLocations: UInt8 = 4
        static let response: UInt8 = 0x10
    }

    enum Result {
        static let success: UInt8 = 1
        static let opCodeNotSupported: UInt8 = 2
        static let invalidParameter: UInt8 = 3
        static let operationFailed: UInt8 = 4
    }

    private var point = ControlPoint(uuid, responseCode: OpCode.response, errors: .application)
    private let locations: [UInt8]
    private let calibrates: Bool
    /// Sensor Location (2A5D).
    private(set) var location: UInt8

    /// - Parameters:
    ///   - locations: those that it can be at; it is at the first.
    ///   - calibrates: whether it knows calibration.
    init(locations: [UInt8], calibrates: Bool) {
        self.locations = locations
        self.calibrates = calibrates
        location = locations.first ?? 0
    }

    /// Carries out a request.
    ///
    /// - Parameter setCumulativeValue: sets the wheel revolutions, or the distance.
    mutating func write(
        _ request: [UInt8], by client: ModelClient, setCumulativeValue: (UInt32) -> Void
    ) throws(CBATTError) {
        guard let code = request.first else { throw CBATTError(.invalidAttributeValueLength) }
        try point.begin(client)
        let parameter = request.dropFirst()
        switch code {
        case OpCode.setCumulativeValue:
            guard parameter.count == 4 else { return point.respond(to: code, Result.invalidParameter) }
            setCumulativeValue(parameter.reversed().reduce(0) { $0 << 8 | UInt32($1) })
            point.respond(to: code, Result.success)
        case OpCode.startSensorCalibration where calibrates:
            point.respond(to: code, Result.success, after: 1)
        case OpCode.updateSensorLocation:
            guard parameter.count == 1, let new = parameter.first, locations.contains(new) else {
                return point.respond(to: code, Result.invalidParameter)
            }
            location = new
            point.respond(to: code, Result.success)
        case OpCode.requestSupportedSensorLocations: point.respond(to: code, Result.success, locations)
        default: point.respond(to: code, Result.opCodeNotSupported)
        }
    }

    mutating func next() -> ModelMessage? { point.next() }

    mutating func unsubscribed(from uuid: String) {
        if uuid == Self.uuid { point.cancel() }
    }
}
