import GATTProfiles
import PlainText

extension HeartRateMeasurement {
    /// `72 bpm, contact, RR 0.833 0.840 s, 12 kJ`
    var text: String {
        var text = "\(rate) bpm"
        switch contact {
        case .unsupported: break
        case .detected: text += ", contact"
        case .notDetected: text += ", no contact"
        }
        if !rrIntervals.isEmpty {
            text += ", RR " + seconds.map { fixedPoint($0, places: 3) }.joined(separator: " ") + " s"
        }
        if let energyExpended { text += ", \(energyExpended) kJ" }
        return text
    }

    /// Adds the fields: `rate` in bpm, `contact` where it is supported, `rr` in seconds, `energy` in kJ.
    func add(to object: inout JSONObject) {
        object.add("rate", rate)
        switch contact {
        case .unsupported: break
        case .detected: object.add("contact", true)
        case .notDetected: object.add("contact", false)
        }
        if !rrIntervals.isEmpty { object.add("rr", seconds, places: 4) }
        object.add("energy", energyExpended)
    }

    private var seconds: [Double] { rrIntervals.map { Double($0) / 1024 } }
}
