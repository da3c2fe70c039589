import ArgumentParser
import Bluejay

/// The options of every command.
struct GlobalOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The Bluetooth adapter, as hci0 or by its address.", valueName: "name"))
    var adapter: String?

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    @Flag(help: "Tell on standard error what the library does.")
    var verbose = false
}

/// The options of every command that takes notifications.
struct NotificationOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Take notifications from sockets, not from the bus.",
            discussion: "Cheaper at high rates; no other program gets the same ones meanwhile."))
    var sockets = false
}

/// The options of every command that connects.
struct DeviceOptions: ParsableArguments {
    @Argument(help: "An address, an identifier or a name.")
    var device: String

    @Option(help: ArgumentHelp("How long to look for the device and to connect to it.", valueName: "seconds"))
    var connectTimeout = 20.0

    func validate() throws {
        guard connectTimeout > 0, connectTimeout <= 1e6 else {
            throw ValidationError("--connect-timeout is a number of seconds above 0")
        }
        guard !device.isEmpty else { throw ValidationError("DEVICE is empty") }
    }

    var selector: DeviceSelector { DeviceSelector(device) }
}

/// Which device the user means.
enum DeviceSelector: Hashable, Swift.Sendable {
    /// The identifiers that the device can have; several for an address that may be public or random.
    case identifiers([UUID], text: String)
    case name(String)

    init(_ text: String) {
        if let identifier = UUID(uuidString: text) {
            self = .identifiers([identifier], text: text)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let kinds: [Bool]
        switch parts.count == 2 ? parts[1] : "" {
        case "random": kinds = [true]
        case "public": kinds = [false]
        // A random static address has its two highest bits set, and random addresses of other kinds do not last long
        // enough to be typed in.
        case "": kinds = (parts[0].first?.hexDigitValue ?? 0) >= 0xC ? [false, true] : [false]
        default: kinds = []
        }
        let identifiers = kinds.compactMap {
            CBPeer.identifier(forBluetoothAddress: String(parts[0]), isRandom: $0)
        }
        self = identifiers.isEmpty ? .name(text) : .identifiers(identifiers, text: text)
    }

    /// As the user has written it.
    var text: String {
        switch self {
        case .identifiers(_, let text): text
        case .name(let name): name
        }
    }
}
