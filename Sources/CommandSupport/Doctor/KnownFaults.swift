import BlueZ

/// A fault of bluetoothd that users can meet, though this package works around it where it can.
struct KnownFault: Swift.Sendable {
    let releases: Range<BlueZVersion>
    /// The programs that it affects.
    let roles: Set<Doctor.Role>
    let verdict: Finding.Verdict
    /// What happens and what to do about it; follows "bluetoothd 5.66 ".
    let text: String

    /// docs/bluez-versions.md has what was seen; the ends of the ranges are from the sources and reports.
    static let all = [
        // `is_filter_match` in src/adapter.c; the fix came after 5.87.
        KnownFault(
            releases: BlueZVersion(5, 87)..<BlueZVersion(5, 88), roles: [.central, .peripheral], verdict: .warning,
            text: """
                crashes when a program scans for certain services, unless your distribution has fixed that. bluejay \
                does not ask it to; let other programs scan for all devices (bleak without service_uuids), or upgrade
                """),
        // `check_length` in src/shared/gatt-server.c, reported in August 2023; 5.82 has the fix.
        KnownFault(
            releases: BlueZVersion(0, 0)..<BlueZVersion(5, 70), roles: [.peripheral], verdict: .ok,
            text: """
                takes at most 510 bytes in a write, and silently drops longer ones without response: let centrals write \
                no more than that at once
                """),
    ]
}
