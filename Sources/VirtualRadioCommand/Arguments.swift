import VirtualRadio

/// What the command line says.
///
/// This program starts with the lab, where each library that it would load costs a tenth of a second in software
/// emulation. So it needs the standard library alone.
struct Arguments {
    private var wantedControllers: Int?
    /// Of the socket for hosts.
    var socket: String?
    /// With a host at each.
    var ports: [String] = []
    /// Where the controller is that this machine's kernel is to have, in the place of a radio.
    var remote: String?
    var kind = ControllerKind.v5_3
    var air = AirModel.ideal
    var seed: UInt64 = 1
    /// For what is in the air.
    var capture: String?
    var showsHelp = false

    /// How many controllers this machine's kernel gets.
    var controllers: Int { wantedControllers ?? (socket == nil && ports.isEmpty ? 2 : 0) }

    static let mostControllers = 250
    static let usage = """
        usage: virtual-radio [--controllers N] [--h4 PATH] [--port PATH …] [--controller 4.2|5.x] [--air ideal|real]
                             [--seed N] [--capture FILE]
               virtual-radio --remote PATH

        Adds virtual LE controllers to this machine's kernel, by /dev/vhci, until it is ended. They hear each other.

          --controllers N        how many, from 1 to \(mostControllers) (default: 2, with --h4 or --port none)
          --h4 PATH              also give a controller to each host that connects to this Unix socket and speaks H4,
                                 until it disconnects
          --port PATH            also give a controller to the host that speaks H4 at this serial port, or that listens
                                 at this Unix socket; can be repeated
          --controller 4.2|5.x   which kind (default: 5.x)
          --air ideal|real       whether packets take no time and none is lost, or they do and are (default: ideal)
          --seed N               from which all that is left to chance follows (default: 1)
          --capture FILE         write what is in the air, as a pcap file that Wireshark opens
          --remote PATH          add no controllers but the one that speaks H4 at this serial port or Unix socket, as soon
                                 as it answers: that of a host of a radio elsewhere (--port)
        """

    init(_ words: some Sequence<String>) throws(UsageError) {
        var words = Array(words)[...]
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            let option = parts.first ?? ""
            if option == "--help" || option == "-h" {
                showsHelp = true
                continue
            }
            guard Self.options.contains(option) else {
                throw UsageError("unknown argument \(word)")
            }
            guard let value = parts.count > 1 ? parts[1] : words.popFirst() else {
                throw UsageError("\(option) needs a value")
            }
            try set(option, value)
        }
    }

    private static let options = [
        "--controllers", "--h4", "--port", "--remote", "--controller", "--air", "--seed", "--capture",
    ]

    private mutating func set(_ option: String, _ value: String) throws(UsageError) {
        switch option {
        case "--controllers":
            guard let number = Int(value), 1...Self.mostControllers ~= number else {
                throw UsageError("--controllers takes a number from 1 to \(Self.mostControllers), not \(value)")
            }
            wantedControllers = number
        case "--controller":
            guard let kind = ControllerKind(rawValue: value) else {
                throw UsageError("--controller takes 4.2 or 5.x, not \(value)")
            }
            self.kind = kind
        case "--air":
            guard let air = AirModel(rawValue: value) else {
                throw UsageError("--air takes ideal or real, not \(value)")
            }
            self.air = air
        case "--capture": capture = value
        case "--h4": socket = value
        case "--port": ports.append(value)
        case "--remote": remote = value
        default:
            guard let number = UInt64(value) else { throw UsageError("--seed takes a number, not \(value)") }
            seed = number
        }
    }
}

/// A command line that means nothing.
struct UsageError: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
