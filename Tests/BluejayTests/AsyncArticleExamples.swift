// The code of the articles in Bluejay.docc, so that it compiles. `ArticleTests` compares the two.

import Testing

@testable import Bluejay

private enum GettingStarted {
    static let heartRate = ServiceIdentifier(uuid: "180D")
    static let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)
    static let sensorLocation = CharacteristicIdentifier(uuid: "2A38", service: heartRate)
    static let orders = measurement

    static func names() {
        let heartRate = ServiceIdentifier(uuid: "180D")
        let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)
        let sensorLocation = CharacteristicIdentifier(uuid: "2A38", service: heartRate)
        _ = (measurement, sensorLocation)
    }

    @MainActor static func awaited() async throws {
        let bluejay = Bluejay()
        bluejay.start()

        for try await found in bluejay.scan(duration: 30, serviceIdentifiers: [heartRate]).discoveries {
            print("found", found.peripheralIdentifier.name)
            try await bluejay.connect(found.peripheralIdentifier, timeout: .seconds(15))
            break
        }

        let location: UInt8 = try await bluejay.read(from: sensorLocation)
        print("worn at", location)

        for try await beat in try await bluejay.listen(to: measurement, as: HeartRate.self) {
            print(beat.beatsPerMinute, "bpm")
        }
    }

    static func withCompletions() {
        let bluejay = Bluejay()
        bluejay.start()

        bluejay.scan(serviceIdentifiers: [heartRate]) { discovery, _ in
            .connect(discovery, .seconds(15), .default) { result in
                guard case .success = result else { return print("not connected:", result) }
                bluejay.listen(to: measurement) { (beat: ReadResult<HeartRate>) in
                    switch beat {
                    case .success(let beat): print(beat.beatsPerMinute, "bpm")
                    case .failure(let error): print("not understood:", error.localizedDescription)
                    }
                }
            }
        } stopped: { _, error in
            if let error { print("the scan has failed:", error.localizedDescription) }
        }

        dispatchMain()
    }

    static func write(_ bluejay: Bluejay) async throws {
        try await bluejay.write(to: orders, value: Coffee(size: 2, grams: 18))
    }
}

struct HeartRate: Receivable {
    let beatsPerMinute: Int

    init(bluetoothData: Data) throws {
        let flags: UInt8 = try bluetoothData.extract(start: 0, length: 1)
        if flags & 1 == 0 {
            beatsPerMinute = Int(try bluetoothData.extract(start: 1, length: 1) as UInt8)
        } else {
            beatsPerMinute = Int(UInt16(littleEndian: try bluetoothData.extract(start: 1, length: 2)))
        }
    }
}

struct Coffee: Sendable {
    let size: UInt8
    let grams: UInt16

    func toBluetoothData() -> Data {
        Bluejay.combine(sendables: [size, grams.bigEndian, DataPadding(1)])
    }
}

private struct AsyncAwait {
    struct TimedOut: Error {}
    let bluejay: Bluejay
    let sensor: PeripheralIdentifier
    let sensorLocation = location
    let batteryLevel = location
    let answer = location
    let request = controlPoint
    let speed = measurement

    func calls() async throws {
        try await bluejay.connect(sensor, timeout: .seconds(15))
        let location = try await bluejay.read(from: sensorLocation, as: UInt8.self)
        try await bluejay.write(to: controlPoint, value: UInt8(1))
        let strength = try await bluejay.readRSSI()
        try await bluejay.disconnect()
        print(location, strength)
    }

    func timeout() async throws {
        let battery = try await withThrowingTaskGroup(of: UInt8.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await bluejay.read(from: batteryLevel) }
            group.addTask {
                try await Task.sleep(for: .seconds(5))
                throw TimedOut()
            }
            return try await group.next()
        }
        print(battery ?? 0)
    }

    func leave() async {
        bluejay.endListen(to: measurement, completion: nil)
        bluejay.disconnect(completion: nil)
    }

    func scan() async throws {
        var inRange: Set<PeripheralIdentifier> = []
        for try await event in bluejay.scan(allowDuplicates: true, serviceIdentifiers: [heartRate]) {
            switch event {
            case .discovered(let discovery): inRange.insert(discovery.peripheralIdentifier)
            case .expired(let discovery): inRange.remove(discovery.peripheralIdentifier)
            }
            print(inRange.count, "in range")
        }
    }

    func listen() async throws {
        let answers = try await bluejay.listen(to: answer, as: String.self)
        try await bluejay.write(to: request, value: "list")
        for try await line in answers {
            if line == "end" { break }
            print(line)
        }
    }

    func show(_ value: UInt16, lost: Int) async {}

    func slowly() async throws {
        let speeds = try await bluejay.listen(to: speed, as: UInt16.self, buffering: .newest(1))
        for try await value in speeds {
            await show(value, lost: speeds.droppedCount)
        }
    }

    func monitor(_ peripheral: PeripheralIdentifier) {}

    func events() async {
        for await event in bluejay.connectionEvents {
            switch event {
            case .bluetoothAvailable(let isAvailable): print(isAvailable ? "Bluetooth is on" : "Bluetooth is off")
            case .connected(let peripheral): monitor(peripheral)
            case .disconnected(let peripheral): print(peripheral.name, "is gone")
            }
        }
    }
}

private struct MovingFromiOS {
    final class ChirpWatcher: ServiceObserver {
        func listenToChirps() {}

        func didModifyServices(from peripheral: PeripheralIdentifier, invalidatedServices: [ServiceIdentifier]) {
            if invalidatedServices.isEmpty { listenToChirps() }
        }
    }

    let bluejay: Bluejay

    final class Monitor: ConnectionObserver {
        let bluejay = Bluejay()
        let measurement = CharacteristicIdentifier(uuid: "2A37", service: ServiceIdentifier(uuid: "180D"))

        func start() {
            bluejay.register(connectionObserver: self)
            bluejay.start()
        }

        func connected(to peripheral: PeripheralIdentifier) {
            bluejay.listen(to: measurement, multipleListenOption: .replaceable) { (result: ReadResult<Data>) in
                print(peripheral.name, result)
            }
        }
    }

    func main() {
        let monitor = Monitor()
        monitor.start()
        dispatchMain()
    }

    func connect(to stored: PeripheralIdentifier) async throws {
        for await event in bluejay.connectionEvents where event == .bluetoothAvailable(true) { break }
        do {
            try await bluejay.connect(stored, timeout: .seconds(15))
        } catch BluejayError.unexpectedPeripheral {
            for try await found in bluejay.scan(duration: 30, serviceIdentifiers: [heartRate]).discoveries
            where found.peripheralIdentifier == stored {
                try await bluejay.connect(stored, timeout: .seconds(15))
                break
            }
        }
    }
}

let isInTheLab = ProcessInfo.processInfo.environment["BLUETOOTH_LAB"] == "1"

@Suite(.serialized, .enabled(if: isInTheLab, "needs the lab"))
struct SensorTests {
    @Test func `the sensor measures`() async throws {
        let bluejay = Bluejay()
        bluejay.start()
        for try await found in bluejay.scan(duration: 20, serviceIdentifiers: [heartRate]).discoveries {
            try await bluejay.connect(found.peripheralIdentifier, timeout: .seconds(30))
            break
        }
        let beats = try await bluejay.listen(to: measurement, as: HeartRate.self)
        for try await beat in beats.prefix(3) {
            #expect((30...220).contains(beat.beatsPerMinute))
        }
        try await bluejay.disconnect()
    }
}
