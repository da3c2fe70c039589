import Foundation
import RadioScenes

/// Reads a scene in YAML and writes it in JSON, as virtual-radio takes it.
///
/// It is a program of its own because virtual-radio starts with the lab, where loading Foundation costs time.
@main
struct RadioScenesProgram {
    private static let usage = """
        usage: virtual-radio-scene FILE

        Checks a scene in YAML and converts it to JSON on standard output, for virtual-radio --scene. All mistakes are
        reported at once. Exits with status 1 if there are any, 64 for a usage error.
        """

    static func main() {
        let words = CommandLine.arguments.dropFirst()
        if words.contains("--help") || words.contains("-h") { return print(usage) }
        guard let path = words.first, words.count == 1, !path.hasPrefix("-") else {
            complain(usage)
            exit(64)
        }
        do throws(SceneFileError) {
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
