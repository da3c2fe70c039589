/// The Device Information Service (180A). Specification: Device Information Service 1.1. PnP ID is left to
/// bluetoothd, which has a service of its own with it.
enum DeviceInformation {
    static let service = "180A"
    static let manufacturerName = "2A29"
    static let modelNumber = "2A24"
    static let serialNumber = "2A25"
    static let hardwareRevision = "2A27"
    static let firmwareRevision = "2A26"
    static let softwareRevision = "2A28"
    static let systemID = "2A23"

    static let characteristics: [CharacteristicProfile] = [
        .constant(manufacturerName, Array("Dittojay".utf8)),
        .constant(modelNumber, Array("DJ-1".utf8)),
        .constant(serialNumber, Array("0012-3456".utf8)),
        .constant(hardwareRevision, Array("1.0".utf8)),
        .constant(firmwareRevision, Array("1.2.3".utf8)),
        .constant(softwareRevision, Array("4.5".utf8)),
        // A manufacturer's identifier of 40 bits, and its organizationally unique identifier of 24.
        .constant(systemID, [0x12, 0x34, 0x56, 0, 0, 0xFF, 0xEE, 0]),
    ]
}
