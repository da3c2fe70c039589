import Captures
import CoreBluetooth
import GATTProfiles
import PlainText

/// Repeats what the central of a capture did, link by link.
@MainActor
final class Replay {
    let context: CommandContext
    /// By how much pauses are longer than in the capture; 0 for none.
    let pace: Double
    var comparison: ReplayComparison
    private let plan: ReplayPlan
    private let target: DeviceOptions
    private let answerTimeout: Double
    private var differences: Set<ReplayDifference> = []
    private var requestCount = 0
    private var valueCount = 0

    init(
        _ plan: ReplayPlan, of target: DeviceOptions, pace: Double, answerTimeout: Double, _ context: CommandContext
    ) {
        self.plan = plan
        self.target = target
        self.pace = pace
        self.answerTimeout = answerTimeout
        self.context = context
        comparison = ReplayComparison(plan)
    }

    /// Whether the device has no time to send what it sends by itself.
    var isHurried: Bool { pace < 1 }

    /// - Throws: ``CommandError`` if the device differs from the capture.
    func run() async throws {
        for remark in plan.omitted { omit(remark.text, packet: remark.packet) }
        for (index, link) in plan.links.enumerated() {
            context.output.event("link", "link \(index + 1) of \(plan.links.count), packet \(link.packet)") { object in
                object.add("number", index + 1)
                object.add("links", plan.links.count)
                object.add("packet", link.packet)
            }
            try await repeatLink(link)
        }
        reportEnd()
        guard differences.isEmpty else {
            throw CommandError(
                .failed, "\(target.device) differs from the capture: \(counted(differences.count, "difference"))")
        }
    }

    private func repeatLink(_ link: ReplayPlan.Link) async throws {
        let connection = try await open()
        let link = await without(hidden: Self.humanInterfaceDevice, link, connection)
        let first = RepeatedLink(link, over: connection, of: self)
        guard try await first.run(isFirst: true) == .unansweredSincePairing else { return }
        // bluetoothd (5.66) may lose the request that has made the devices pair.
        _ = try await RepeatedLink(link, over: open(), of: self).run(isFirst: false)
    }

    private func open() async throws -> DeviceConnection {
        try await context.open(target, answerTimeout: answerTimeout)
    }

    /// Of keyboards and mice, which bluetoothd may make input devices of, and show to no program.
    private static let humanInterfaceDevice = "1812"

    /// The link without what is about a service that the device has and bluetoothd keeps to itself.
    private func without(
        hidden service: String, _ link: ReplayPlan.Link, _ connection: DeviceConnection
    ) async -> ReplayPlan.Link {
        guard !connection.table.services.contains(where: { $0.uuid.uuidString == service }),
            let uuid = AttributePath.Part.canonical(service)?.lowercased(),
            await context.hasService(uuid, of: connection.link.peripheral.identifier)
        else { return link }
        var rest = link
        let count = rest.remove(service: service)
        if count > 0 {
            omit("\(counted(count, "event")) of the service \(service), which bluetoothd keeps to itself", packet: nil)
        }
        return rest
    }

    // MARK: Reports

    func omit(_ text: String, packet: Int?) {
        let place = packet.map { "packet \($0): " } ?? ""
        context.output.event("not-repeated", "not repeated: \(place)\(text)") { object in
            object.add("packet", packet)
            object.add("text", text)
        }
    }

    /// Reports what was not reported yet.
    func report(_ found: [ReplayDifference]) {
        for difference in found where differences.insert(difference).inserted {
            context.output.event("difference", difference.text) { difference.add(to: &$0) }
        }
    }

    func countRequest() { requestCount += 1 }
    func countValue() { valueCount += 1 }

    private func reportEnd() {
        for (attribute, varied) in comparison.varied.sorted(by: { $0.key.title < $1.key.title })
        where varied.varied > 0 {
            let text =
                "\(attribute.title) varies: \(varied.varied) of \(counted(varied.count, "value")) not as captured"
            context.output.event("varies", text) { object in
                object.add("characteristic", attribute.title)
                object.add("values", varied.count)
                object.add("varied", varied.varied)
            }
        }
        let text =
            [counted(plan.links.count, "link"), counted(requestCount, "request"), counted(valueCount, "value")]
            .joined(separator: ", ") + ": "
            + (differences.isEmpty ? "as captured" : counted(differences.count, "difference"))
        context.output.event("replayed", text) { object in
            object.add("links", plan.links.count)
            object.add("requests", requestCount)
            object.add("values", valueCount)
            object.add("differences", differences.count)
        }
    }
}
