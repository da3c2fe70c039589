package import PlainText
import VirtualRadio

/// Reads scenes. `docs/radio.md` describes them.
package enum SceneReader {
    package static let keys = ["air", "seed", "path-loss", "walls", "devices", "phantoms", "jammers", "timeline"]
    static let pathLossKeys = ["at-1-m", "exponent", "deviation"]
    static let wallKeys = ["from", "to", "loss"]
    static let deviceKeys = ["controller", "at", "body"]

    package static func scene(_ data: DataNode) throws(FileMistakes) -> Scene {
        let context = FileContext()
        return try context.whole { () throws(FileMistake) in try read(FileNode(data, context: context)) }
    }

    /// Reads a command: the content of `node`, except for the keys in `more`.
    package static func command(
        _ name: String, _ data: DataNode, more: [String] = []
    ) throws(FileMistakes) -> RadioCommand {
        let context = FileContext()
        return try context.whole { () throws(FileMistake) in
            try CommandReader.command(name, FileNode(data, context: context), more: more)
        }
    }

    private static func read(_ root: FileNode) throws(FileMistake) -> Scene {
        let members = try root.mapping(of: "a scene", keys: keys)
        let context = root.context
        var scene = Scene()
        let models: [(String, AirModel)] = [("real", .real), ("ideal", .ideal)]
        scene.air = context.attempt(try members["air"]?.choice(of: "air", among: models)) ?? .real
        scene.seed = UInt64(context.attempt(try members["seed"]?.integer(in: 0...Int.max)) ?? 1)
        scene.pathLoss = context.attempt(try members["path-loss"].map(pathLoss)) ?? PathLoss()
        if let node = members["walls"],
            let nodes = context.attempt(try node.list(of: "walls", limit: Scene.Limit.walls))
        {
            scene.walls = context.each(nodes, wall)
        }
        scene.devices = named(members["devices"], of: "devices", most: Scene.Limit.devices) {
            name, node throws(FileMistake) in
            try device(name, node)
        }
        scene.phantoms = named(members["phantoms"], of: "phantoms", most: Scene.Limit.phantoms) {
            name, node throws(FileMistake) in
            try PhantomReader.group(name, node.mapping(of: "a phantom", keys: PhantomReader.keys))
        }
        scene.jammers = named(members["jammers"], of: "jammers", most: Scene.Limit.jammers) {
            name, node throws(FileMistake) in
            (name, try CommandReader.jammer(node.mapping(of: "a jammer", keys: CommandReader.jammer)))
        }
        let steps = context.attempt(try members["timeline"]?.list(of: "steps", limit: Scene.Limit.steps)) ?? []
        scene.timeline = context.each(steps, step)
        SceneChecks(scene, context).check(members, steps)
        return scene
    }

    /// Reads a mapping from names to what they name.
    private static func named<Value>(
        _ node: FileNode?, of what: String, most: Int,
        _ read: (_ name: String, _ node: FileNode) throws(FileMistake) -> Value
    ) -> [Value] {
        guard let node, let mapping = node.context.attempt(try node.anyMapping(of: what)) else { return [] }
        guard mapping.members.count <= most else {
            node.context.note(node.fail("too many \(what): \(mapping.members.count) (limit \(most))"))
            return []
        }
        return node.context.each(mapping.members) { member throws(FileMistake) in try read(member.key, member.value) }
    }

    private static func pathLoss(_ node: FileNode) throws(FileMistake) -> PathLoss {
        let members = try node.mapping(of: "a path loss", keys: pathLossKeys)
        var loss = PathLoss()
        loss.atOneMetre = node.context.attempt(try members["at-1-m"]?.decibelMilliwatts()) ?? loss.atOneMetre
        loss.exponent = node.context.attempt(try members["exponent"]?.number(in: 1...10)) ?? loss.exponent
        loss.deviation = node.context.attempt(try members["deviation"]?.decibels(0...30)) ?? loss.deviation
        return loss
    }

    private static func wall(_ node: FileNode) throws(FileMistake) -> Wall {
        let members = try node.mapping(of: "a wall", keys: wallKeys)
        let from = node.context.attempt(try members.required("from").position())
        let to = node.context.attempt(try members.required("to").position())
        let loss = try members.required("loss").decibels()
        return Wall(from: from ?? Position(x: 0, y: 0), to: to ?? Position(x: 0, y: 0), loss: loss)
    }

    private static func device(_ name: String, _ node: FileNode) throws(FileMistake) -> Scene.Device {
        let members = try node.mapping(of: "a device", keys: deviceKeys)
        let controller = node.context.attempt(try members["controller"]?.text("a controller such as hci0")) ?? name
        if ControllerName(controller) == nil {
            node.context.note(
                (members["controller"] ?? node).fail(
                    "invalid controller \"\(FileNode.shortened(controller))\"; expected hci0, or with two hosts a/hci0"
                ))
        }
        if ControllerName(name) == nil { try CommandReader.check(name: name, node) }
        var device = Scene.Device(name: name, controller: controller)
        device.position = node.context.attempt(try members["at"]?.position())
        device.body = node.context.attempt(try members["body"]?.decibels(-50...200)) ?? 0
        return device
    }

    private static func step(_ node: FileNode) throws(FileMistake) -> Scene.Step {
        let members = try node.mapping(of: "a step", keys: ["at"] + CommandReader.names)
        let time = node.context.attempt(try members.required("at").span())
        let command = try members.exactlyOne(of: CommandReader.names)
        return Scene.Step(time: time ?? 0, command: try CommandReader.command(command.key, command.value))
    }
}

/// `hci0`, or with two hosts `a/hci0`.
struct ControllerName {
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let last = parts.last, parts.count <= 2, parts.count == 1 || parts[0] == "a" || parts[0] == "b",
            last.hasPrefix("hci"), 1...3 ~= last.utf8.count - 3, last.dropFirst(3).allSatisfy(\.isNumber)
        else { return nil }
    }
}

/// What the parts of a scene say about each other.
private struct SceneChecks {
    private let scene: Scene
    private let context: FileContext

    init(_ scene: Scene, _ context: FileContext) {
        self.scene = scene
        self.context = context
    }

    func check(_ members: FileMapping, _ steps: [FileNode]) {
        checkCount(members)
        checkNames(members)
        checkControllers(members)
        var names = Set(scene.devices.map(\.name))
        // Crowds are removed as a whole, and each one of them is a device.
        for group in scene.phantoms + added { names.formUnion(Self.names(of: group)) }
        // Another mistake may be why a name is missing.
        guard context.mistakes.isEmpty else { return }
        for (step, node) in zip(scene.timeline, steps) {
            for name in step.command.devices
            where !names.contains(name) && ControllerName(name) == nil && DeviceAddress(name) == nil {
                context.note(node.fail("unknown device \"\(name)\"\(Suggestion.text(for: name, among: names))"))
            }
        }
    }

    private var added: [PhantomGroup] {
        scene.timeline.compactMap { step in
            if case .phantom(let group) = step.command { group } else { nil }
        }
    }

    private static func names(of group: PhantomGroup) -> [String] {
        group.count == 1 ? [group.name] : (1...group.count).map { "\(group.name)-\($0)" }
    }

    private func checkCount(_ members: FileMapping) {
        let count = scene.phantoms.reduce(0) { $0 + $1.count }
        guard count > Scene.Limit.phantoms, let node = members["phantoms"] else { return }
        context.note(node.fail("too many phantoms: \(count) (limit \(Scene.Limit.phantoms))"))
    }

    private func checkNames(_ members: FileMapping) {
        let devices = Set(scene.devices.map(\.name))
        for group in scene.phantoms {
            guard let node = (try? members["phantoms"]?.anyMapping(of: "phantoms"))?[group.name] else { continue }
            guard context.attempt(try CommandReader.check(name: group.name, node)) != nil else { continue }
            if devices.contains(group.name) || ControllerName(group.name) != nil {
                context.note(node.fail("\(group.name) is the name of a device, too"))
            }
        }
    }

    private func checkControllers(_ members: FileMapping) {
        var users: [String: String] = [:]
        for device in scene.devices {
            if let other = users.updateValue(device.name, forKey: device.controller) {
                guard let node = members["devices"] else { return }
                context.note(node.fail("\(other) and \(device.name) have the same controller, \(device.controller)"))
            }
        }
    }
}
