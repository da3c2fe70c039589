import CoreBluetooth
import GATTProfiles

@testable import Dittojay

/// A standard service without a peripheral around it: requests are written to its model, and what follows is noted.
final class ModelBench {
    let profile: ServiceProfile
    let model: any ServiceModel
    /// The UUIDs that are subscribed to.
    var subscriptions: Set<String> = []
    /// Values that were sent, by their characteristics, such as `2A52 06000101`.
    private(set) var sent: [String] = []

    /// - Parameter now: the device's clock, in seconds since the beginning of 1970.
    init?(_ service: StandardService, seed: UInt64 = 1, now: @escaping @Sendable () -> Double = { 1_795_435_509 }) {
        let setup = ModelSetup(seed: seed, clock: DeviceClock(now: now, offset: 7200))
        guard let model = service.makeModel(setup) else { return nil }
        self.model = model
        profile = service.profile
        subscriptions = Set(profile.characteristics.filter(\.notifies).map(\.uuid))
    }

    /// Writes a value in hexadecimal, without letting anything follow.
    ///
    /// - Returns: the ATT error that it was refused with; nil if it was accepted.
    func begin(_ hex: String, on uuid: String) throws -> Int? {
        let bytes = try ValueText.parseHex(hex)
        let client = ModelClient { [subscriptions] in subscriptions.contains($0) }
        do throws(CBATTError) {
            try model.write(bytes, to: uuid, by: client)
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    /// Lets a number of values follow.
    func follow(_ count: Int = .max) {
        var left = count
        while left > 0, let message = model.nextMessage() {
            sent.append("\(message.uuid) \(ValueText.hex(message.value))")
            left -= 1
        }
    }

    /// Writes a value, and lets everything follow.
    ///
    /// - Returns: what followed, or the ATT error that it was refused with.
    func write(_ hex: String, on uuid: String) throws -> [String] {
        sent = []
        if let error = try begin(hex, on: uuid) { return ["error 0x\(String(error, radix: 16))"] }
        follow()
        return sent
    }

    /// What the table of formats makes of a characteristic's next values.
    func measure(_ uuid: String, _ count: Int) -> [DecodedValue?] {
        (0..<count).map { _ in
            let format = AttributeFormat(uuid: uuid)
            return model.measurement(of: uuid, maximumLength: 20).flatMap { format?.decode($0) }
        }
    }
}
