// Finds a heart-rate sensor, connects to it from its discovery, and prints the first few measurements.
import Bluejay

/// A sensor's value: the Heart Rate Measurement characteristic of the Heart Rate Service specification.
struct HeartRateMeasurement: Receivable {
    let beatsPerMinute: Int
    /// Nil when the sensor does not measure it.
    let touchesSkin: Bool?
    /// In kilojoules, if the sensor measures it.
    let energyExpended: Int?

    init(bluetoothData: Data) throws {
        let flags: UInt8 = try bluetoothData.extract(start: 0, length: 1)
        var position = 1
        if flags & 0x01 == 0 {
            let rate: UInt8 = try bluetoothData.extract(start: position, length: 1)
            beatsPerMinute = Int(rate)
            position += 1
        } else {
            let rate: UInt16 = try bluetoothData.extract(start: position, length: 2)
            beatsPerMinute = Int(UInt16(littleEndian: rate))
            position += 2
        }
        touchesSkin = flags & 0x04 == 0 ? nil : flags & 0x02 != 0
        if flags & 0x08 == 0 {
            energyExpended = nil
        } else {
            let energy: UInt16 = try bluetoothData.extract(start: position, length: 2)
            energyExpended = Int(UInt16(littleEndian: energy))
        }
    }
}

let heartRate = ServiceIdentifier(uuid: "180D")
let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)
let sensorLocation = CharacteristicIdentifier(uuid: "2A38", service: heartRate)

final class Monitor: ConnectionObserver {
    let bluejay = Bluejay()
    private let wanted = 5
    private var received = 0

    func begin() {
        bluejay.register(connectionObserver: self)
        bluejay.start()
        bluejay.scan(
            duration: 30,
            allowDuplicates: false,
            serviceIdentifiers: [heartRate],
            discovery: { [weak self] discovery, discoveries in
                print("found \(discoveries.count): \(discovery.rssi) dBm")
                return .connect(discovery, .seconds(15), WarningOptions.default) { result in
                    switch result {
                    case .success(let sensor): print("connected to \(sensor.name)")
                    case .failure(let error): self?.fail("connecting failed", error)
                    }
                }
            },
            stopped: { [weak self] discoveries, error in
                if let error { self?.fail("the scan failed", error) }
                print("the scan has ended with \(discoveries.count) found")
                if discoveries.isEmpty { exit(1) }
            })
    }

    func connected(to peripheral: PeripheralIdentifier) {
        bluejay.read(from: sensorLocation) { [weak self] (result: ReadResult<UInt8>) in
            switch result {
            case .success(let location): print("worn at \(location)")
            case .failure(let error): self?.fail("reading failed", error)
            }
            self?.listen()
        }
    }

    private func listen() {
        bluejay.listen(to: measurement) { [weak self] (result: ReadResult<HeartRateMeasurement>) in
            switch result {
            case .success(let measurement): self?.show(measurement)
            case .failure(let error): self?.fail("listening failed", error)
            }
        }
    }

    private func show(_ measurement: HeartRateMeasurement) {
        received += 1
        let contact = measurement.touchesSkin.map { $0 ? "on the skin" : "not on the skin" } ?? "contact unknown"
        print("\(received): \(measurement.beatsPerMinute) bpm, \(contact)")
        if received == wanted { end() }
    }

    private func end() {
        bluejay.endListen(to: measurement) { [weak self] result in
            if case .failure(let error) = result { self?.fail("ending the listen failed", error) }
            self?.disconnect()
        }
    }

    private func disconnect() {
        bluejay.disconnect { [weak self] result in
            switch result {
            case .disconnected(let sensor):
                print("disconnected from \(sensor.name)")
                exit(0)
            case .failure(let error):
                self?.fail("disconnecting failed", error)
            }
        }
    }

    private func fail(_ what: String, _ error: Error) {
        print("\(what): \(error.localizedDescription)")
        exit(1)
    }
}

let monitor = Monitor()
monitor.begin()
dispatchMain()
