import Foundation
import RadioScenes

extension LabRadio {
    /// Device positions, walls, and a timeline of events (`docs/radio.md`).
    public struct Scene: Equatable, Swift.Sendable {
        private enum Source: Equatable, Swift.Sendable {
            case file(String)
            case text(String)
        }

        private let source: Source

        /// The scene of a file.
        ///
        /// - Parameter path: a relative one begins in the folder that the tests run in, which is the package's.
        public static func file(_ path: String) -> Scene { Scene(source: .file(path)) }

        /// A scene in YAML, as a file would have it.
        public static func text(_ yaml: String) -> Scene { Scene(source: .text(yaml)) }

        /// As the radio reads it.
        func json() throws(RadioError) -> String {
            do throws(SceneFileError) {
                return switch source {
                case .file(let path): try SceneYAML.json(ofFile: path)
                case .text(let text): try SceneYAML.json(text, file: "scene")
                }
            } catch {
                throw .mistakes(error.lines)
            }
        }
    }

    /// Plays a scene instead of the current one. It cannot have another kind of air while there are links.
    ///
    /// - Parameter waits: whether the scene's time begins with ``begin()`` and not now.
    public func play(_ scene: Scene, waits: Bool = false) async throws(RadioError) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("scene-\(UUID().uuidString).json")
        let content = Data(try scene.json().utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        do {
            try content.write(to: file)
        } catch {
            throw .noRadio("\(file.path) cannot be written: \(error)")
        }
        try await change("scene", [file.path] + (waits ? ["--hold"] : []))
    }

    /// Begins the time of a scene that waits for it.
    public func begin() async throws(RadioError) { try await change("begin") }
}
