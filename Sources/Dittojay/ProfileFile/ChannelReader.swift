import CoreBluetooth
import Foundation
import GATTProfiles
import PlainText

/// Makes L2CAP channels from a YAML tree.
struct ChannelReader {
    /// Whether the file may name files outside of its own folder.
    let allowsOtherFolders: Bool

    /// There are 128 numbers for them.
    static let possibleCounts = 1...32
    /// Of a counter, in bytes.
    private static let possibleSizes = 1...(1 << 40)

    static let modes: [(String, ChannelProfile.Mode)] = [
        ("echo", .echo), ("counter", .counter(byteCount: nil)), ("discard", .discard), ("stall", .stall),
        ("file", .file(path: "")),
    ]

    func channels(_ node: FileNode) throws(FileMistake) -> [ChannelProfile] {
        let nodes = try node.list(of: "L2CAP channels")
        guard Self.possibleCounts.contains(nodes.count) else {
            throw node.fail("expected \(Self.possibleCounts) channels")
        }
        var channels: [ChannelProfile] = []
        for node in nodes {
            guard let channel = node.context.attempt(try channel(node)) else { continue }
            if channels.contains(where: { $0.name == channel.name }) {
                node.context.note(node.fail("duplicate channel name \(channel.name)"))
            }
            if let psm = channel.psm, channels.contains(where: { $0.psm == psm }) {
                node.context.note(node.fail("duplicate PSM \(psm)"))
            }
            channels.append(channel)
        }
        return channels
    }

    private func channel(_ node: FileNode) throws(FileMistake) -> ChannelProfile {
        let members = try node.mapping(of: "an L2CAP channel", keys: ProfileKeys.channel)
        let context = node.context
        let name = context.attempt(try ProfileReader.writtenName(members.required("name")))
        let psms = Int(ChannelProfile.possiblePSMs.lowerBound)...Int(ChannelProfile.possiblePSMs.upperBound)
        let psm = context.attempt(try members["psm"]?.integer(in: psms))
        let isEncrypted = context.attempt(try members["encrypted"]?.flag()) ?? false
        let mode = context.attempt(try mode(members))
        guard let name, let mode else { throw node.consequence() }
        return ChannelProfile(
            name: name, psm: psm.map { CBL2CAPPSM($0) }, isEncrypted: isEncrypted, mode: mode,
            folder: folder(of: mode, context))
    }

    private func mode(_ members: FileMapping) throws(FileMistake) -> ChannelProfile.Mode {
        let mode = try members.required("mode").choice(of: "mode", among: Self.modes)
        if let node = members["bytes"] {
            guard case .counter = mode else { throw node.fail("bytes is valid only for the mode counter") }
            return .counter(byteCount: try node.integer(in: Self.possibleSizes))
        }
        guard case .file = mode else {
            if let node = members["file"] { throw node.fail("file is valid only for the mode file") }
            return mode
        }
        return .file(path: try path(members.required("file")))
    }

    private func folder(of mode: ChannelProfile.Mode, _ context: FileContext) -> String? {
        guard case .file = mode, !allowsOtherFolders else { return nil }
        return context.folder
    }

    /// A path in a profile is relative to the profile's folder.
    private func path(_ node: FileNode) throws(FileMistake) -> String {
        let written = try node.text("the path of a file")
        let context = node.context
        let path = written.hasPrefix("/") || context.folder == "." ? written : context.folder + "/" + written
        do throws(ChannelFileError) {
            _ = try ChannelFile(path, within: allowsOtherFolders ? nil : context.folder)
        } catch {
            // A file that is not there may be made before a central asks for it.
            guard case .unreadable = error else { throw node.fail(error.description) }
            node.warn(error.description)
        }
        return path
    }
}

extension FileContext {
    /// The folder of the file; `.` for a file in the current one.
    fileprivate var folder: String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }
}
