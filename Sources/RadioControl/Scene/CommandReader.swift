import PlainText
import VirtualRadio

/// Reads commands: a name and its members.
enum CommandReader {
    static let names = ["rssi", "loss", "block", "unblock", "move", "body", "jam", "unjam", "phantom", "remove"]

    /// The keys of each command's members.
    static let keys: [String: [String]] = [
        "rssi": ["between", "strength"], "loss": ["between", "part"], "block": ["between"], "unblock": ["between"],
        "move": ["device", "to", "over"], "body": ["device", "loss"],
        "jam": ["name", "for"] + jammer, "unjam": ["name"], "phantom": ["name"] + PhantomReader.keys,
        "remove": ["phantom"],
    ]
    static let jammer = ["at", "power", "duty", "radius", "loss"]

    /// - Parameter more: keys that are none of the command's.
    static func command(_ name: String, _ node: FileNode, more: [String] = []) throws(FileMistake) -> RadioCommand {
        let known = (keys[name] ?? [])
        let members = try node.mapping(of: "\"\(name)\"", keys: known + more)
        switch name {
        case "rssi":
            let strength = members.node.context.attempt(.some(try self.strength(members.required("strength"))))
            return .strength(try pair(members), strength ?? nil)
        case "loss":
            let part = node.context.attempt(try members.required("part").part())
            return .loss(try pair(members), part ?? 0)
        case "block", "unblock": return .block(try pair(members), name == "block")
        case "move":
            let device = node.context.attempt(try deviceName(members.required("device")))
            let over = node.context.attempt(try members["over"]?.span()) ?? 0
            return .move(device ?? "", try members.required("to").position(), over: over)
        case "body":
            let device = node.context.attempt(try deviceName(members.required("device")))
            return .body(device ?? "", try members.required("loss").decibels(-50...200))
        case "jam":
            let name = node.context.attempt(try self.name(members.required("name")))
            let span = node.context.attempt(try members["for"]?.span())
            return .jam(name ?? "", try jammer(members), span: span)
        case "unjam": return .unjam(try self.name(members.required("name")))
        case "phantom":
            let name = try self.name(members.required("name"))
            return .phantom(try PhantomReader.group(name, members))
        case "remove": return .remove(try self.name(members.required("phantom")))
        default:
            throw node.fail(
                "unknown command \"\(FileNode.shortened(name))\"\(Suggestion.text(for: name, among: names)); valid: "
                    + names.joined(separator: ", "))
        }
    }

    private static func strength(_ node: FileNode) throws(FileMistake) -> Int? {
        if node.data.text == "auto" { return nil }
        guard let strength = node.context.attempt(try node.decibelMilliwatts()) else {
            throw node.fail(expecting: "a strength such as -70 dBm, or auto")
        }
        return Int(strength.rounded())
    }

    private static func pair(_ members: FileMapping) throws(FileMistake) -> RadioCommand.Pair {
        let node = try members.required("between")
        let names = try node.list(of: "devices", limit: 2)
        guard names.count == 2 else { throw node.fail("expected two devices, found \(names.count)") }
        let (first, second) = (try deviceName(names[0]), try deviceName(names[1]))
        guard first != second else { throw node.fail("expected two devices, found \(first) twice") }
        return RadioCommand.Pair(first: first, second: second)
    }

    static func deviceName(_ node: FileNode) throws(FileMistake) -> String {
        let name = try node.text("a device: a name, a controller such as hci0, or an address")
        guard name.utf8.count <= 64 else { throw node.fail(expecting: "a name of up to 64 bytes") }
        return name
    }

    /// A name that something new gets.
    static func name(_ node: FileNode) throws(FileMistake) -> String {
        let name = try node.text("a name")
        try check(name: name, node)
        return name
    }

    static func check(name: String, _ node: FileNode) throws(FileMistake) {
        let isPlain = name.utf8.allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        }
        guard isPlain, 1...40 ~= name.utf8.count else {
            throw node.fail(
                "invalid name \"\(FileNode.shortened(name))\"; expected up to 40 letters, digits, hyphens, underscores and dots"
            )
        }
    }

    static func jammer(_ members: FileMapping) throws(FileMistake) -> Jammer {
        let context = members.node.context
        let position = context.attempt(try members.required("at").position()) ?? Position(x: 0, y: 0)
        let kind = try members.exactlyOne(of: ["power", "loss"])
        if kind.key == "power" {
            if let radius = members["radius"] { throw radius.fail("radius is valid only for a jammer with loss") }
            let duty = context.attempt(try members["duty"]?.part()) ?? 1
            return .noise(at: position, power: try kind.value.decibelMilliwatts(), duty: duty)
        }
        if let duty = members["duty"] { throw duty.fail("duty is valid only for a jammer with power") }
        let radius = context.attempt(try members.required("radius").metres(0...100_000))
        return .loss(at: position, radius: radius ?? 0, part: try kind.value.part())
    }
}
