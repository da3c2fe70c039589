import GATTProfiles
import PlainText

/// Reads the steps of a scenario, or of the reaction to a write.
struct StepReader {
    private let index: AttributeIndex
    private let service: String?
    private let depth: Int
    private let isReaction: Bool

    private static let maximumDepth = 8
    /// Steps that need no value.
    static let words = ["disconnect", "quit"]

    /// - Parameters:
    ///   - service: where characteristics are looked for first.
    ///   - isReaction: whether the steps are the reaction to a write, rather than a scenario.
    init(_ index: AttributeIndex, service: String?, depth: Int = 0, isReaction: Bool = false) {
        self.index = index
        self.service = service
        self.depth = depth
        self.isReaction = isReaction
    }

    func steps(_ node: FileNode) throws(FileMistake) -> [ScenarioStep] {
        var steps: [ScenarioStep] = []
        for element in try node.list(of: "steps") {
            if let step = node.context.attempt(try step(element)) { steps.append(step) }
        }
        return steps
    }

    private func step(_ node: FileNode) throws(FileMistake) -> ScenarioStep {
        if !node.isMapping {
            return try node.choice(of: "step without a value", among: zip(Self.words, [.disconnect, .quit]).map { $0 })
        }
        let members = try node.mapping(of: "a step", keys: ProfileKeys.step)
        guard members.members.count == 1, let member = members.members.first else {
            throw node.fail("a step has exactly one key: start each step with its own hyphen")
        }
        let value = member.value
        switch member.key {
        case "wait": return .wait(try value.seconds(within: ScenarioStep.possibleWaits))
        case "wait-for": return try waitFor(value)
        case "expect", "expect-not":
            guard !isReaction else {
                throw member.keyNode.fail("\(member.key) is valid only in a scenario, not in the reaction to a write")
            }
            let isForbidden = member.key == "expect-not"
            return .expect(
                try ExpectationReader(index, service: service, isForbidden: isForbidden).expectation(value))
        case "send": return try send(value)
        case "set":
            let members = try value.mapping(of: "a set", keys: ProfileKeys.set)
            let path = value.context.attempt(try characteristic(members.required("on")))
            let bytes = try members.required("value").value()
            guard let path else { throw value.consequence() }
            return .set(path, bytes)
        case "chirp": return .chirp(try value.value())
        case "burst": return try burst(value)
        case "add-service": return .addService(try services(value))
        case "remove-service": return .removeService(try services(value))
        case "fault":
            let whole = try value.anyMapping(of: "a fault")
            let characteristic = try index.characteristic(whole.required("characteristic"), near: service)
            return .fault(
                characteristic.path, try FaultReader.fault(value, of: characteristic, besides: ["characteristic"]))
        case "clear-faults":
            if try value.text("all, or the name of a characteristic") == "all" { return .clearFaults(nil) }
            return .clearFaults(try characteristic(value))
        case "reset-count": return .resetCount(try characteristic(value))
        case "reset-energy": return .resetEnergy(try characteristic(value))
        case "repeat": return try repetition(value)
        case "advertise": return .advertise(try value.flag())
        case "silence": return .silence(try value.seconds(within: ScenarioStep.possibleWaits))
        case "power": return .power(try value.flag())
        case "disconnect", "quit":
            try value.requireTrue()
            return member.key == "quit" ? .quit : .disconnect
        // It was noted already as an unknown key.
        default: throw member.keyNode.consequence()
        }
    }

    /// - Returns: the name of a service; nil for all.
    private func services(_ node: FileNode) throws(FileMistake) -> String? {
        try node.text("all, or the name of a service") == "all" ? nil : try index.service(node)
    }

    private func characteristic(_ node: FileNode) throws(FileMistake) -> CharacteristicPath {
        try index.characteristic(node, near: service).path
    }

    private func waitFor(_ node: FileNode) throws(FileMistake) -> ScenarioStep {
        let occasions = ExpectationReader.occasions
        guard node.isMapping else { return .waitFor(try node.choice(of: "occasion", among: occasions), on: nil) }
        let members = try node.mapping(of: "a wait-for", keys: ProfileKeys.waitFor)
        let occasionNode = try members.required("occasion")
        let occasion = try occasionNode.choice(of: "occasion", among: occasions)
        guard let on = members["on"] else { return .waitFor(occasion, on: nil) }
        guard ![.connected, .disconnected].contains(occasion) else {
            throw on.fail("\(occasion.rawValue) is not about a characteristic")
        }
        return .waitFor(occasion, on: try characteristic(on))
    }

    private func send(_ node: FileNode) throws(FileMistake) -> ScenarioStep {
        let members = try node.mapping(of: "a send", keys: ProfileKeys.send)
        let path = node.context.attempt(try index.sender(members.required("on"), near: service))
        let interval = node.context.attempt(try members["every"]?.seconds(within: ScenarioStep.possibleWaits)) ?? 0
        let chosen = try members.exactlyOne(of: ["value", "values"])
        var values: [[UInt8]] = []
        if chosen.key == "value" {
            values = [try chosen.value.value()]
        } else {
            for element in try chosen.value.list(of: "values") {
                values.append(node.context.attempt(try element.value()) ?? [])
            }
        }
        guard let path else { throw node.consequence() }
        return .send(on: path, values: values, interval: interval)
    }

    private func burst(_ node: FileNode) throws(FileMistake) -> ScenarioStep {
        let members = try node.mapping(of: "a burst", keys: ProfileKeys.burst)
        let context = node.context
        let count = context.attempt(try members.required("count").integer(in: Burst.Plan.possibleCounts))
        let size = context.attempt(try members["size"]?.integer(in: Burst.Plan.possibleSizes)) ?? 20
        let rate = context.attempt(try members["rate"]?.integer(in: 1...1_000_000)).map { Double($0) }
        guard let count else { throw node.consequence() }
        return .burst(count: count, size: size, rate: rate)
    }

    private func repetition(_ node: FileNode) throws(FileMistake) -> ScenarioStep {
        guard depth < Self.maximumDepth else {
            throw node.fail("repeats nested too deeply (limit \(Self.maximumDepth) levels)")
        }
        let members = try node.mapping(of: "a repeat", keys: ProfileKeys.repetition)
        let times = node.context.attempt(try members.required("times").integer(in: ScenarioStep.possibleRepetitions))
        let reader = StepReader(index, service: service, depth: depth + 1, isReaction: isReaction)
        let steps = try reader.steps(members.required("steps"))
        guard let times else { throw node.consequence() }
        return .repeat(times: times, steps)
    }
}
