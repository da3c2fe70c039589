import Glibc
import VirtualRadio

@main
struct VirtualRadioProgram {
    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            guard !arguments.showsHelp else { return say(Arguments.usage, to: STDOUT_FILENO) }
            if let path = arguments.remote { return try RemoteController(path).run() }
            try RadioLoop(arguments).run()
        } catch let error as UsageError {
            say("virtual-radio: \(error.text)\n\n\(Arguments.usage)", to: STDERR_FILENO)
            exit(64)
        } catch {
            say("virtual-radio: \((error as? SystemError)?.text ?? "\(error)")", to: STDERR_FILENO)
            exit(1)
        }
    }

    static func say(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}
