import CoreBluetooth

/// The services of the profiles Find Me and Proximity: Immediate Alert (1802), Link Loss (1803) and Tx Power (1804).
/// Specifications: Immediate Alert Service 1.0, Link Loss Service 1.0.1, Tx Power Service 1.0.
enum Proximity {
    static let immediateAlert = "1802"
    static let linkLoss = "1803"
    static let txPower = "1804"
    /// Alert Level: 0 no alert, 1 mild alert, 2 high alert.
    static let alertLevel = "2A06"
    /// Tx Power Level, in dBm.
    static let txPowerLevel = "2A07"

    /// What is written is reported as an event; nothing can be read (Immediate Alert Service, 3.1).
    static let immediateAlertCharacteristics: [CharacteristicProfile] = [
        .stored(alertLevel, .writeWithoutResponse, [0], lengths: 1...1)
    ]
    static let linkLossCharacteristics: [CharacteristicProfile] = [
        .stored(alertLevel, [.read, .write], [0], lengths: 1...1)
    ]
    static let txPowerCharacteristics: [CharacteristicProfile] = [
        .constant(txPowerLevel, [UInt8(bitPattern: -4)])
    ]
}
