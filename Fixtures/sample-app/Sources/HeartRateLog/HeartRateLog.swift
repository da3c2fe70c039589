import Bluejay

private let service = ServiceIdentifier(uuid: "180D")
private let measurement = CharacteristicIdentifier(uuid: "2A37", service: service)

/// No sensor was found.
public struct NoSensor: Error, CustomStringConvertible {
    public let description = "no heart-rate sensor was found"
}

/// Finds a heart-rate sensor and writes this many of its values, one per line: the value's number and the beats per
/// minute.
public func logHeartRate(count: Int, to write: (String) -> Void) async throws {
    let bluejay = Bluejay()
    bluejay.start()
    guard let sensor = try await find(with: bluejay) else { throw NoSensor() }
    try await bluejay.connect(sensor, timeout: .seconds(30))
    var number = 0
    for try await rate in try await bluejay.listen(to: measurement, as: HeartRate.self) {
        number += 1
        write("\(number),\(rate.beatsPerMinute)")
        if number == count { break }
    }
    try await bluejay.disconnect()
}

private func find(with bluejay: Bluejay) async throws -> PeripheralIdentifier? {
    for try await discovery in bluejay.scan(duration: 30, serviceIdentifiers: [service]).discoveries {
        return discovery.peripheralIdentifier
    }
    return nil
}
