import ArgumentParser
import BlueZ
import CoreBluetooth
import GATTProfiles
import PlainText

struct InfoCommand: CentralCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show a device's services, characteristics and descriptors.",
        discussion: """
            @002a is a handle, which the other commands accept as CHARACTERISTIC. Services that exist only to be included by \
            others are secondary services.

            With --values, the reason is shown for a value that cannot be read. When the device does not answer, or the \
            connection is lost, the values read so far are shown, and the exit status is 3 or 5.

            The RSSI requires CAP_NET_ADMIN; the PHY and, unless another program made the connection, its interval, latency \
            and timeout require CAP_NET_RAW.
            """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var target: DeviceOptions
    @OptionGroup var answer: AnswerOptions

    @Flag(help: "Also read the values. Reading a value that requires pairing pairs with the device.")
    var values = false

    func run() async throws {
        let command = self
        await CommandContext.run(options) { try await command.show($0) }
    }

    @MainActor
    private func show(_ context: CommandContext) async throws {
        let monitor = try? await LinkMonitor()
        let (report, failure) = try await context.ask(target, answerTimeout: answer.timeout) { connection in
            var report = DeviceReport(connection, link: await LinkReport(of: connection.peripheral, monitor))
            let failure = values ? await report.readValues() : nil
            if let failure, failure.isUnansweredSincePairing { throw failure }
            return (report, failure)
        }
        context.output.print(lines: report.lines) { report.add(to: &$0) }
        if let failure { throw failure }
    }
}

/// Everything that a device has, for people and for programs.
@MainActor
struct DeviceReport {
    private let connection: DeviceConnection
    private let link: LinkReport?
    private var values: [ObjectIdentifier: Result<Data, CommandError>] = [:]

    private var table: AttributeTable { connection.table }
    private var peripheral: CBPeripheral { connection.peripheral }

    init(_ connection: DeviceConnection, link: LinkReport? = nil) {
        self.connection = connection
        self.link = link
    }

    // MARK: Values

    /// Reads everything that can be read.
    ///
    /// - Returns: why the rest could not even be asked for; nil if there is no rest.
    mutating func readValues() async -> CommandError? {
        for characteristic in table.characteristics {
            let own = characteristic.properties.contains(.read) ? [ValueAttribute.characteristic(characteristic)] : []
            for target in own + (characteristic.descriptors ?? []).map(ValueAttribute.descriptor) {
                guard let failure = await read(target) else { continue }
                if failure.endsEverything || failure.isUnansweredSincePairing { return failure }
            }
        }
        return nil
    }

    private mutating func read(_ target: ValueAttribute) async -> CommandError? {
        do {
            values[ObjectIdentifier(target.attribute)] = .success(try await connection.read(target))
            return nil
        } catch {
            let failure = CommandError(error, attempt: "cannot read \(connection.name(of: target))")
            values[ObjectIdentifier(target.attribute)] = .failure(failure)
            return failure
        }
    }

    // MARK: Text

    var lines: [String] {
        var lines = [
            "\(peripheral.bluetoothAddress ?? "?") \(peripheral.identifier) \"\(peripheral.name ?? "")\""
        ]
        if let kind = AddressKind(peripheral.identifier), kind.changes {
            lines.append("address: \(kind.text); it changes, and the identifier with it, until the device is paired")
        }
        if let link { lines.append(link.line) }
        for service in table.services {
            let kind = service.isPrimary ? "service" : "secondary service"
            lines.append("\(kind) \(title(of: service, among: table.services))")
            for included in service.includedServices ?? [] {
                lines.append("  includes \(title(of: included, among: table.services))")
            }
            for characteristic in service.characteristics ?? [] {
                let properties = characteristic.properties.names.joined(separator: ", ")
                lines.append(
                    "  \(title(of: characteristic, among: service.characteristics ?? [])) (\(properties))"
                        + value(of: characteristic))
                for descriptor in characteristic.descriptors ?? [] {
                    lines.append(
                        "    \(title(of: descriptor, among: characteristic.descriptors ?? []))"
                            + value(of: descriptor))
                }
            }
        }
        return lines
    }

    /// `2A38 Body Sensor Location @002a`
    private func title<T: CBAttribute>(of attribute: T, among all: [T]) -> String {
        [AttributeTable.numbered(attribute, among: all), attribute.uuid.name, attribute.handleText]
            .compactMap(\.self).joined(separator: " ")
    }

    private func value(of attribute: CBAttribute) -> String {
        switch values[ObjectIdentifier(attribute)] {
        case .success(let value): " = " + ValueFormat.auto.text(value, of: attribute.uuid.uuidString)
        case .failure(let failure): " = cannot be read: " + failure.reason
        case nil: ""
        }
    }

    // MARK: JSON

    func add(to object: inout JSONObject) {
        object.add("address", peripheral.bluetoothAddress)
        object.add("addressType", AddressKind(peripheral.identifier)?.rawValue)
        object.add("identifier", peripheral.identifier.uuidString)
        object.add("name", peripheral.name)
        object.add("connection", link?.json)
        object.add("services", table.services.map(json))
    }

    private func json(_ service: CBService) -> JSONObject {
        var object = reference(to: service)
        object.add("primary", service.isPrimary)
        object.add("includes", (service.includedServices ?? []).map(reference))
        object.add(
            "characteristics",
            (service.characteristics ?? []).map { characteristic in
                var object = reference(to: characteristic)
                object.add("properties", characteristic.properties.names)
                addValue(of: characteristic, to: &object)
                object.add(
                    "descriptors",
                    (characteristic.descriptors ?? []).map { descriptor in
                        var object = reference(to: descriptor)
                        addValue(of: descriptor, to: &object)
                        return object
                    })
                return object
            })
        return object
    }

    private func reference(to attribute: CBAttribute) -> JSONObject {
        var object = JSONObject()
        object.add("uuid", attribute.uuid.uuidString)
        object.add("name", attribute.uuid.name)
        object.add("handle", attribute.handle.map(AttributeSelector.digits(ofHandle:)))
        return object
    }

    private func addValue(of attribute: CBAttribute, to object: inout JSONObject) {
        switch values[ObjectIdentifier(attribute)] {
        case .success(let value):
            object.add("value", ValueText.hex(value))
            object.addMeaning(of: value, uuid: attribute.uuid.uuidString)
        case .failure(let failure):
            object.add("error", failure.reason)
            object.add("attError", failure.attError)
        case nil: break
        }
    }
}

extension CommandError {
    /// Whether nothing more can be asked of the device: the connection is lost, or a request is open, and ATT allows
    /// one only.
    var endsEverything: Bool {
        switch status {
        case .notInTime, .connectionFailed, .bluetoothUnavailable: true
        default: false
        }
    }
}

extension AddressKind {
    /// `resolvable private`
    var text: String { rawValue.replacing("-", with: " ") }
}

extension CBCharacteristicProperties {
    /// Whether notifications or indications can be turned on.
    var isSubscribable: Bool {
        !isDisjoint(with: [.notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired])
    }

    /// As the specification names them.
    var names: [String] {
        let all: [(CBCharacteristicProperties, String)] = [
            (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
            (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
            (.authenticatedSignedWrites, "authenticated-signed-writes"), (.extendedProperties, "extended-properties"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
