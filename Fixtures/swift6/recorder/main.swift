import Bluejay

struct HeartRate: Receivable, Swift.Sendable {
    let beatsPerMinute: Int

    init(bluetoothData: Data) throws {
        let rate: UInt8 = try bluetoothData.extract(start: 1, length: 1)
        beatsPerMinute = Int(rate)
    }
}

actor Recorder {
    private let bluejay: Bluejay
    private var rates: [HeartRate] = []

    init(_ bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    func record(_ count: Int) async throws -> [HeartRate] {
        let heartRate = ServiceIdentifier(uuid: "180D")
        let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)
        for try await found in bluejay.scan(duration: 30, serviceIdentifiers: [heartRate]).discoveries {
            try await bluejay.connect(found.peripheralIdentifier, timeout: .seconds(15))
            break
        }
        for try await rate in try await bluejay.listen(to: measurement, as: HeartRate.self).prefix(count) {
            rates.append(rate)
        }
        try await bluejay.disconnect()
        return rates
    }
}

let bluejay = Bluejay()
bluejay.start()
let rates = try await Recorder(bluejay).record(3)
print(rates.map(\.beatsPerMinute))
