import AssignedNumbers
import Foundation
import GATTProfiles
import PlainText
package import ProfileWriting

/// A device of a capture, made into a profile, a scenario and a report.
package struct DeviceImport {
    package private(set) var clone = ClonedDevice()
    package private(set) var report = ImportReport()
    /// The places of characteristics in ``clone``, by the handles of their values and of their configurations.
    private(set) var places: [UInt16: ClonedDevice.Place] = [:]
    /// The places of those that notify or indicate.
    private(set) var senders: [UInt16: ClonedDevice.Place] = [:]
    private(set) var configurations: [UInt16: ClonedDevice.Place] = [:]
    /// What happened, captured at one place.
    let sessions: [Session]
    let behaviour: ObservedBehaviour
    let device: ObservedDevice
    let options: ImportOptions
    private let table: ImportedTable
    private let uses: [UInt16: AttributeUse]
    private let standards: [UInt16: String]

    package init(_ device: ObservedDevice, _ analysis: CaptureAnalysis, _ options: ImportOptions) {
        self.device = device
        self.options = options
        sessions = Self.sessions(of: device)
        uses = AttributeUse.all(sessions)
        var builder = TableBuilder(device.table, uses)
        var table = builder.build()
        table.services.removeAll { Self.isOwn($0, device, options) }
        var report = ImportReport()
        Self.limit(&table, &report)
        self.table = table
        standards = Self.standards(in: table, sessions, options, &report)
        let characteristics = table.services.flatMap(\.characteristics)
        let simulated = table.services.filter { [standards] in standards[$0.start] != nil }
        behaviour = ObservedBehaviour(
            sessions, values: Set(characteristics.map(\.handle)),
            senders: Set(characteristics.filter(\.isSender).map(\.handle)),
            configurations: Dictionary(
                characteristics.compactMap { characteristic in
                    characteristic.configuration.map { (characteristic.handle, $0) }
                }, uniquingKeysWith: { $1 }),
            levels: Set(characteristics.filter { $0.uuid == Self.batteryLevel }.map(\.handle)),
            measurements: Set(table.services.flatMap(ControlPoints.measurements)),
            excluded: Set(simulated.flatMap { $0.characteristics.map(\.handle) }),
            maximumValues: RecordingLimits.maximumValues)
        self.report = report
        addPlaces()
        addServices()
        addAdvertisement()
        addSummary(analysis)
    }

    private static let batteryLevel = "2A19"

    /// The links as one side has seen them, if both sides were captured in one file. The central's is that of the app.
    ///
    /// A request is among the events where it was made. It is known to be one only when it is answered, which may be
    /// after something that was sent meanwhile, such as the response of a control point.
    static func sessions(of device: ObservedDevice) -> [Session] {
        let sessions =
            [CapturedLink.Vantage.central, .air, .peripheral].lazy
            .map { vantage in device.sessions.filter { $0.vantage == vantage } }
            .first { $0.contains { $0.events.contains { $0.kind.handle != nil } } }
        return (sessions ?? device.sessions).map { session in
            var session = session
            session.events.sort { $0.mark.number < $1.mark.number }
            return session
        }
    }

    private static func isOwn(
        _ service: ImportedTable.Service, _ device: ObservedDevice, _ options: ImportOptions
    ) -> Bool {
        guard let uuid = service.uuid else { return false }
        let identity = service.characteristics.first.flatMap { device.table.values[$0.handle]?.bytes }
        return options.isOwnService(uuid, service.characteristics.map { $0.uuid ?? "" }, identity)
    }

    /// A profile has at most 100 services of 100 characteristics.
    private static func limit(_ table: inout ImportedTable, _ report: inout ImportReport) {
        let limit = 100
        let services = table.services.count - limit
        if services > 0 {
            table.services.removeLast(services)
            report.leaveOut("\(counted(services, "service")) beyond the limit of a profile (\(limit))")
        }
        for index in table.services.indices {
            let characteristics = table.services[index].characteristics.count - limit
            guard characteristics > 0 else { continue }
            table.services[index].characteristics.removeLast(characteristics)
            report.leaveOut(
                "\(counted(characteristics, "characteristic")) beyond the limit of a service (\(limit)), at "
                    + HandleText.text(table.services[index].start))
        }
    }

    /// The services that become simulated ones, by their handles.
    private static func standards(
        in table: ImportedTable, _ sessions: [Session], _ options: ImportOptions, _ report: inout ImportReport
    ) -> [UInt16: String] {
        var standards: [UInt16: String] = [:]
        for service in table.services {
            guard let standard = options.standards.first(where: { $0.uuid == service.uuid }),
                let comparison = StandardComparison(service, standard, sessions)
            else { continue }
            let codes = comparison.procedures.map { "0x" + AssignedName.digits(of: UInt16($0)).suffix(2) }
            if comparison.agrees {
                standards[service.start] = standard.name
                report.recognize(
                    "the procedures \(codes.joined(separator: ", ")) of a control point, as the standard service "
                        + "\(standard.name) has them: it takes this one's place, with its own values",
                    comparison.mark?.number)
            } else {
                for difference in comparison.differences {
                    report.leaveOut("the standard service \(standard.name), which differs: \(difference)")
                }
            }
        }
        return standards
    }

    // MARK: Services

    private mutating func addPlaces() {
        for (index, service) in table.services.enumerated() {
            // Those without a property that a profile knows are left out.
            let kept = service.characteristics.filter { $0.isExpressible }
            for (number, characteristic) in kept.enumerated() {
                let place = ClonedDevice.Place(service: index, characteristic: number)
                places[characteristic.handle] = place
                if characteristic.isSender { senders[characteristic.handle] = place }
                if let configuration = characteristic.configuration { configurations[configuration] = place }
            }
        }
    }

    private mutating func addServices() {
        for service in table.services {
            let uuid = service.uuid ?? PlaceholderUUID.service
            var cloned = ClonedDevice.Service(
                uuid: uuid, isAdvertised: device.advertising.services.contains(uuid))
            cloned.isPrimary = service.isPrimary
            if service.uuid == nil {
                cloned.comments = [
                    "Only handles were seen of these: the central had the table from before. Fill in the UUIDs."
                ]
                report.guess("attributes without UUIDs: the central had the device's table from before")
            }
            if let standard = standards[service.start] { cloned.standard = standard }
            for characteristic in service.characteristics {
                guard characteristic.isExpressible else {
                    report.leaveOut(
                        "the characteristic \(characteristic.uuid ?? "?"), which has no property of a profile")
                    continue
                }
                var maker = CharacteristicImport(
                    characteristic, device, sessions, uses, behaviour, senders, options)
                maker.make()
                cloned.characteristics.append(maker.clone)
                guard cloned.standard == nil else { continue }
                report.recognized += maker.report.recognized
                report.guessed += maker.report.guessed
                report.leftOut += maker.report.leftOut
            }
            clone.services.append(cloned)
        }
        for (handle, include) in device.table.includes.sorted(by: { $0.key < $1.key }) {
            report.leaveOut(
                "the included service \(include.uuid ?? HandleText.text(include.start)) at \(HandleText.text(handle))")
        }
        guard clone.services.isEmpty else { return }
        // A profile needs one.
        let advertised = device.advertising.services.filter { !options.isOwnService($0, [], nil) }
        clone.services = advertised.map { ClonedDevice.Service(uuid: $0, isAdvertised: true) }
        if advertised.isEmpty {
            var service = ClonedDevice.Service(uuid: PlaceholderUUID.service)
            service.comments = ["No service was seen; this one takes the place of what the device has."]
            clone.services = [service]
        }
        report.guess("services: none was seen on a link")
    }

    // MARK: The advertisement

    private mutating func addAdvertisement() {
        let advertising = device.advertising
        clone.advertisement.localName = device.name.flatMap { $0.isEmpty ? nil : $0 }
        clone.advertisement.appearance = advertising.appearance
        clone.advertisement.manufacturers = advertising.manufacturers.map { Data($0) }
        clone.advertisement.txPower = advertising.txPower
        clone.advertisement.serviceData = advertising.serviceData.mapValues { Data($0) }
        if let power = advertising.txPower {
            report.leaveOut("the transmit power of \(power) dBm: dittojay's controller advertises its own")
        }
        if advertising.localName == nil, device.name != nil {
            report.guess("the name, from Device Name (2A00): no advertisement has it")
        } else if advertising.isNameShortened {
            report.guess("the name, of which the advertisement has only the beginning")
        }
        for uuid in advertising.services where !clone.services.contains(where: { $0.uuid == uuid }) {
            report.leaveOut("the service \(uuid), which is advertised and was not seen on a link")
        }
        if !advertising.otherTypes.isEmpty {
            let types = advertising.otherTypes.sorted().map { "0x" + AssignedName.digits(of: UInt16($0)).suffix(2) }
            report.leaveOut("advertised data of the types \(types.joined(separator: ", "))")
        }
        clone.fitAdvertisement()
        for loss in clone.losses { report.leaveOut(loss) }
        guard device.advertisementCount > 0 else {
            return report.leaveOut("the advertisement, which is not in the capture")
        }
        if let mark = device.advertisementMark { report.recognize("the advertisement", mark.number) }
        if let mark = device.scanResponseMark { report.recognize("the scan response", mark.number) }
        if device.advertisingChanges > 0 {
            report.leaveOut(
                "what it advertised before: it changed \(counted(device.advertisingChanges, "time")); the newest data are "
                    + "in the file")
        }
    }

    // MARK: The whole

    private mutating func addSummary(_ analysis: CaptureAnalysis) {
        clone.comments = [
            "Imported from \(options.fileName) (\(analysis.formatName)): \(device.identity.text), "
                + "\(counted(sessions.count, "link")), \(CaptureTime.text(device.first.time)).",
            "\"packet N\" is the number in Wireshark.",
        ]
        for session in sessions {
            guard let first = session.events.first else { continue }
            let begin = session.isBeginKnown ? "a link" : "a link whose beginning is not in the capture"
            report.recognize("\(begin), with \(counted(session.events.count, "event"))", first.mark.number)
            for case .mtu(let central, let peripheral) in session.events.map(\.kind) {
                report.leaveOut(
                    "the MTU, \(central) of the central and \(peripheral.map(String.init) ?? "none") of the peripheral: "
                        + "bluetoothd negotiates its own")
            }
            if let encrypted = session.events.first(where: { $0.kind == .encrypted }) {
                report.recognize("the link is encrypted", encrypted.mark.number)
            }
            if session.omittedCount > 0 { report.leaveOut("\(session.omittedCount) events beyond what is kept") }
        }
        addAddresses()
        addEncryptedUse()
        addLinkProblems()
        if let change = device.table.firstChange {
            report.leaveOut("an earlier table of attributes: it changed", change.number)
        }
        if device.requestsToCentral > 0 {
            report.leaveOut(
                "\(counted(device.requestsToCentral, "request")) of the device for attributes of the central")
        }
        let unseen = device.sessions.count - sessions.count
        if unseen > 0 {
            report.leaveOut("the same \(counted(unseen, "link")), captured at the other side as well")
        }
        report.leftOut += device.remarks + behaviour.leftOut
        if !behaviour.recording.isEmpty {
            report.recognize(
                "\(counted(behaviour.recording.count, "value")) for the recording",
                behaviour.recording.first?.packet)
        }
        if behaviour.otherValues > 0 {
            report.leaveOut("\(counted(behaviour.otherValues, "value")) sent on other links than the recorded one")
        }
        if behaviour.earlyLevels > 0 {
            report.leaveOut(
                "\(counted(behaviour.earlyLevels, "battery level")) sent before the subscription with which the "
                    + "recording begins")
        }
        if behaviour.omittedValues > 0 {
            report.leaveOut("\(counted(behaviour.omittedValues, "value")) beyond the limit of a recording")
        }
        for problem in analysis.problems { report.leaveOut(problem) }
    }

    private mutating func addAddresses() {
        for evidence in device.evidence {
            let what = evidence.hasKey ? "the key of the device's addresses" : "an address of the device"
            report.recognize("\(what) (\(evidence.source.rawValue))", evidence.mark.number)
        }
        if let others = device.otherAddressText {
            report.recognize("the same device under other addresses: \(others)")
        } else if let address = device.identity.address, address.isResolvable {
            report.leaveOut(
                "what the device did under other addresses: \(address) is a resolvable private one, which changes, and the "
                    + "capture does not have its key; --device, repeated, adds others")
        }
    }

    private mutating func addEncryptedUse() {
        let used = EncryptedUse(sessions, configurations: Set(configurations.keys)).handles
        let count = Set(used.compactMap { places[$0] ?? configurations[$0] }).count
        guard count > 0 else { return }
        let text =
            "whether \(counted(count, "characteristic")) may need pairing: used only on links that are or may be "
            + "encrypted"
        clone.comments.append("Not known: \(text).")
        report.leaveOut(text)
    }

    private mutating func addLinkProblems() {
        for link in device.links {
            if link.encryptedCount > 0 {
                report.leaveOut("\(counted(link.encryptedCount, "encrypted packet")) of a link", link.begin.number)
            }
            if link.truncatedCount > 0 {
                report.leaveOut(
                    "the ends of \(counted(link.truncatedCount, "PDU")), which the capture has cut off",
                    link.begin.number)
            }
            if link.incompleteCount > 0 {
                report.leaveOut(
                    "\(counted(link.incompleteCount, "PDU")) of which fragments are missing", link.begin.number)
            }
            for (psm, bytes) in link.channelBytes.sorted(by: { $0.key < $1.key }) {
                report.leaveOut("an L2CAP channel with PSM \(psm), \(counted(bytes, "byte"))", link.begin.number)
            }
        }
    }
}

/// UUIDs for what has none.
enum PlaceholderUUID {
    static let service = "F1B00000-0000-4000-8000-000000000000"

    /// One for each handle.
    static func characteristic(_ handle: UInt16) -> String {
        "F1B0\(AssignedName.digits(of: handle))-0000-4000-8000-000000000001"
    }
}

extension ImportedTable.Characteristic {
    /// Whether a profile can have it.
    var isExpressible: Bool { properties.contains { ImportedTable.knownProperties.contains($0) } }
    var isSender: Bool { properties.contains("notify") || properties.contains("indicate") }
}
