import AssignedNumbers
import GATTProfiles
import PlainText
import ProfileWriting

/// Makes a scenario of what the central did: the same in the same order, but for what differed between links that were
/// otherwise alike.
struct ScenarioImport {
    private let device: DeviceImport
    private let profile: ProfileText
    private var references: [ClonedDevice.Place: String] = [:]
    private(set) var lines: [String] = []
    private(set) var report = ImportReport()
    private var stepCount = 0

    /// Links on which the same was done.
    private struct Family {
        var links: [CentralSteps]
        let kinds: [CentralStep.Kind: Int]
    }

    /// A scenario that a person still reads.
    private static let maximumSteps = 1000
    /// How many steps may be in any order; also a limit of scenario files.
    private static let maximumBlock = 1000
    /// How long an app may take for what took no time, in seconds; the default of scenario files.
    private static let usualLimit = 10.0
    private static let connectionLimit = 60.0
    private static let longestLimit = 86_400.0

    init(_ device: DeviceImport) {
        self.device = device
        profile = ProfileText(device.clone)
    }

    var text: [String] {
        ["# What the central did. Times are twice as long as they were, and at least 10 s.", "scenario:"] + lines
    }

    mutating func make() {
        for family in families {
            guard let first = family.links.first else { continue }
            let count = family.links.count
            if count > 1 {
                lines += ["  - repeat:", "      times: \(count)", "      steps:"]
                report.recognize(
                    "\(count) links on which the central did the same: they are repeated in the scenario",
                    first.steps.first?.packet)
            }
            for block in Self.withEndsTogether(Self.blocks(family.links)) { add(block, count > 1 ? "        " : "  ") }
            if stepCount >= Self.maximumSteps {
                return report.leaveOut("what the central did after \(Self.maximumSteps) steps of the scenario")
            }
        }
    }

    /// Links that follow each other and are alike are one.
    private var families: [Family] {
        var families: [Family] = []
        var lastTime: Int64?
        for session in device.sessions {
            let link = CentralSteps(
                session, after: lastTime, device.clone, places: device.places, configurations: device.configurations,
                includesFaults: device.options.includesFaults)
            // A link without a request says nothing of the app, but that it connects.
            guard !link.steps.isEmpty else { continue }
            lastTime = link.lastTime
            let kinds = Dictionary(link.steps.map { ($0.kind, 1) }, uniquingKeysWith: +)
            if let last = families.last, last.kinds == kinds {
                families[families.count - 1].links.append(link)
            } else {
                families.append(Family(links: [link], kinds: kinds))
            }
        }
        return families
    }

    /// The steps of links that are alike, put together. Where their order differs it does not matter: steps between two
    /// points at which all links have done the same are one block.
    private static func blocks(_ links: [CentralSteps]) -> [[CentralStep]] {
        guard let first = links.first?.steps else { return [] }
        var blocks: [[CentralStep]] = []
        // How many more steps of a kind each link has done than the first one, where that is not 0.
        var differences = [[CentralStep.Kind: Int]](repeating: [:], count: links.count)
        var block: [CentralStep] = []
        var used = [[Bool]](repeating: [Bool](repeating: false, count: first.count), count: links.count)
        for index in first.indices {
            for link in links.indices.dropFirst() {
                change(first[index].kind, by: -1, &differences[link])
                change(links[link].steps[index].kind, by: 1, &differences[link])
            }
            block.append(merged(first[index], index, links, &used))
            guard differences.allSatisfy(\.isEmpty) || block.count >= maximumBlock else { continue }
            blocks.append(block)
            block = []
        }
        return block.isEmpty ? blocks : blocks + [block]
    }

    /// Subscriptions that end one after another are one block: what ends them is often the system, in any order, when
    /// the app or several of them close.
    private static func withEndsTogether(_ blocks: [[CentralStep]]) -> [[CentralStep]] {
        blocks.reduce(into: []) { together, block in
            guard let last = together.last, last.count + block.count <= maximumBlock,
                (last + block).allSatisfy(\.isEndOfSubscription)
            else { return together.append(block) }
            together[together.count - 1] += block
        }
    }

    private static func change(_ kind: CentralStep.Kind, by difference: Int, _ counts: inout [CentralStep.Kind: Int]) {
        let count = counts[kind, default: 0] + difference
        counts[kind] = count == 0 ? nil : count
    }

    /// A step with the longest time of all links, and without its value if that differs.
    private static func merged(
        _ step: CentralStep, _ index: Int, _ links: [CentralSteps], _ used: inout [[Bool]]
    ) -> CentralStep {
        var merged = step
        var values: Set<[UInt8]?> = [step.value]
        for link in links.indices.dropFirst() {
            let steps = links[link].steps
            // Most often it is at the same place.
            let place =
                !used[link][index] && steps[index].isLike(step)
                ? index : steps.indices.first { !used[link][$0] && steps[$0].isLike(step) }
            guard let place else { continue }
            used[link][place] = true
            merged.delay = max(merged.delay, steps[place].delay)
            values.insert(steps[place].value)
            merged.lostValues = max(merged.lostValues, steps[place].lostValues)
        }
        if values.count > 1 {
            merged.value = nil
            merged.lostValues = max(merged.lostValues, values.count)
        }
        return merged
    }

    // MARK: Text

    private mutating func add(_ block: [CentralStep], _ indentation: String) {
        stepCount += block.count
        if block[0].occasion == .ended {
            let pause = min(block[0].delay, Self.longestLimit)
            if pause >= 0.001 { lines.append("\(indentation)- wait: \(Duration.text(seconds: pause))") }
            lines.append("\(indentation)- disconnect  # packet \(block[0].packet)")
            report.recognize("the end of a link, not by the central: the scenario disconnects", block[0].packet)
        }
        let isConnection = block.contains { $0.occasion == .connected }
        let seen = 2 * block.reduce(0) { $0 + $1.delay }
        let limit = min(
            max(seen.rounded(.up), isConnection ? Self.connectionLimit : Self.usualLimit), Self.longestLimit)
        let within = limit == Self.usualLimit ? "" : ", within: \(Duration.text(seconds: limit))"
        if block.count == 1 {
            lines.append("\(indentation)- expect: {\(event(block[0]))\(within)}  # packet \(block[0].packet)")
        } else {
            lines.append("\(indentation)- expect:")
            if !within.isEmpty { lines.append("\(indentation)    within: \(Duration.text(seconds: limit))") }
            lines.append("\(indentation)    in-any-order:")
            for step in block { lines.append("\(indentation)      - {\(event(step))}  # packet \(step.packet)") }
        }
    }

    private mutating func event(_ step: CentralStep) -> String {
        var text: String
        switch step.occasion {
        case .connected: text = "occasion: connected"
        case .disconnected, .ended: text = "occasion: disconnected"
        case .subscribed(let place): text = "occasion: subscribed, on: \(reference(place))"
        case .unsubscribed(let place): text = "occasion: unsubscribed, on: \(reference(place))"
        case .read(let place): text = "occasion: read, on: \(reference(place))"
        case .written(let place): text = "occasion: written, on: \(reference(place))"
        }
        if step.lostValues > 0 {
            report.leaveOut(
                "\(counted(step.lostValues, "different value")) of \(counted(step.times, "write")): the scenario has only "
                    + "their number", step.packet)
        }
        if let value = step.value { text += ", value: \(value.isEmpty ? "empty" : "hex:" + ValueText.hex(value))" }
        if let error = step.error { text += ", att-error: 0x\(AssignedName.digits(of: UInt16(error)).suffix(2))" }
        if step.times > 1 { text += ", times: \(step.times)" }
        return text
    }

    private mutating func reference(_ place: ClonedDevice.Place) -> String {
        if let known = references[place] { return known }
        let reference = profile.reference(to: place)
        references[place] = reference
        return reference
    }
}
