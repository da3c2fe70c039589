import AssignedNumbers
import CoreBluetooth
import GATTProfiles
import LineOutput
import PlainText

/// What the monitor does over one connection: it discovers what the device has, subscribes, and shows the values.
@MainActor
final class MonitorSession {
    enum Report {
        /// A measurement has come and was shown; what is malformed does not count.
        case measurement(isWellFormed: Bool)
        /// The device has none of the characteristics, or no longer any.
        case measuresNothing(didBefore: Bool)
        /// Something, such as heart rates, cannot be listened to.
        case failed(CommandError, of: String, RetryingSubscription.Next)
    }

    private let link: AsyncPeripheral
    private let output: Output
    private let profiles: [MonitoredProfile]
    private let answerTimeout: Double
    private let report: (Report) -> Void
    /// The most important one first.
    private var subscriptions: [RetryingSubscription] = []
    private var discovery: Task<Void, Never>?
    private var hasRequested = false
    /// Whether the monitor ends the connection by itself.
    private(set) var isToBeMadeAgain = false

    /// - Parameter profile: nil for whatever the device measures.
    init(
        over link: AsyncPeripheral, _ output: Output, profile: MonitoredProfile?, answerTimeout: Double,
        report: @escaping (Report) -> Void
    ) {
        self.link = link
        self.output = output
        profiles = profile.map { [$0] } ?? MonitoredProfile.all
        self.answerTimeout = answerTimeout
        self.report = report
        subscriptions = Self.characteristics(of: profiles).map { characteristic in
            RetryingSubscription(to: characteristic, over: link, answerTimeout: answerTimeout) { [weak self] event in
                self?.handle(event, of: characteristic)
            }
        }
    }

    private static func characteristics(of profiles: [MonitoredProfile]) -> [MonitoredCharacteristic] {
        var measurements: [MonitoredCharacteristic] = []
        var others: [MonitoredCharacteristic] = []
        for profile in profiles {
            for uuid in profile.measurements {
                // Without heart rates another connection may help; what else a device has may be missing.
                measurements.append(
                    .init(
                        uuid, of: profile.service, name: profile == .heartRate ? "heart rates" : nil,
                        use: .measurement, isEssential: measurements.isEmpty))
            }
            if let request = profile.request {
                others.append(.init(request.characteristic, of: profile.service, use: .response))
            }
            // Not every sensor chirps, and one that does not is no less a sensor.
            if profile == .heartRate {
                others.append(.init(ChirpService.chirp, of: ChirpService.uuid, name: "chirps", use: .chirp))
            }
        }
        return measurements + others
    }

    /// Whether all that could be measured is known to be missing.
    var measuresNothing: Bool {
        subscriptions.allSatisfy { $0.characteristic.use != .measurement || $0.isKnownMissing }
    }

    /// Listens until the connection has ended.
    func run() async {
        link.onEvent = { [weak self] in self?.handle($0) }
        discover()
        await link.waitForEnd(within: nil)
        link.onEvent = nil
        discovery?.cancel()
        for subscription in subscriptions { subscription.end() }
    }

    /// Ends the connection, for another one may help.
    func connectAgain() {
        guard !isToBeMadeAgain else { return }
        isToBeMadeAgain = true
        for subscription in subscriptions { subscription.end() }
        Task { await link.disconnect() }
    }

    // MARK: Discovery

    private func discover() {
        discovery?.cancel()
        discovery = Task {
            do throws(CentralError) {
                let services = try await link.discoverEverything(within: answerTimeout)
                for subscription in subscriptions { subscription.begin(services) }
                requestMeasurements(services)
            } catch {
                guard link.end == nil, !Task.isCancelled, let first = subscriptions.first else { return }
                let failure = CommandError(error, attempt: "cannot listen", device: link.peripheral.displayName)
                report(.failed(failure, of: first.characteristic.name, .connectAgain))
            }
        }
    }

    /// Asks for measurements that do not come by themselves, behind the subscriptions to them.
    private func requestMeasurements(_ services: [CBService]) {
        guard !hasRequested else { return }
        hasRequested = true
        for profile in profiles {
            guard let request = profile.request,
                let point = MonitoredCharacteristic(request.characteristic, of: profile.service, use: .response)
                    .find(in: services)
            else { continue }
            Task {
                do throws(CentralError) {
                    try await link.write(Data(request.value), to: .characteristic(point), within: answerTimeout)
                } catch {
                    guard link.end == nil else { return }
                    let failure = CommandError(error, attempt: "cannot ask for measurements")
                    output.event("not-listening", failure.message) { object in
                        object.add("error", failure.reason)
                        object.add("attError", failure.attError)
                    }
                }
            }
        }
    }

    // MARK: Events

    private func handle(_ event: RetryingSubscription.Event, of characteristic: MonitoredCharacteristic) {
        guard !isToBeMadeAgain else { return }
        switch event {
        case .failed(let failure, let next): report(.failed(failure, of: characteristic.name, next))
        case .missing(let wasThere):
            guard characteristic.use == .measurement, measuresNothing else { return }
            report(.measuresNothing(didBefore: wasThere))
        }
    }

    private func handle(_ event: AsyncPeripheral.Event) {
        switch event {
        case .value(let value, let source):
            guard let subscription = subscriptions.first(where: { $0.takes(source) }) else { return }
            show(value, of: subscription.characteristic)
        case .servicesChanged(let removed):
            show(removed)
            // A removed characteristic may be back, or there may be another one.
            discover()
        case .loss(let characteristic):
            StandardError.write("bluejay: \(characteristic.label): \(characteristic.notificationLoss)")
        case .end: break
        }
    }

    private func show(_ removed: [CBService]) {
        let names = removed.map(\.uuid.label)
        output.event(
            "services-changed",
            names.isEmpty ? "services were added" : "services were removed: " + names.joined(separator: ", ")
        ) { object in
            object.add("invalidated", removed.map(\.uuid.uuidString))
        }
    }

    private func show(_ value: Data, of characteristic: MonitoredCharacteristic) {
        switch characteristic.use {
        case .chirp: chirp(value)
        case .response: show(value, of: characteristic, as: "response")
        case .measurement where characteristic.uuid == CBUUID(string: HeartRateService.measurement): heartRate(value)
        case .measurement:
            show(value, of: characteristic, as: "measurement")
            report(.measurement(isWellFormed: true))
        }
    }

    private func heartRate(_ value: Data) {
        do throws(HeartRateMeasurement.DecodingError) {
            let measurement = try HeartRateMeasurement(bytes: value)
            output.event("heart-rate", measurement.text) { measurement.add(to: &$0) }
            report(.measurement(isWellFormed: true))
        } catch {
            output.event("malformed", "malformed: \(error)") { $0.add("value", ValueText.hex(value)) }
            report(.measurement(isWellFormed: false))
        }
    }

    /// Shows a value by its meaning, or its bytes.
    private func show(_ value: Data, of characteristic: MonitoredCharacteristic, as event: String) {
        let (uuid, name) = (characteristic.uuid.uuidString, characteristic.uuid.label)
        output.event(event, "\(name): \(ValueFormat.auto.text(value, of: uuid))") { object in
            object.add("characteristic", name)
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
