import CoreBluetooth

/// The Battery Service (180F). Specification: Battery Service 1.0.
enum Battery {
    static let service = "180F"
    /// Battery Level, in percent.
    static let level = "2A19"

    static let characteristics: [CharacteristicProfile] = [
        .measurement(level, [.read, .notify], every: 10, value: [100])
    ]

    /// A battery that loses a percent with each value, and is charged when it is nearly empty.
    final class Model: ServiceModel {
        private var percent: Int
        private var isCharging = false

        init(_ setup: ModelSetup) {
            var generator = SeededGenerator(seed: setup.seed)
            percent = 60 + Int(generator.unit() * 41)
        }

        func measurement(of uuid: String, maximumLength: Int) -> [UInt8]? {
            defer {
                if percent <= 5 { isCharging = true }
                if percent >= 100 { isCharging = false }
                percent = min(percent + (isCharging ? 5 : -1), 100)
            }
            return [UInt8(percent)]
        }
    }
}
