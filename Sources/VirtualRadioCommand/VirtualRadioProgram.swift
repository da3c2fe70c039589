import Glibc
import VirtualRadio

@main
struct VirtualRadioProgram {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        do {
            // What begins with a word is for a running radio.
            if let first = words.first, !first.hasPrefix("-") {
                let words = try RequestWords(words)
                guard words.kind != .help else { return say(RequestWords.usage, to: STDOUT_FILENO) }
                if try !ControlRequest(words).run() { exit(1) }
                return
            }
            let arguments = try Arguments(words)
            guard !arguments.showsHelp else { return say(Arguments.usage, to: STDOUT_FILENO) }
            if let path = arguments.remote { return try RemoteController(path).run() }
            try RadioLoop(arguments, signals: Signals()).run()
        } catch let error as UsageError {
            let help = words.first?.hasPrefix("-") == false ? "virtual-radio help lists the commands" : Arguments.usage
            say("virtual-radio: \(error.text)\n\(help)", to: STDERR_FILENO)
            exit(64)
        } catch let error as ControlRequest.Absence {
            say("virtual-radio: \(error.text)", to: STDERR_FILENO)
            exit(69)
        } catch is SceneConversion.Refused {
            exit(1)
        } catch {
            say("virtual-radio: \(error)", to: STDERR_FILENO)
            exit(1)
        }
    }

    static func say(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}
