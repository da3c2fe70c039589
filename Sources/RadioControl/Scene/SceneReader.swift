import VirtualRadio
package import PlainText

/// All mistakes of a scene or a command, in the order of the file.
package struct SceneError: Error, Equatable, CustomStringConvertible {
    package let mistakes: [SceneMistake]

    package init(mistakes: [SceneMistake]) {
        self.mistakes = mistakes
    }

    package var description: String { mistakes.map(\.description).joined(separator: "\n") }
}

/// Reads scenes. `docs/radio.md` describes them.
package enum SceneReader {
    package static let keys = ["air", "seed", "path-loss", "walls", "devices", "phantoms", "jammers", "timeline"]
    static let pathLossKeys = ["at-1-m", "exponent", "deviation"]
    static let wallKeys = ["from", "to", "loss"]
    static let deviceKeys = ["controller", "at", "body"]

    package static func scene(_ data: DataNode) throws(SceneError) -> Scene {
        let list = MistakeList()
        let root = SceneNode(data: data, path: "", list: list)
        let scene = list.attempt(try read(root))
        guard let scene, list.mistakes.isEmpty else { throw SceneError(mistakes: list.sorted) }
        return scene
    }

    /// Reads a command: the content of `node`, except for the keys in `more`.
    package static func command(
        _ name: String, _ data: DataNode, more: [String] = []
    ) throws(SceneError) -> RadioCommand {
        let list = MistakeList()
        let root = SceneNode(data: data, path: "", list: list)
        let command = list.attempt(try CommandReader.command(name, root, more: more))
        guard let command, list.mistakes.isEmpty else { throw SceneError(mistakes: list.sorted) }
        return command
    }

    private static func read(_ root: SceneNode) throws(SceneMistake) -> Scene {
        let members = try root.mapping(of: "a scene", keys: keys)
        let list = root.list
        var scene = Scene()
        let models: [(String, AirModel)] = [("real", .real), ("ideal", .ideal)]
        scene.air = list.attempt(try members["air"]?.choice("air", among: models)) ?? .real
        scene.seed = UInt64(list.attempt(try members["seed"]?.count(0...Int.max)) ?? 1)
        scene.pathLoss = list.attempt(try members["path-loss"].map(pathLoss)) ?? PathLoss()
        if let node = members["walls"],
            let nodes = list.attempt(try node.elements(of: "walls", most: Scene.Limit.walls))
        {
            scene.walls = list.each(nodes, wall)
        }
        scene.devices = named(members["devices"], of: "devices", most: Scene.Limit.devices) {
            name, node throws(SceneMistake) in
            try device(name, node)
        }
        scene.phantoms = named(members["phantoms"], of: "phantoms", most: Scene.Limit.phantoms) {
            name, node throws(SceneMistake) in
            try PhantomReader.group(name, node.mapping(of: "a phantom", keys: PhantomReader.keys))
        }
        scene.jammers = named(members["jammers"], of: "jammers", most: Scene.Limit.jammers) {
            name, node throws(SceneMistake) in
            (name, try CommandReader.jammer(node.mapping(of: "a jammer", keys: CommandReader.jammer)))
        }
        let steps = list.attempt(try members["timeline"]?.elements(of: "steps", most: Scene.Limit.steps)) ?? []
        scene.timeline = list.each(steps, step)
        SceneChecks(scene, list).check(members, steps)
        return scene
    }

    /// Reads a mapping from names to what they name.
    private static func named<Value>(
        _ node: SceneNode?, of what: String, most: Int,
        _ read: (_ name: String, _ node: SceneNode) throws(SceneMistake) -> Value
    ) -> [Value] {
        guard let node, let mapping = node.list.attempt(try node.anyMapping(of: what)) else { return [] }
        guard mapping.members.count <= most else {
            node.list.note(node.fail("too many \(what): \(mapping.members.count) (limit \(most))"))
            return []
        }
        return mapping.members.compactMap { name, node in
            do throws(SceneMistake) {
                return try read(name, node)
            } catch {
                node.list.note(error)
                return nil
            }
        }
    }

    private static func pathLoss(_ node: SceneNode) throws(SceneMistake) -> PathLoss {
        let members = try node.mapping(of: "a path loss", keys: pathLossKeys)
        var loss = PathLoss()
        loss.atOneMetre = node.list.attempt(try members["at-1-m"]?.decibelMilliwatts()) ?? loss.atOneMetre
        loss.exponent = node.list.attempt(try members["exponent"]?.number(1...10)) ?? loss.exponent
        loss.deviation = node.list.attempt(try members["deviation"]?.decibels(0...30)) ?? loss.deviation
        return loss
    }

    private static func wall(_ node: SceneNode) throws(SceneMistake) -> Wall {
        let members = try node.mapping(of: "a wall", keys: wallKeys)
        let from = node.list.attempt(try members.required("from").position())
        let to = node.list.attempt(try members.required("to").position())
        let loss = try members.required("loss").decibels()
        return Wall(from: from ?? Position(x: 0, y: 0), to: to ?? Position(x: 0, y: 0), loss: loss)
    }

    private static func device(_ name: String, _ node: SceneNode) throws(SceneMistake) -> Scene.Device {
        let members = try node.mapping(of: "a device", keys: deviceKeys)
        let controller = node.list.attempt(try members["controller"]?.text("a controller such as hci0")) ?? name
        if ControllerName(controller) == nil {
            node.list.note(
                (members["controller"] ?? node).fail(
                    "invalid controller \"\(SceneNode.shortened(controller))\"; expected hci0, or with two hosts a/hci0"
                ))
        }
        if ControllerName(name) == nil { try CommandReader.check(name: name, node) }
        var device = Scene.Device(name: name, controller: controller)
        device.position = node.list.attempt(try members["at"]?.position())
        device.body = node.list.attempt(try members["body"]?.decibels(-50...200)) ?? 0
        return device
    }

    private static func step(_ node: SceneNode) throws(SceneMistake) -> Scene.Step {
        let members = try node.mapping(of: "a step", keys: ["at"] + CommandReader.names)
        let time = node.list.attempt(try members.required("at").span())
        let (name, content) = try members.exactlyOne(of: CommandReader.names)
        return Scene.Step(time: time ?? 0, command: try CommandReader.command(name, content))
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
    private let list: MistakeList

    init(_ scene: Scene, _ list: MistakeList) {
        self.scene = scene
        self.list = list
    }

    func check(_ members: SceneMapping, _ steps: [SceneNode]) {
        checkCount(members)
        checkNames(members)
        checkControllers(members)
        var names = Set(scene.devices.map(\.name))
        // Crowds are removed as a whole, and each one of them is a device.
        for group in scene.phantoms + added { names.formUnion(Self.names(of: group)) }
        // Another mistake may be why a name is missing.
        guard list.mistakes.isEmpty else { return }
        for (step, node) in zip(scene.timeline, steps) {
            for name in step.command.devices
            where !names.contains(name) && ControllerName(name) == nil && DeviceAddress(name) == nil {
                list.note(node.fail("unknown device \"\(name)\"\(Suggestion.text(for: name, among: names))"))
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

    private func checkCount(_ members: SceneMapping) {
        let count = scene.phantoms.reduce(0) { $0 + $1.count }
        guard count > Scene.Limit.phantoms, let node = members["phantoms"] else { return }
        list.note(node.fail("too many phantoms: \(count) (limit \(Scene.Limit.phantoms))"))
    }

    private func checkNames(_ members: SceneMapping) {
        let devices = Set(scene.devices.map(\.name))
        for group in scene.phantoms {
            guard let node = (try? members["phantoms"]?.anyMapping(of: "phantoms"))?[group.name] else { continue }
            if let mistake = mistake({ () throws(SceneMistake) in try CommandReader.check(name: group.name, node) }) {
                list.note(mistake)
            } else if devices.contains(group.name) || ControllerName(group.name) != nil {
                list.note(node.fail("\(group.name) is the name of a device, too"))
            }
        }
    }

    private func mistake(_ body: () throws(SceneMistake) -> Void) -> SceneMistake? {
        do throws(SceneMistake) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    private func checkControllers(_ members: SceneMapping) {
        var users: [String: String] = [:]
        for device in scene.devices {
            if let other = users.updateValue(device.name, forKey: device.controller) {
                guard let node = members["devices"] else { return }
                list.note(node.fail("\(other) and \(device.name) have the same controller, \(device.controller)"))
            }
        }
    }
}
