import Foundation
import RadioScenes

/// Reads a scene in YAML and writes it in JSON, as virtual-radio takes it.
///
/// It is a program of its own because virtual-radio starts with the lab, where loading Foundation costs time.
@main
struct RadioScenesProgram {
    private static let usage = """
        usage: virtual-radio-scene FILE

        Checks a scene in YAML and writes it in JSON to standard output, as virtual-radio --scene takes it. All mistakes
        are reported at once. The exit status is 1 if there are any, 64 if the arguments are wrong.
        """

    static func main() {
        let words = CommandLine.arguments.dropFirst()
        if words.contains("--help") || words.contains("-h") { return print(usage) }
        guard let path = words.first, words.count == 1, !path.hasPrefix("-") else {
            complain(usage)
            exit(64)
        }
        do throws(SceneYAML.Failure) {
            print(try SceneYAML.json(ofFile: path))
        } catch {
            complain(error.description)
            exit(1)
        }
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
