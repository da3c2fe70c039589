import Bluejay
import BluetoothLab
import CoreBluetooth
import Foundation
import GATTProfiles
import Testing

extension InTheLab {
    /// What Bluejay promises, where a real peripheral and a real bluetoothd have a part in it.
    @Suite struct Promises {
        private func withFaulty(_ body: (Sensor, Central) async throws -> Void) async throws {
            try await withProfile("faulty", advertising: Faulty.service.uuid.uuidString, body: body)
        }

        // MARK: Scanning

        @Test func `a scan ends after its duration and a second one does not disturb it`() async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor()
            let central = try await Central()
            let outcomes = Collector<String>()
            let services = [ServiceIdentifier(uuid: "180F"), ServiceIdentifier(uuid: HeartRateService.uuid)]
            let start = ContinuousClock.now
            try await onMain { [bluejay = central.bluejay] in
                bluejay.scan(
                    duration: 8, serviceIdentifiers: services,
                    discovery: { found, all in
                        outcomes.add("found \(all.count)")
                        return .blacklist
                    },
                    stopped: { all, error in outcomes.add("first \(error?.short ?? "intended")") })
                bluejay.scan(
                    serviceIdentifiers: services, discovery: { _, _ in .stop },
                    stopped: { _, error in outcomes.add("second \(error?.short ?? "intended")") })
            }
            #expect(
                try await outcomes.values(3) == ["second multipleScanNotSupported", "found 1", "first intended"])
            #expect(ContinuousClock.now - start >= .seconds(8))
            let isScanning = try await onMain { [bluejay = central.bluejay] in bluejay.isScanning }
            #expect(!isScanning)
            try await sensor.stop()
        }

        @Test func `a discovery connects`() async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor()
            let central = try await Central()
            let outcomes = Collector<String>()
            try await onMain { [bluejay = central.bluejay] in
                bluejay.scan(
                    serviceIdentifiers: [ServiceIdentifier(uuid: HeartRateService.uuid)],
                    discovery: { found, _ in
                        .connect(found, .seconds(15), .default) { result in
                            if case .success = result { outcomes.add("connected") }
                        }
                    }, stopped: { _, error in outcomes.add("stopped \(error?.short ?? "intended")") })
            }
            #expect(try await outcomes.values(2) == ["stopped intended", "connected"])
            try await central.disconnect()
            try await sensor.stop()
        }

        @Test func `a sensor that is not seen for fifteen seconds expires`() async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor()
            let central = try await Central()
            let outcomes = Collector<String>()
            try await onMain { [bluejay = central.bluejay] in
                bluejay.scan(
                    allowDuplicates: true, serviceIdentifiers: [ServiceIdentifier(uuid: HeartRateService.uuid)],
                    discovery: { _, all in
                        outcomes.add("found")
                        return .continue
                    },
                    expired: { _, rest in
                        outcomes.add("lost, \(rest.count) left")
                        return .stop
                    },
                    stopped: { all, error in outcomes.add("stopped with \(all.count), \(error?.short ?? "intended")") }
                )
            }
            _ = try await outcomes.values(1)
            try await sensor.stop()
            let last = try await Sequence(outcomes).first { $0.hasPrefix("stopped") }
            #expect(last == "stopped with 0, intended")
            #expect(outcomes.values.contains("lost, 0 left"))
        }

        // MARK: Connections

        @Test func `work before a queued disconnect is done and nothing behind it`() async throws {
            try await withFaulty { _, central in
                let outcomes = Collector<String>()
                try await onMain { [bluejay = central.bluejay] in
                    bluejay.read(from: Faulty.slow) { (result: ReadResult<String>) in outcomes.add("read \(result)") }
                    bluejay.write(to: Faulty.slow, value: UInt8(1)) { outcomes.add("write \($0)") }
                    bluejay.disconnect { result in
                        if case .disconnected = result { outcomes.add("disconnected") }
                    }
                    bluejay.read(from: Faulty.slow) { (result: ReadResult<String>) in
                        if case .failure(let error) = result { outcomes.add(error.short) }
                    }
                    bluejay.disconnect { result in
                        if case .failure(let error) = result { outcomes.add(error.short) }
                    }
                }
                #expect(
                    try await outcomes.values(5) == [
                        "disconnectQueued", "multipleDisconnectNotSupported", "read success(\"at last\")",
                        "write success", "disconnected",
                    ])
                try await central.connect(central.find(Faulty.service.uuid.uuidString).peripheralIdentifier)
            }
        }

        @Test func `an immediate disconnect fails what is under way`() async throws {
            try await withFaulty { _, central in
                _ = try await central.read(Faulty.optional, as: String.self)
                let outcomes = Collector<String>()
                try await onMain { [bluejay = central.bluejay] in
                    for number in 1...3 {
                        bluejay.read(from: Faulty.optional) { (result: ReadResult<String>) in
                            if case .failure(let error) = result { outcomes.add("\(number) \(error.short)") }
                        }
                    }
                    bluejay.disconnect(immediate: true) { result in
                        if case .disconnected = result { outcomes.add("disconnected") }
                    }
                }
                #expect(
                    try await outcomes.values(4) == [
                        "1 explicitDisconnect", "2 explicitDisconnect", "3 explicitDisconnect", "disconnected",
                    ])
                try await central.connect(central.find(Faulty.service.uuid.uuidString).peripheralIdentifier)
            }
        }

        @Test func `cancelling keeps the link and late answers are not taken for later ones`() async throws {
            try await withFaulty { _, central in
                _ = try await central.read(Faulty.optional, as: String.self)
                let cancelled = Collector<String>()
                try await onMain { [bluejay = central.bluejay] in
                    bluejay.read(from: Faulty.slow) { (result: ReadResult<String>) in
                        if case .failure(let error) = result { cancelled.add(error.short) }
                    }
                    bluejay.cancelEverything(shouldDisconnect: false)
                }
                #expect(try await cancelled.values(1) == ["cancelled"])
                #expect(try await central.read(Faulty.optional, as: String.self) == "here")
                #expect(try await central.read(Faulty.slow, as: String.self) == "at last")
                #expect(cancelled.values.count == 1)
            }
        }

        @Test func `the disconnect handler decides and listeners hear why`() async throws {
            final class Handler: DisconnectHandler, Swift.Sendable {
                let calls = Collector<Bool>()
                func didDisconnect(
                    from peripheral: PeripheralIdentifier, with error: (any Error)?, willReconnect autoReconnect: Bool
                ) -> AutoReconnectMode {
                    calls.add(autoReconnect)
                    return .change(shouldAutoReconnect: false)
                }
            }
            try await withFaulty { sensor, central in
                let handler = try await onMain { [bluejay = central.bluejay] in
                    let handler = Handler()
                    bluejay.registerDisconnectHandler(handler: handler)
                    bluejay.broadcastErrorsToListeners = true
                    return handler
                }
                let values = try await central.listen(to: Faulty.lossy, on: sensor)
                _ = try await values.values(1)
                try await sensor.command("disconnect")
                try await central.observer.disconnections.first()
                #expect(try await handler.calls.values(1) == [true])
                guard case .failure(BluejayError.notConnected) = values.values.last else {
                    Issue.record("\(String(describing: values.values.last))")
                    return
                }
                let isAtRest = try await onMain { [bluejay = central.bluejay] in
                    !bluejay.isConnected && !bluejay.isConnecting && !bluejay.shouldAutoReconnect
                }
                #expect(isAtRest)
                try await central.connect(central.find(Faulty.service.uuid.uuidString).peripheralIdentifier)
            }
        }

        @Test func `the state is handed over and taken back with the link up`() async throws {
            try await withFaulty { sensor, central in
                let position = sensor.position
                try await onMain { [bluejay = central.bluejay, observer = central.observer] in
                    let state = bluejay.stopAndExtractBluetoothState()
                    #expect(!bluejay.hasStarted && state.peripheral?.state == .connected)
                    bluejay.start(mode: .use(manager: state.manager, peripheral: state.peripheral))
                    bluejay.register(connectionObserver: observer)
                    #expect(bluejay.isConnected)
                    // Ignored: that would be another manager.
                    bluejay.start()
                    #expect(bluejay.isConnected)
                }
                #expect(try await central.read(Faulty.optional, as: String.self) == "here")
                #expect(!sensor.events.dropFirst(position).contains { $0.kind == .disconnected })
            }
        }

        // MARK: Characteristics

        @Test func `listens are trapped or replaced`() async throws {
            try await withFaulty { sensor, central in
                let outcomes = Collector<String>()
                let position = sensor.position
                try await onMain { [bluejay = central.bluejay] in
                    for (name, characteristic) in [("lossy", Faulty.lossy), ("stale", Faulty.stale)] {
                        for number in 1...2 {
                            bluejay.listen(
                                to: characteristic, multipleListenOption: name == "lossy" ? .trap : .replaceable
                            ) { (result: ReadResult<Data>) in
                                if case .failure(let error) = result {
                                    outcomes.add("\(name) \(number) \(error.short)")
                                }
                            }
                        }
                    }
                }
                #expect(
                    try await outcomes.values(2) == ["lossy 2 multipleListenTrapped", "stale 1 multipleListenReplaced"])
                try await sensor.event(.subscribed, from: position) { $0.characteristic == "lossy" }
                let failure = await failure { _ = try await central.read(Faulty.lossy, as: Data.self) }
                #expect(failure == "readFailed")
                try await central.endListen(to: Faulty.lossy)
                let isListening = try await onMain { [bluejay = central.bluejay] in
                    try bluejay.isListening(to: Faulty.lossy)
                }
                #expect(!isListening)
            }
        }

        @Test func `changes of services and signal strengths go to their observers`() async throws {
            final class Watcher: ServiceObserver, RSSIObserver, Swift.Sendable {
                let changes = Collector<[ServiceIdentifier]>()
                let strengths = Collector<String>()
                func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier])
                {
                    changes.add(invalidatedServices)
                }
                func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: (any Error)?) {
                    strengths.add(error?.short ?? "some")
                }
            }
            try await withFaulty { _, central in
                _ = try await central.read(Faulty.optional, as: String.self)
                let watcher = try await onMain { [bluejay = central.bluejay] in
                    let watcher = Watcher()
                    bluejay.register(serviceObserver: watcher)
                    bluejay.register(rssiObserver: watcher)
                    try bluejay.readRSSI()
                    return watcher
                }
                #expect(try await watcher.strengths.values(1).count == 1)
                try await central.write(Data("away".utf8), to: Faulty.trigger)
                #expect(try await watcher.changes.values(1) == [[Faulty.optionalService]])
                let failure = await failure { _ = try await central.read(Faulty.optional, as: String.self) }
                #expect(failure == "missingService")
                try await central.write(Data("back".utf8), to: Faulty.trigger)
                #expect(try await watcher.changes.values(2) == [[Faulty.optionalService], []])
                #expect(try await central.read(Faulty.optional, as: String.self) == "here")
            }
        }
    }
}
