import ArgumentParser
import Bluejay
import GATTProfiles
import LineOutput

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Connect and show all services and characteristics.")
    @OptionGroup var options: GlobalOptions
    @OptionGroup var target: DeviceOptions

    @Flag(help: "Read what can be read, too. A value for paired devices makes this one pair.")
    var values = false

    func run() async throws {
        let command = self
        await Session.run(options) { try await command.show($0) }
    }

    @MainActor
    private func show(_ session: Session) async throws {
        try await session.connect(target.selector, timeout: target.connectTimeout)
        let direct = try await session.discoverEverything()
        let peripheral = direct.peripheral
        let services = peripheral.services ?? []
        var read: [ObjectIdentifier: Result<Data, Failure>] = [:]
        if values {
            for characteristic in services.flatMap({ $0.characteristics ?? [] })
            where characteristic.properties.contains(.read) {
                do {
                    read[ObjectIdentifier(characteristic)] = .success(try await session.read(characteristic))
                } catch {
                    let failure = Failure(error, attempt: "cannot read \(characteristic.label)")
                    if failure.status != .attError { throw failure }
                    read[ObjectIdentifier(characteristic)] = .failure(failure)
                }
            }
        }
        session.output.print(lines: lines(peripheral, services, read)) { object in
            object.add("address", peripheral.bluetoothAddress)
            object.add("identifier", peripheral.identifier.uuidString)
            object.add("name", peripheral.name)
            object.add("services", services.map { json($0, read) })
        }
    }

    @MainActor
    private func lines(
        _ peripheral: CBPeripheral, _ services: [CBService], _ values: [ObjectIdentifier: Result<Data, Failure>]
    ) -> [String] {
        var lines = [
            "\(peripheral.bluetoothAddress ?? "?") \(peripheral.identifier) \"\(peripheral.name ?? "")\""
        ]
        for service in services {
            lines.append("service \(service.uuid.uuidString)" + (service.uuid.name.map { " \($0)" } ?? ""))
            for characteristic in service.characteristics ?? [] {
                var line = "  \(characteristic.uuid.uuidString)" + (characteristic.uuid.name.map { " \($0)" } ?? "")
                line += " (\(characteristic.properties.names.joined(separator: ", ")))"
                switch values[ObjectIdentifier(characteristic)] {
                case .success(let value):
                    line += " = " + ValueFormat.auto.text(value, of: characteristic.uuid.uuidString)
                case .failure(let failure): line += " = " + failure.message
                case nil: break
                }
                lines.append(line)
            }
        }
        return lines
    }

    @MainActor
    private func json(_ service: CBService, _ values: [ObjectIdentifier: Result<Data, Failure>]) -> JSONObject {
        var object = JSONObject()
        object.add("uuid", service.uuid.uuidString)
        object.add("name", service.uuid.name)
        object.add(
            "characteristics",
            (service.characteristics ?? []).map { characteristic in
                var object = JSONObject()
                object.add("uuid", characteristic.uuid.uuidString)
                object.add("name", characteristic.uuid.name)
                object.add("properties", characteristic.properties.names)
                object.add("descriptors", (characteristic.descriptors ?? []).map(\.uuid.uuidString))
                switch values[ObjectIdentifier(characteristic)] {
                case .success(let value): object.add("value", ValueText.hex(value))
                case .failure(let failure): object.add("attError", failure.attError)
                case nil: break
                }
                return object
            })
        return object
    }
}

extension CBCharacteristicProperties {
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
