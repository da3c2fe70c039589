import AssignedNumbers

/// A profile whose measurements a central can show, by the name that it has in commands: which service it looks for,
/// and which characteristics it listens to.
package struct MonitoredProfile: Hashable, Swift.Sendable {
    /// Something to be written so that measurements come.
    package struct Request: Hashable, Swift.Sendable {
        /// Of the control point, which answers by indications.
        package let characteristic: String
        package let value: [UInt8]
    }

    /// As of dittojay's profile: `cycling-power`.
    package let name: String
    /// The service's UUID, in 4 or 36 characters.
    package let service: String
    /// The UUIDs of the characteristics that measurements come on, the most important one first.
    package let measurements: [String]
    package let request: Request?

    private init(_ name: String, _ service: String, _ measurements: [String], request: Request? = nil) {
        self.name = name
        self.service = service
        self.measurements = measurements
        self.request = request
    }

    /// Heart rates.
    package static let heartRate = MonitoredProfile(
        "heart-rate", HeartRateService.uuid, [HeartRateService.measurement])

    /// All of them, heart rates first.
    package static let all: [MonitoredProfile] = [
        heartRate,
        MonitoredProfile("health-thermometer", "1809", ["2A1C", "2A1E"]),
        MonitoredProfile("blood-pressure", "1810", ["2A35", "2A36"]),
        // All records are asked for. Specification: Glucose Service 1.0, 3.4.
        MonitoredProfile(
            "glucose", "1808", ["2A18", "2A34"], request: Request(characteristic: "2A52", value: [1, 1])),
        MonitoredProfile("cycling-speed-and-cadence", "1816", ["2A5B"]),
        MonitoredProfile("cycling-power", "1818", ["2A63"]),
        MonitoredProfile("running-speed-and-cadence", "1814", ["2A53"]),
        MonitoredProfile("fitness-machine", "1826", ["2AD2", "2ACD", "2ACE", "2AD1", "2ACF", "2AD0", "2AD3", "2ADA"]),
        MonitoredProfile("environmental-sensing", "181A", ["2A6E", "2A6F", "2A6D", "2A77"]),
        MonitoredProfile("pulse-oximeter", "1822", ["2A5F", "2A5E"]),
        MonitoredProfile("weight-scale", "181D", ["2A9D"]),
        MonitoredProfile("current-time", "1805", ["2A2B"]),
        MonitoredProfile(
            "nordic-uart", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", ["6E400003-B5A3-F393-E0A9-E50E24DCCA9E"]),
        MonitoredProfile("battery", "180F", ["2A19"]),
    ]

    /// The profile with this name; nil if there is none.
    package static func named(_ name: String) -> MonitoredProfile? {
        let typed = TypedName.text(name)
        return all.first { $0.name == typed }
    }
}
