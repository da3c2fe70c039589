/// Why a link has ended, as the kernel distinguishes it (BlueZ `doc/mgmt-api.txt`, Device Disconnected Event).
///
/// bluetoothd hands it on since 5.87 (`org.bluez.Device1.Disconnected`). With older releases it is in the kernel's
/// event, which programs with CAP_NET_ADMIN get: see ``DisconnectionMonitor``.
package enum DisconnectionReason: UInt8, CaseIterable, Swift.Sendable {
    /// None of the others: the controllers had a reason of their own.
    case unknown = 0
    /// Nothing was heard of the peer for the supervision timeout: it is out of range, or off.
    case timeout = 1
    /// This machine has ended the link.
    case local = 2
    /// The peer has ended the link.
    case remote = 3
    /// The link could not be encrypted: one side has lost the keys, or does not pair.
    case authentication = 4
    /// This machine was suspended.
    case suspend = 5

    /// Of a word of bluetoothd, such as `org.bluez.Reason.Timeout`; nil if it is not one of these.
    init?(bluezName: String) {
        let reason = Self.allCases.first { "\(Device1.reasonPrefix)\($0)".lowercased() == bluezName.lowercased() }
        guard let reason else { return nil }
        self = reason
    }
}
