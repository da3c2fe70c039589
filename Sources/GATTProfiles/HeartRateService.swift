/// The Heart Rate Service (180D).
///
/// Specification: Heart Rate Service 1.0. The measurement's format is in ``HeartRateMeasurement``.
package enum HeartRateService {
    /// The service.
    package static let uuid = "180D"
    /// Heart Rate Measurement: notified, once a second or so.
    package static let measurement = "2A37"
    /// Body Sensor Location: read, one byte, see ``BodySensorLocation``.
    package static let bodySensorLocation = "2A38"
    /// Heart Rate Control Point: written, one byte, see ``ControlPoint``.
    package static let controlPoint = "2A39"

    /// Where the sensor is worn: the values of Body Sensor Location.
    package enum BodySensorLocation: UInt8, CaseIterable, Swift.Sendable {
        case other = 0
        case chest = 1
        case wrist = 2
        case finger = 3
        case hand = 4
        case earLobe = 5
        case foot = 6

        /// The place in words.
        package var text: String {
            switch self {
            case .other: "other"
            case .chest: "chest"
            case .wrist: "wrist"
            case .finger: "finger"
            case .hand: "hand"
            case .earLobe: "ear lobe"
            case .foot: "foot"
            }
        }
    }

    /// The commands of the control point.
    package enum ControlPoint {
        /// Sets the energy expended to zero.
        package static let resetEnergyExpended: UInt8 = 0x01
        /// The ATT application error for every other command, "Control Point Not Supported".
        package static let notSupported = 0x80
    }
}
