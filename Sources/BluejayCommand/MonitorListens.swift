import AssignedNumbers
import Bluejay
import GATTProfiles
import LineOutput
import ProfileClients

/// What the monitor listens to in one connection, and shows of it.
@MainActor
final class MonitorListens {
    enum Report {
        /// A measurement has come and was shown; what is malformed does not count.
        case measurement(isWellFormed: Bool)
        /// The device has none of the characteristics, now that its services are known, or no longer any.
        case measuresNothing(didBefore: Bool)
        /// Something, such as heart rates, cannot be listened to.
        case failed(Failure, of: String, RetryingSubscription.Next)
    }

    private let context: CommandContext
    private let peripheral: PeripheralIdentifier
    /// Nil: whatever the device measures.
    private let profile: MonitoredProfile?
    private let answerTimeout: Double
    private let report: (Report) -> Void
    /// The listens to measurements, the most important one first.
    private var measurements: [RetryingSubscription] = []
    /// Those to what is no measurement: chirps, and the answers of control points.
    private var others: [RetryingSubscription] = []
    private var isEnded = false

    init(
        _ context: CommandContext, to peripheral: PeripheralIdentifier, profile: MonitoredProfile?,
        answerTimeout: Double, report: @escaping (Report) -> Void
    ) {
        self.context = context
        self.peripheral = peripheral
        self.profile = profile
        self.answerTimeout = answerTimeout
        self.report = report
        for profile in profiles { add(profile) }
    }

    private var output: Output { context.output }
    private var profiles: [MonitoredProfile] { profile.map { [$0] } ?? MonitoredProfile.all }

    /// Whether all that could be measured is known to be missing.
    var measureNothing: Bool { measurements.allSatisfy(\.isKnownMissing) }

    /// Begins, or begins again where it has failed.
    func begin() {
        for listen in measurements + others { listen.begin() }
    }

    /// The connection has ended, or is about to.
    func end() {
        isEnded = true
        for listen in measurements + others { listen.end() }
    }

    /// Asks for measurements that do not come by themselves, once what was begun before listens.
    func requestMeasurements() {
        for profile in profiles { request(profile) }
    }

    private func add(_ profile: MonitoredProfile) {
        for uuid in profile.measurements {
            let characteristic = profile.characteristic(uuid)
            let name = profile == .heartRate ? "heart rates" : characteristic.displayName
            // Without heart rates another connection may help; what else a device has may be missing.
            let isEssential = measurements.isEmpty
            measurements.append(
                keep(characteristic, name, isEssential: isEssential) { [weak self] event in
                    self?.measured(event, characteristic)
                })
        }
        if let request = profile.request {
            let characteristic = profile.characteristic(request.characteristic)
            others.append(
                keep(characteristic, characteristic.displayName, isEssential: false) { [weak self] event in
                    if case .value(let value) = event { self?.show(value, of: characteristic, as: "response") }
                })
        }
        // Not every sensor chirps, and one that does not is no less a sensor.
        guard profile == .heartRate else { return }
        others.append(
            keep(.chirp, "chirps", isEssential: false) { [weak self] event in
                if case .value(let value) = event { self?.chirp(value) }
            })
    }

    private func keep(
        _ characteristic: CharacteristicIdentifier, _ what: String, isEssential: Bool,
        _ handler: @escaping (RetryingSubscription.Event) -> Void
    ) -> RetryingSubscription {
        RetryingSubscription(
            characteristic, of: peripheral, context, answerTimeout: answerTimeout, isEssential: isEssential
        ) { [weak self] event in
            if case .failed(let failure, let next) = event {
                self?.report(.failed(failure, of: what, next))
            } else {
                handler(event)
            }
        }
    }

    private func request(_ profile: MonitoredProfile) {
        guard let request = profile.request else { return }
        let characteristic = profile.characteristic(request.characteristic)
        context.bluejay.write(to: characteristic, value: Data(request.value)) { [weak self] result in
            switch result {
            case .success, .failure(BluejayError.missingService), .failure(BluejayError.missingCharacteristic): break
            case .failure(let error):
                guard let self, !isEnded else { return }
                let failure = Failure(error, attempt: "cannot ask for measurements")
                output.event("not-listening", failure.message) { object in
                    object.add("error", failure.reason)
                    object.add("attError", failure.attError)
                }
            }
        }
    }

    // MARK: Values

    private func measured(_ event: RetryingSubscription.Event, _ characteristic: CharacteristicIdentifier) {
        switch event {
        case .value(let value):
            guard characteristic == .heartRate else {
                show(value, of: characteristic, as: "measurement")
                return report(.measurement(isWellFormed: true))
            }
            do throws(HeartRateMeasurement.DecodingError) {
                let measurement = try HeartRateMeasurement(bytes: value)
                output.event("heart-rate", measurement.text) { measurement.add(to: &$0) }
                report(.measurement(isWellFormed: true))
            } catch {
                output.event("malformed", "malformed: \(error)") { $0.add("value", ValueText.hex(value)) }
                report(.measurement(isWellFormed: false))
            }
        case .missing(let wasThere):
            if measureNothing { report(.measuresNothing(didBefore: wasThere)) }
        case .failed: break
        }
    }

    /// Shows a value by its meaning, or its bytes.
    private func show(_ value: Data, of characteristic: CharacteristicIdentifier, as event: String) {
        let uuid = characteristic.uuid.uuidString
        output.event(event, "\(characteristic.displayName): \(ValueFormat.auto.text(value, of: uuid))") { object in
            object.add("characteristic", characteristic.displayName)
            object.add("value", ValueText.hex(value))
            object.addMeaning(of: value, uuid: uuid)
        }
    }

    private func chirp(_ value: Data) {
        let text = ValueText.printable(value)
        let content = value.isEmpty ? "" : " " + (text.map { "\"\($0)\"" } ?? ValueText.hex(value))
        output.event("chirp", "chirp!\(content)") { object in
            object.add("value", ValueText.hex(value))
            object.add("text", text)
        }
    }
}

extension MonitoredProfile {
    fileprivate func characteristic(_ uuid: String) -> CharacteristicIdentifier {
        CharacteristicIdentifier(uuid: uuid, service: ServiceIdentifier(uuid: service))
    }
}

extension CharacteristicIdentifier {
    /// Its name as it is typed, or else its UUID.
    fileprivate var displayName: String { uuid.name.map(TypedName.text) ?? uuid.uuidString }
}
