import Bluejay
import BluetoothLab
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    /// What Bluejay promises about scans and what follows from a discovery.
    @Suite struct ScanPromises {
        private let services = [ServiceIdentifier(uuid: HeartRateService.uuid)]

        private func withSensor(_ options: String..., body: (Central) async throws -> Void) async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor(options)
            let central = try await Central()
            try await body(central)
            if try await onMain({ [bluejay = central.bluejay] in bluejay.isConnected }) {
                try await central.disconnect()
            }
            try await sensor.stop()
        }

        @Test func `a discovery is reported once with itself in the list`() async throws {
            try await withSensor { central in
                let outcomes = Collector<String>()
                try await onMain { [bluejay = central.bluejay, services] in
                    bluejay.scan(
                        duration: 3, allowDuplicates: true, serviceIdentifiers: services,
                        discovery: { found, all in
                            outcomes.add("found, \(all.map(\.peripheralIdentifier) == [found.peripheralIdentifier])")
                            return .continue
                        }, stopped: { all, error in outcomes.add("\(all.count), \(error?.short ?? "intended")") })
                }
                #expect(try await outcomes.values(2) == ["found, true", "1, intended"])
                #expect(outcomes.values.count == 2)
            }
        }

        @Test func `scanning again in stopped finds again`() async throws {
            try await withSensor { central in
                let outcomes = Collector<String>()
                try await onMain { [bluejay = central.bluejay, services] in
                    bluejay.scan(
                        serviceIdentifiers: services, discovery: { _, _ in .stop },
                        stopped: { all, error in
                            outcomes.add("\(all.count), \(error?.short ?? "intended")")
                            bluejay.scan(
                                serviceIdentifiers: services, discovery: { _, _ in .stop },
                                stopped: { all, error in
                                    outcomes.add("again \(all.count), \(error?.short ?? "intended")")
                                })
                        })
                }
                #expect(try await outcomes.values(2) == ["1, intended", "again 1, intended"])
            }
        }

        @Test func `a connection from a discovery reports its timeout and its cancellation`() async throws {
            try await withSensor { central in
                for (timeout, cancels, outcome) in [
                    // No link comes up as fast.
                    (Timeout.seconds(0.001), false, "connectionTimedOut"), (.none, true, "cancelled"),
                ] {
                    let outcomes = Collector<String>()
                    try await onMain { [bluejay = central.bluejay, services] in
                        bluejay.scan(
                            serviceIdentifiers: services,
                            discovery: { found, _ in
                                // When the attempt is under way.
                                if cancels { DispatchQueue.main.async { bluejay.cancelEverything() } }
                                return .connect(found, timeout, .default) { outcomes.add($0.outcome) }
                            }, stopped: { _, error in outcomes.add("stopped \(error?.short ?? "intended")") })
                    }
                    #expect(try await outcomes.values(2) == ["stopped intended", outcome])
                }
            }
        }

        @Test func `warnings and names are logged as they are`() async throws {
            final class Reader: LogObserver, Swift.Sendable {
                let texts = Sequence<String>()
                func debug(_ text: String) { texts.add(text) }
            }
            let name = "5% %s %n %@ %d"
            try await withSensor("--name", name) { central in
                let reader = Reader()
                try await onMain { [bluejay = central.bluejay] in
                    bluejay.register(logObserver: reader)
                    bluejay.scan(
                        serviceIdentifiers: nil,
                        discovery: { found, _ in
                            guard found.peripheralIdentifier.name == name else { return .continue }
                            return .connect(found, .seconds(20), .default) { _ in }
                        }, stopped: { _, _ in })
                }
                try await reader.texts.first { $0.contains("without service identifiers") }
                try await reader.texts.first { $0.contains(name) }
                try await central.observer.connections.first()
            }
        }
    }
}
