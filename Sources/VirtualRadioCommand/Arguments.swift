import RadioControl
import VirtualRadio

/// What the command line says.
///
/// This program starts with the lab, where each library that it would load costs a tenth of a second in software
/// emulation. So it needs the standard library alone.
struct Arguments {
    var controllers = 2
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
    var socket: String?
    var hosts = 1
    var showsHelp = false

    static let mostControllers = 250
    static let usage = """
        usage: virtual-radio [--controllers N] [--controller 4.2|5.x] [--air ideal|real] [--seed N]
                             [--scene FILE [--hold]] [--capture FILE] [--socket PATH] [--hosts 1|2]
               virtual-radio COMMAND …

        Adds virtual LE controllers to this machine's kernel, by /dev/vhci, until it is ended. They hear each other.
        A command changes what a running one has in its air; virtual-radio help lists them.

          --controllers N        how many, from 1 to \(mostControllers) (default: 2)
          --controller 4.2|5.x   which kind (default: 5.x)
          --air ideal|real       whether packets take no time and none is lost, or they do and are (default: that of
                                 the scene, otherwise ideal)
          --seed N               from which all that is left to chance follows (default: that of the scene, otherwise 1)
          --scene FILE           who is where and what happens, in JSON as virtual-radio-scene makes it of YAML
          --hold                 the scene's time begins with SIGUSR1, or the command begin
          --capture FILE         write what is in the air, as a pcap file that Wireshark opens
          --socket PATH          for commands (default: $VIRTUAL_RADIO_SOCKET, or virtual-radio.sock in
                                 $XDG_RUNTIME_DIR)
          --hosts 2              the second half of the controllers is named b/hci0 …, the first a/hci0 …
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
                throw UsageError("unknown argument \(word)\(Nearest.text(option, among: Self.options))")
            }
            guard let value = parts.count > 1 ? parts[1] : words.popFirst() else {
                throw UsageError("\(option) needs a value")
            }
            try set(option, value)
        }
        guard !holds || scene != nil else { throw UsageError("--hold is for --scene") }
        guard controllers % hosts == 0 else { throw UsageError("--hosts 2 needs an even number of controllers") }
    }

    /// How a controller is named: as its host knows it.
    ///
    /// - Parameters:
    ///   - number: from 0 on.
    ///   - kernel: the number that this machine's kernel gives it, which counts those of others as well.
    func controllerName(_ number: Int, kernel: Int? = nil) -> String {
        guard hosts == 2 else { return "hci\(kernel ?? number)" }
        let half = controllers / 2
        return number < half ? "a/hci\(number)" : "b/hci\(number - half)"
    }

    private static let options = [
        "--controllers", "--controller", "--air", "--seed", "--capture", "--scene", "--socket", "--hosts",
    ]

    private mutating func set(_ option: String, _ value: String) throws(UsageError) {
        switch option {
        case "--controllers":
            guard let number = Int(value), 1...Self.mostControllers ~= number else {
                throw UsageError("--controllers takes a number from 1 to \(Self.mostControllers), not \(value)")
            }
            controllers = number
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
        case "--scene": scene = value
        case "--socket": socket = value
        case "--hosts":
            guard let number = Int(value), 1...2 ~= number else {
                throw UsageError("--hosts takes 1 or 2, not \(value)")
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
