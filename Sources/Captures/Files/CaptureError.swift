/// Why a file cannot be read as a capture.
package enum CaptureError: Error, Hashable, CustomStringConvertible {
    /// The system's reason.
    case unreadable(String)
    case empty
    case unknownFormat
    /// What it has instead of packets of Bluetooth.
    case unsupported(String)

    package var description: String {
        switch self {
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .empty: "the file is empty"
        case .unknownFormat:
            "not a capture; expected btsnoop (Android's btsnoop_hci.log, btmon), Apple's PacketLogger (.pklg), pcap or "
                + "pcapng"
        case .unsupported(let what): "unsupported capture: \(what)"
        }
    }
}
