/// The services that each bluetoothd offers by itself, whatever the programs on it do.
package enum OwnServices {
    /// Whether a service is one of them.
    ///
    /// - Parameters:
    ///   - uuid: in 4 characters, if it has a short form.
    ///   - characteristics: the UUIDs of its characteristics.
    ///   - identity: the value of its PnP ID (2A50), if it was read.
    package static func contain(uuid: String, characteristics: [String], identity: [UInt8]?) -> Bool {
        if always.contains(uuid) { return true }
        return isIdentity(uuid: uuid, characteristics: characteristics)
            && identity?.starts(with: identityOfBlueZ) ?? false
    }

    /// Whether it takes the PnP ID to know that a service is one of them.
    package static func isIdentity(uuid: String, characteristics: [String]) -> Bool {
        uuid == "180A" && characteristics == ["2A50"]
    }

    /// Generic Access and Generic Attribute.
    private static let always = ["1800", "1801"]

    /// The vendor from the USB forum's numbers, the Linux Foundation, BlueZ: `usb:v1D6Bp0246`.
    private static let identityOfBlueZ: [UInt8] = [0x02, 0x6B, 0x1D, 0x46, 0x02]
}
