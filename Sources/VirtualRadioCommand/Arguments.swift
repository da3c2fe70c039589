import PlainText
import RadioControl
import VirtualRadio

/// What the command line says.
///
/// This program starts with the lab, where each library that it would load costs a tenth of a second in software
/// emulation. So it needs the standard library alone.
struct Arguments {
    private var wantedControllers: Int?
    /// Where hosts connect: paths of Unix sockets, and addresses of TCP.
    var hostSockets: [String] = []
    /// With a host at each.
    var ports: [String] = []
    /// Where the controller is that this machine's kernel is to have, instead of a radio.
    var remote: String?
    var kind = ControllerKind.v5_3
    /// That of the scene, if there is one.
    var air: AirModel?
    var seed: UInt64?
    /// For what is in the air.
    var capture: String?
    /// A file in JSON.
    var scene: String?
    /// Whether the scene's time waits for a signal.
    var holds = false
    /// Of the socket for commands.
    var socket: String?
    var hosts = 1
    var showsHelp = false

    /// How many controllers this machine's kernel gets.
    var controllers: Int { wantedControllers ?? (hostSockets.isEmpty && ports.isEmpty ? 2 : 0) }

    static let maximumControllers = 250
    static let usage = """
        usage: virtual-radio [--controllers N] [--h4 PATH|tcp:ADDRESS:PORT …] [--port PATH …] [--hosts N]
                             [--controller 4.2|5.x] [--air ideal|real] [--seed N] [--scene FILE [--hold]]
                             [--capture FILE] [--socket PATH]
               virtual-radio --remote PATH
               virtual-radio COMMAND …

        Registers virtual LE controllers with the kernel (through /dev/vhci) until stopped. They receive each other.
        The commands control a running virtual radio; see virtual-radio help.

        CONTROLLERS
          --controllers N        number of controllers, 1 to \(maximumControllers) (default: 2, or 0 with --h4 or --port)
          --controller 4.2|5.x   Bluetooth version of the controllers (default: 5.x)
          --hosts N              divide the controllers, then those at ports, evenly among N hosts: a/hci0, …,
                                 b/hci0, …
          --h4 PATH              add a controller for each host that connects to this Unix socket and speaks H4,
                                 until it disconnects; may be repeated
          --h4 tcp:ADDRESS:PORT  the same by TCP, on 127.0.0.1 for tcp:PORT; IPv6 as tcp:[ADDRESS]:PORT; port 0 for
                                 one that is free. Only for trusted networks: H4 has neither authentication nor
                                 encryption
          --port PATH            add a controller for the host that speaks H4 at this serial port or listens on this
                                 Unix socket; may be repeated
          --remote PATH          register only the controller at this serial port or Unix socket, as soon as it
                                 answers in H4: the --port of a virtual radio elsewhere

        RADIO
          --air ideal|real       without delay or loss, or with both (default: the scene's, otherwise ideal)
          --seed N               random seed (default: the scene's, otherwise 1)
          --scene FILE           scene file in JSON, converted by virtual-radio-scene: device positions and a
                                 timeline of events
          --hold                 start the scene's time on SIGUSR1 or the command begin
          --capture FILE         capture all packets to a pcap file for Wireshark
          --socket PATH          control socket (default: $VIRTUAL_RADIO_SOCKET, or virtual-radio.sock in
                                 $XDG_RUNTIME_DIR)
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
            if option == "--hold" {
                holds = true
                continue
            }
            guard Self.options.contains(option) else {
                throw UsageError("unknown argument \(word)\(Suggestion.text(for: option, among: Self.options))")
            }
            guard let value = parts.count > 1 ? parts[1] : words.popFirst() else {
                throw UsageError("\(option) needs a value")
            }
            try set(option, value)
        }
        guard !holds || scene != nil else { throw UsageError("--hold requires --scene") }
        guard (controllers + ports.count) % hosts == 0 else {
            throw UsageError(
                "--hosts \(hosts) requires the same number of controllers (--controllers, --port) for each host")
        }
    }

    /// How a controller is named: as its host knows it.
    ///
    /// - Parameters:
    ///   - number: from 0 on.
    ///   - kernel: the number that this machine's kernel gives it, which counts those of others as well.
    func controllerName(_ number: Int, kernel: Int? = nil) -> String {
        guard hosts > 1 else { return "hci\(kernel ?? number)" }
        let each = (controllers + ports.count) / hosts
        let host = UnicodeScalar(UInt8(ascii: "a") + UInt8(truncatingIfNeeded: min(number / each, Self.maximumHosts)))
        return "\(host)/hci\(number % each)"
    }

    private static let maximumHosts = 8

    private static let options = [
        "--controllers", "--h4", "--port", "--remote", "--controller", "--air", "--seed", "--capture", "--scene",
        "--socket", "--hosts",
    ]

    private mutating func set(_ option: String, _ value: String) throws(UsageError) {
        switch option {
        case "--controllers":
            guard let number = Int(value), 1...Self.maximumControllers ~= number else {
                throw UsageError("--controllers takes a number from 1 to \(Self.maximumControllers), not \(value)")
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
        case "--h4": hostSockets.append(value)
        case "--port": ports.append(value)
        case "--remote": remote = value
        case "--scene": scene = value
        case "--socket": socket = value
        case "--hosts":
            guard let number = Int(value), 1...Self.maximumHosts ~= number else {
                throw UsageError("--hosts takes a number from 1 to \(Self.maximumHosts), not \(value)")
            }
            hosts = number
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
