import CoreBluetooth
import PlainText

/// Reads what a scenario expects.
struct ExpectationReader {
    private let index: AttributeIndex
    private let service: String?
    private let isForbidden: Bool

    /// - Parameter service: where characteristics are looked for first.
    init(_ index: AttributeIndex, service: String?, isForbidden: Bool) {
        self.index = index
        self.service = service
        self.isForbidden = isForbidden
    }

    static let occasions = ScenarioStep.Occasion.allCases.map { ($0.rawValue, $0) }

    /// A word such as `connected`, an event, or a list of events.
    func expectation(_ node: FileNode) throws(FileMistake) -> ScenarioExpectation {
        guard node.isMapping else {
            let occasion = try node.choice(of: "occasion", among: Self.occasions)
            return placed(ScenarioExpectation([.init(occasion)], isForbidden: isForbidden), node)
        }
        let members = try node.mapping(of: "an expectation", keys: ProfileKeys.expectation)
        let context = node.context
        let limit = context.attempt(try members["within"]?.seconds(within: ScenarioStep.possibleWaits))
        let title = context.attempt(try members["title"]?.text("a title"))
        var expectation = ScenarioExpectation(
            [], isForbidden: isForbidden, within: limit ?? ScenarioExpectation.defaultLimit, title: title)
        let chosen = try members.exactlyOne(of: ["occasion"] + ProfileKeys.orders)
        if let order = ScenarioExpectation.Order(rawValue: chosen.key) {
            expectation.order = order
            for member in members.members where (ProfileKeys.event).contains(member.key) {
                context.note(member.keyNode.fail("\(member.key) belongs in an event of the list"))
            }
            for element in try chosen.value.list(of: "events") {
                if let event = context.attempt(try event(element)) { expectation.events.append(event) }
            }
            guard ScenarioExpectation.possibleEvents.contains(expectation.events.count) else {
                throw chosen.value.fail(expecting: "from 1 to \(ScenarioExpectation.possibleEvents.upperBound) events")
            }
        } else {
            expectation.events = [try event(members)]
        }
        return placed(expectation, node)
    }

    private func placed(_ expectation: ScenarioExpectation, _ node: FileNode) -> ScenarioExpectation {
        var placed = expectation
        placed.place = node.data.place.map { "\(node.context.file):\($0.line)" }
        return placed
    }

    private func event(_ node: FileNode) throws(FileMistake) -> ScenarioExpectation.Event {
        guard node.isMapping else { return .init(try node.choice(of: "occasion", among: Self.occasions)) }
        return try event(node.mapping(of: "an event", keys: ProfileKeys.event))
    }

    private func event(_ members: FileMapping) throws(FileMistake) -> ScenarioExpectation.Event {
        let context = members.node.context
        let occasion = try members.required("occasion").choice(of: "occasion", among: Self.occasions)
        var event = ScenarioExpectation.Event(occasion)
        if let node = members["times"] {
            event.times = context.attempt(try node.integer(in: ScenarioExpectation.Event.possibleTimes)) ?? 1
        }
        if let on = members["on"] { event.characteristic = try characteristic(on, occasion) }
        let isRequest = [.read, .written].contains(occasion)
        if let node = members["att-error"] {
            guard isRequest else { throw node.fail("only a read or a write is refused with an ATT error") }
            event.attError = try node.attError()
        }
        if members.members.contains(where: { ProfileKeys.values.contains($0.key) }) {
            let chosen = try members.exactlyOne(of: ProfileKeys.values)
            guard isRequest else { throw chosen.keyNode.fail("only a read or a write has a value") }
            event.value = try MatchReader.match(chosen)
        }
        return event
    }

    private func characteristic(
        _ node: FileNode, _ occasion: ScenarioStep.Occasion
    ) throws(FileMistake) -> CharacteristicPath {
        let characteristic = try index.characteristic(node, near: service)
        let needed: CBCharacteristicProperties
        switch occasion {
        case .connected, .disconnected: throw node.fail("\(occasion.rawValue) is not about a characteristic")
        case .subscribed, .unsubscribed: needed = [.notify, .indicate]
        case .read: needed = .read
        case .written: needed = [.write, .writeWithoutResponse]
        }
        // It may be refused all the same: then nothing is reported to the peripheral.
        guard !characteristic.properties.isDisjoint(with: needed) else {
            throw node.fail("the properties of \(characteristic.path) do not allow it to be \(occasion.rawValue)")
        }
        return characteristic.path
    }
}
