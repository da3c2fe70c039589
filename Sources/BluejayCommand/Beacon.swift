import CoreBluetooth
import GATTProfiles
import PlainText

/// What a beacon advertises, if it is one.
enum Beacon {
    case iBeacon(IBeacon)
    case eddystone(Eddystone)

    /// - Parameter packet: an advertisement as CoreBluetooth has it.
    init?(_ packet: [String: Any]) {
        let services = packet[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        if let frame = services[CBUUID(string: Eddystone.service)].flatMap({ Eddystone(data: $0) }) {
            self = .eddystone(frame)
            return
        }
        let apple = (packet[CBAdvertisementDataAllManufacturerDataKey] as? [Data] ?? [])
            .first { $0.starts(with: NumberType.bytes(of: IBeacon.company)) }
        guard let beacon = apple.flatMap({ IBeacon(data: $0.dropFirst(2)) }) else { return nil }
        self = .iBeacon(beacon)
    }

    /// The company whose data these are.
    var company: UInt16? { if case .iBeacon = self { IBeacon.company } else { nil } }

    /// The service whose data these are.
    var service: CBUUID? { if case .eddystone = self { CBUUID(string: Eddystone.service) } else { nil } }

    /// For people.
    var text: String {
        switch self {
        case .iBeacon(let beacon): beacon.text
        case .eddystone(let frame): frame.text
        }
    }

    /// `type`, and what that type has.
    var json: JSONObject {
        var object = JSONObject()
        switch self {
        case .iBeacon(let beacon):
            object.add("type", "ibeacon")
            object.add("uuid", beacon.uuid)
            object.add("major", Int(beacon.major))
            object.add("minor", Int(beacon.minor))
            object.add("measuredPower", Int(beacon.measuredPower))
        case .eddystone(let frame):
            object.add("type", frame.name)
            add(frame, to: &object)
        }
        return object
    }

    private func add(_ frame: Eddystone, to object: inout JSONObject) {
        switch frame {
        case .uid(let namespace, let instance, let power):
            object.add("namespace", ValueText.hex(namespace))
            object.add("instance", ValueText.hex(instance))
            object.add("power", Int(power))
        case .url(let url, let power):
            object.add("url", url)
            object.add("power", Int(power))
        case .telemetry(let battery, _, let advertisements, let uptime):
            if battery > 0 { object.add("millivolts", Int(battery)) }
            if let celsius = frame.celsius { object.add("celsius", number: celsius) }
            object.add("advertisements", Int(advertisements))
            object.add("seconds", Double(uptime) / 10, places: 1)
        case .ephemeral(let identifier, let power):
            object.add("identifier", ValueText.hex(identifier))
            object.add("power", Int(power))
        }
    }
}
