import Glibc
import PlainText
import Posix
import RadioControl

/// A scene in JSON, as `virtual-radio-scene` makes it of YAML.
enum SceneFile {
    static func read(_ path: String) throws(SystemError) -> Scene {
        let content = try bytes(path)
        do {
            return try SceneReader.scene(try JSONReader.read(content))
        } catch let failure as FileMistakes {
            throw SystemError(text: "\(path): \(failure.description)")
        } catch {
            throw SystemError(text: "\(path): invalid JSON: \(error); convert scenes in YAML with virtual-radio-scene")
        }
    }

    /// At most as much as a request may have.
    static func bytes(_ path: String) throws(SystemError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("cannot read \(path)") }
        defer { close(descriptor) }
        return try bytes(descriptor, path)
    }

    static func bytes(_ descriptor: Int32, _ name: String) throws(SystemError) -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while content.count <= RadioDirector.longestRequest {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("cannot read \(name)") }
            // Without the byte-order mark that some editors begin a file with.
            guard count > 0 else { return content.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(content[3...]) : content }
            content += buffer[..<count]
        }
        throw SystemError(text: "\(name) is too long (limit \(RadioDirector.longestRequest) bytes)")
    }
}
