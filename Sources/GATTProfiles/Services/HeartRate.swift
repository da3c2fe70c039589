/// The Heart Rate Service (180D).
///
/// Specification: Heart Rate Service 1.0. Two other files of this name go with it: the simulated service in Dittojay,
/// and what a client uses in BluejayCommand.
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

/// The value of the Heart Rate Measurement characteristic (2A37).
///
/// Specification: Heart Rate Service 1.0, 3.1. All numbers are little-endian:
///
///     flags            1 byte    bit 0: the rate has 16 bits; bits 1, 2: sensor contact; bit 3: energy; bit 4: RR
///     rate             1 or 2    beats per minute
///     energy expended  0 or 2    kilojoules since the last reset
///     RR intervals     0 to n×2  in 1/1024 s, oldest first
package struct HeartRateMeasurement: Hashable, Swift.Sendable {
    /// What the sensor knows about its contact with the skin.
    package enum SensorContact: Hashable, Swift.Sendable {
        /// The sensor does not detect contact.
        case unsupported
        /// The sensor detects contact, and has none.
        case notDetected
        /// The sensor detects contact, and has good contact.
        case detected
    }

    /// How many bits carry the rate.
    package enum RateFormat: Hashable, Swift.Sendable {
        /// Eight, for rates up to 255 bpm.
        case uint8
        /// Sixteen. Allowed for any rate.
        case uint16
    }

    /// Why bytes are not a measurement.
    package enum DecodingError: Error, Hashable, CustomStringConvertible {
        /// The bytes end before the field that the flags announce.
        case truncated(field: String, count: Int)

        package var description: String {
            switch self {
            case .truncated(let field, let count):
                "a heart rate measurement of \(count) bytes ends within its \(field)"
            }
        }
    }

    /// Beats per minute.
    package var rate: UInt16
    /// The width of ``rate``. A rate above 255 is sent with 16 bits whatever this says.
    package var rateFormat: RateFormat
    /// The sensor's contact with the skin.
    package var contact: SensorContact
    /// Kilojoules since the last reset, if the measurement has it; sensors send it only now and then. Stays at 65,535
    /// once it gets there.
    package var energyExpended: UInt16?
    /// The times between successive heart beats in 1/1024 s, oldest first.
    package var rrIntervals: [UInt16]

    package init(
        rate: UInt16, rateFormat: RateFormat = .uint8, contact: SensorContact = .unsupported,
        energyExpended: UInt16? = nil, rrIntervals: [UInt16] = []
    ) {
        self.rate = rate
        self.rateFormat = rateFormat
        self.contact = contact
        self.energyExpended = energyExpended
        self.rrIntervals = rrIntervals
    }

    private enum Flag {
        static let rateHas16Bits: UInt8 = 1 << 0
        static let contactDetected: UInt8 = 1 << 1
        static let contactSupported: UInt8 = 1 << 2
        static let energyExpended: UInt8 = 1 << 3
        static let rrIntervals: UInt8 = 1 << 4
    }

    /// Decodes a value as received.
    ///
    /// Bytes that no flag announces are ignored: later versions of the service may add fields.
    ///
    /// - Throws: ``DecodingError`` if a field is missing or incomplete.
    package init(bytes: some Sequence<UInt8>) throws(DecodingError) {
        let bytes = Array(bytes)
        var position = 0

        func byte(_ field: String) throws(DecodingError) -> UInt8 {
            guard position < bytes.count else { throw .truncated(field: field, count: bytes.count) }
            defer { position += 1 }
            return bytes[position]
        }
        func word(_ field: String) throws(DecodingError) -> UInt16 {
            let low = try byte(field)
            return UInt16(try byte(field)) << 8 | UInt16(low)
        }

        let flags = try byte("flags")
        if flags & Flag.rateHas16Bits != 0 {
            rateFormat = .uint16
            rate = try word("rate")
        } else {
            rateFormat = .uint8
            rate = UInt16(try byte("rate"))
        }
        if flags & Flag.contactSupported == 0 {
            contact = .unsupported
        } else {
            contact = flags & Flag.contactDetected != 0 ? .detected : .notDetected
        }
        energyExpended = flags & Flag.energyExpended != 0 ? try word("energy expended") : nil
        rrIntervals = []
        if flags & Flag.rrIntervals != 0 {
            while position < bytes.count { rrIntervals.append(try word("RR intervals")) }
        }
    }

    /// The value as sent.
    package var bytes: [UInt8] {
        let wide = rateFormat == .uint16 || rate > 255
        var flags: UInt8 = 0
        if wide { flags |= Flag.rateHas16Bits }
        switch contact {
        case .unsupported: break
        case .notDetected: flags |= Flag.contactSupported
        case .detected: flags |= Flag.contactSupported | Flag.contactDetected
        }
        if energyExpended != nil { flags |= Flag.energyExpended }
        if !rrIntervals.isEmpty { flags |= Flag.rrIntervals }

        var bytes: [UInt8] = []
        bytes.reserveCapacity(5 + 2 * rrIntervals.count)
        func append(_ word: UInt16) {
            bytes.append(UInt8(truncatingIfNeeded: word))
            bytes.append(UInt8(truncatingIfNeeded: word >> 8))
        }
        bytes.append(flags)
        if wide { append(rate) } else { bytes.append(UInt8(truncatingIfNeeded: rate)) }
        if let energyExpended { append(energyExpended) }
        for interval in rrIntervals { append(interval) }
        return bytes
    }

    /// How many RR intervals fit beside the other fields into a value of `length` bytes.
    package func rrIntervalCapacity(inLength length: Int) -> Int {
        let wide = rateFormat == .uint16 || rate > 255
        let others = 1 + (wide ? 2 : 1) + (energyExpended == nil ? 0 : 2)
        return max(0, (length - others) / 2)
    }
}
