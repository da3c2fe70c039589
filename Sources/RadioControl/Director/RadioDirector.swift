import PlainText
package import VirtualRadio

/// Changes a radio as scenes and commands have it, and knows everybody by name.
package final class RadioDirector {
    let radio: Radio
    private var seed: UInt64
    /// The names of controllers and phantoms, and those that the scene gives.
    private(set) var names: [String: Int] = [:]
    /// The name by which each is reported.
    private var shown: [Int: String] = [:]
    private var controllers: [String: Int] = [:]
    /// By the name of one or many.
    private(set) var groups: [String: [Int]] = [:]
    private var phantomCount = 0
    /// What was scheduled for another one has no effect any longer.
    private var sceneNumber = 0
    /// Steps that wait for ``begin()``.
    private var waiting: [Scene.Step] = []
    /// As it was in the beginning, which ``reset()`` returns to.
    private var initial: (scene: Scene, waits: Bool)
    /// When the scene began, if it has.
    private(set) var began: Instant?
    /// Counts the jammers that were set, so that none is removed in place of a newer one.
    private var jammerNumbers: [String: Int] = [:]
    private var jammerCount = 0
    /// Those that are in groups.
    private(set) var phantoms: Set<Int> = []
    private(set) lazy var recording = AirRecording(self, began: began1970)
    private let began1970: Int
    /// Makes a file for a recording.
    package var openOutput: ((String) throws(Refusal) -> any RecordingOutput)?
    /// The last ones, as JSON.
    var events: [String] = []
    /// Takes events, as JSON on a line.
    package var onEvent: ((String) -> Void)?

    /// - Parameters:
    ///   - seed: of phantoms that are added without a scene.
    ///   - began: when the radio's time began, in microseconds since 1970.
    package init(_ radio: Radio, seed: UInt64, began: Int = 0) {
        began1970 = began
        self.radio = radio
        self.seed = seed
        initial = (Scene(air: radio.airModel, seed: seed), false)
        radio.observe { [weak self] in self?.report($0) }
    }

    /// Names a controller: `hci0`, with two hosts `a/hci0`.
    package func add(controller name: String, _ index: Int) {
        controllers[name] = index
        names[name] = index
        shown[index] = name
    }

    /// What has to be said to the user.
    package struct Refusal: Error, Equatable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    // MARK: Scenes

    /// Plays the scene that the radio begins with.
    package func open(_ scene: Scene, waits: Bool) throws(Refusal) {
        try play(scene, waits: waits)
        initial = (scene, waits)
    }

    /// Makes everything as it was when the radio began. Its scene begins again, unless it waits for ``begin()`` and has
    /// not begun yet.
    func reset() throws(Refusal) {
        try play(initial.scene, waits: initial.waits && began == nil)
    }

    /// Makes everything as a scene has it, or changes nothing.
    ///
    /// - Parameter waits: whether the scene's time begins with ``begin()`` and not now.
    package func play(_ scene: Scene, waits: Bool = false) throws(Refusal) {
        for device in scene.devices where controllers[device.controller] == nil {
            let known = controllers.keys.sorted()
            throw Refusal(
                "unknown controller \(device.controller)\(Suggestion.text(for: device.controller, among: known)); valid: "
                    + known.joined(separator: ", "))
        }
        guard radio.setAirModel(scene.air) else {
            throw Refusal(
                "the scene has \(scene.air.rawValue) air, and the air cannot change while devices are connected")
        }
        sceneNumber += 1
        (waiting, began, groups, phantomCount, phantoms) = ([], nil, [:], 0, [])
        names = controllers
        shown = [:]
        for (name, index) in controllers { shown[index] = name }
        radio.clearScene()
        radio.reseed(scene.seed)
        seed = scene.seed
        radio.pathLoss = scene.pathLoss
        radio.walls = scene.walls
        for device in scene.devices { place(device) }
        for (name, jammer) in scene.jammers { set(jammer, name, span: nil) }
        for group in scene.phantoms { try add(group) }
        waiting = scene.timeline
        emit("scene", [("air", .text(scene.air.rawValue))])
        if waits {
            runSteps { $0.time == 0 }
        } else {
            begin()
        }
    }

    private func place(_ device: Scene.Device) {
        guard let index = controllers[device.controller] else { return }
        names[device.name] = index
        shown[index] = device.name
        if let position = device.position { radio.move(index, to: position) }
        radio.setAttenuation(index, device.body)
    }

    /// Begins the scene's time, if it has not begun.
    package func begin() {
        guard began == nil else { return }
        began = radio.now
        runSteps { $0.time == 0 }
        let number = sceneNumber
        // One after another, as many steps may be due at the same time.
        for step in waiting.sorted(by: { $0.time < $1.time }) {
            radio.schedule(at: radio.now + step.time) { [weak self] in
                guard let self, sceneNumber == number else { return }
                runStep(step)
            }
        }
        waiting = []
    }

    private func runSteps(where isDue: (Scene.Step) -> Bool) {
        let due = waiting.filter(isDue)
        waiting.removeAll(where: isDue)
        for step in due { runStep(step) }
    }

    private func runStep(_ step: Scene.Step) {
        do throws(Refusal) {
            try run(step.command)
        } catch {
            emit("mistake", [("text", .text(error.description))])
        }
    }

    // MARK: Commands

    package func run(_ command: RadioCommand) throws(Refusal) {
        switch command {
        case .strength(let pair, let strength):
            let (first, second) = try indexes(pair)
            let set = strength.map { [("strength_dbm", JSONValue.number($0))] } ?? []
            emit("rssi", between(first, second) + set)
            radio.setSignal(first, second, strength)
        case .loss(let pair, let part):
            let (first, second) = try indexes(pair)
            emit("loss", between(first, second) + [("percent", .decimal(part * 100))])
            radio.setLoss(first, second, part)
        case .block(let pair, let isBlocked):
            let (first, second) = try indexes(pair)
            emit(isBlocked ? "block" : "unblock", between(first, second))
            radio.setBlocked(first, second, isBlocked)
        case .move(let name, let position, let span):
            let index = try index(name)
            emit(
                "move",
                [("device", .text(self.name(index)))]
                    + (radio.position(of: index).map { [("from", .list(Self.parts($0)))] } ?? [])
                    + [("to", .list(Self.parts(position)))]
                    + (span > 0 ? [("over_ms", .number(span / Span.millisecond))] : []))
            radio.move(index, to: position, over: span)
        case .body(let name, let loss):
            let index = try index(name)
            emit("body", [("device", .text(self.name(index))), ("loss_db", .decimal(loss))])
            radio.setAttenuation(index, loss)
        case .jam(let name, let jammer, let span):
            guard radio.jammers.count < Scene.Limit.jammers || radio.jammers.contains(name) else {
                throw Refusal("too many jammers (limit \(Scene.Limit.jammers))")
            }
            set(jammer, name, span: span)
        case .unjam(let name):
            guard radio.jammers.contains(name) else {
                throw Refusal("unknown jammer \(name)\(Suggestion.text(for: name, among: radio.jammers))")
            }
            remove(jammer: name)
        case .phantom(let group): try add(group)
        case .remove(let name): try remove(name)
        }
    }

    /// What a command, though carried out, does not do in this air.
    func warning(of command: RadioCommand) -> String? {
        switch command {
        case .loss(_, let part): part > 0 ? warning(ofLoss: true) : nil
        case .jam(_, let jammer, _): warning(of: jammer)
        default: nil
        }
    }

    private func warning(of jammer: Jammer) -> String? {
        switch jammer {
        case .noise: warning(ofLoss: false)
        case .loss: warning(ofLoss: true)
        }
    }

    private func warning(ofLoss isLoss: Bool) -> String? {
        guard radio.airModel == .ideal else { return nil }
        return isLoss
            ? "ideal air loses advertisements, scans and connection requests, but no data of connections (--air real does)"
            : "noise has no effect in ideal air (--air real has it)"
    }

    /// The same for all of a scene, each once.
    package func warnings(of scene: Scene) -> [String] {
        let all = scene.jammers.map { warning(of: $0.jammer) } + scene.timeline.map { warning(of: $0.command) }
        return Set(all.compactMap(\.self)).sorted()
    }

    private func set(_ jammer: Jammer, _ name: String, span: Int?) {
        radio.setJammer(name, jammer)
        jammerCount += 1
        let number = jammerCount
        jammerNumbers[name] = number
        emit("jam", [("name", .text(name))])
        guard let span else { return }
        radio.schedule(at: radio.now + span) { [weak self] in
            guard let self, jammerNumbers[name] == number, radio.jammers.contains(name) else { return }
            remove(jammer: name)
        }
    }

    private func remove(jammer name: String) {
        radio.setJammer(name, nil)
        jammerNumbers[name] = nil
        emit("unjam", [("name", .text(name))])
    }

    private func add(_ group: PhantomGroup) throws(Refusal) {
        guard phantomCount + group.count <= Scene.Limit.phantoms else {
            throw Refusal("too many phantoms (limit \(Scene.Limit.phantoms))")
        }
        guard groups[group.name] == nil, names[group.name] == nil else {
            throw Refusal("the name \(group.name) is already in use")
        }
        let phantoms = group.phantoms(seed: seed)
        for (name, phantom) in phantoms {
            guard names[name] == nil else { throw Refusal("the name \(name) is already in use") }
            guard radio.index(of: phantom.address) == nil else {
                throw Refusal("the address \(phantom.address) is already in use")
            }
        }
        groups[group.name] = phantoms.map { name, phantom in
            let index = group.peripheral.map { radio.add(phantom, with: $0) } ?? radio.add(phantom)
            names[name] = index
            shown[index] = name
            return index
        }
        phantomCount += group.count
        self.phantoms.formUnion(groups[group.name] ?? [])
        emit("phantom", [("name", .text(group.name)), ("count", .number(group.count))])
    }

    private func remove(_ name: String) throws(Refusal) {
        guard let indexes = groups.removeValue(forKey: name) else {
            throw Refusal("unknown phantom \(name)\(Suggestion.text(for: name, among: groups.keys.sorted()))")
        }
        for index in indexes {
            radio.remove(index)
            if let name = shown.removeValue(forKey: index) { names[name] = nil }
        }
        phantomCount -= indexes.count
        phantoms.subtract(indexes)
        emit("remove", [("name", .text(name))])
    }

    // MARK: Names

    private func indexes(_ pair: RadioCommand.Pair) throws(Refusal) -> (Int, Int) {
        let (first, second) = (try index(pair.first), try index(pair.second))
        guard first != second else { throw Refusal("\(pair.first) and \(pair.second) are the same device") }
        return (first, second)
    }

    private func index(_ name: String) throws(Refusal) -> Int {
        if let index = names[name] { return index }
        for isRandom in [false, true] {
            if let address = DeviceAddress(name, isRandom: isRandom), let index = radio.index(of: address) {
                return index
            }
        }
        if groups[name] != nil { throw Refusal("ambiguous device \(name); specify \(name)-1, \(name)-2, …") }
        let known = names.keys.sorted()
        let some = known.prefix(20).joined(separator: ", ") + (known.count > 20 ? ", …" : "")
        throw Refusal("unknown device \(name)\(Suggestion.text(for: name, among: known)); valid: \(some)")
    }

    /// By which a device is reported.
    func name(_ index: Int) -> String { shown[index] ?? "\(index)" }

    /// The controller's own name; `nil` for a phantom.
    func controller(_ index: Int) -> String? { controllers.first { $0.value == index }?.key }

    private func between(_ first: Int, _ second: Int) -> [(String, JSONValue)] {
        [("between", .list([.text(name(first)), .text(name(second))]))]
    }

    static func parts(_ position: Position) -> [JSONValue] { [.decimal(position.x), .decimal(position.y)] }
}
