import Captures
import Foundation
import TestSupport
import Testing

/// What a central did can be done again, and what a device answers then is compared with what it answered.
@Suite struct ReplayTests {
    private static let rx = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E/6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
    private static let tx = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E/6E400003-B5A3-F393-E0A9-E50E24DCCA9E"
    private static let type = "1809/2A1D"

    private func plan(_ body: (inout CaptureBuilder) -> Void) throws -> ReplayPlan {
        var builder = CaptureBuilder()
        builder.connect()
        builder.discover()
        body(&builder)
        return try plan(of: builder)
    }

    private func plan(of builder: CaptureBuilder) throws -> ReplayPlan {
        let analysis = try CaptureAnalysis(CaptureFile(bytes: builder.bytes))
        let device = try #require(analysis.importable.first)
        return ReplayPlan(device) { uuid, _, _ in ["1800", "1801"].contains(uuid) }
    }

    private func text(_ step: ReplayPlan.Step) -> String {
        "\(step.request) \(step.attribute.title)"
    }

    /// The differences of a device that answers each step as `answer` has it; nil is as in the capture.
    private func differences(
        _ plan: ReplayPlan, isHurried: Bool = false, _ comparison: inout ReplayComparison,
        _ answer: (ReplayPlan.Step) -> Answer?
    ) -> [String] {
        var found: [ReplayDifference] = []
        for link in plan.links {
            comparison.beginLink()
            for step in link.steps {
                if step.endsAnswers { found += comparison.settle() }
                comparison.began(step)
                let answer = answer(step)
                let outcome = comparison.compare(step, with: answer?.outcome ?? step.outcome)
                found += [outcome].compactMap(\.self)
                let sent = answer?.sent ?? step.sent.compactMap { $0.value?.bytes }
                if let attribute = step.sent.first?.attribute {
                    for value in sent { comparison.receive(value, from: attribute) }
                }
                found += comparison.compareSent(step, onlyAnswers: isHurried)
            }
            found += comparison.settle()
        }
        return found.map(\.text)
    }

    private func differences(
        _ plan: ReplayPlan, isHurried: Bool = false, _ answer: (ReplayPlan.Step) -> Answer? = { _ in nil }
    ) -> [String] {
        var comparison = ReplayComparison(plan)
        return differences(plan, isHurried: isHurried, &comparison, answer)
    }

    private struct Answer {
        var outcome: SessionEvent.Outcome?
        var sent: [[UInt8]]?
    }

    // MARK: The plan

    @Test func `steps are what the central asked for, in its order, with what came after each`() throws {
        var builder = CaptureBuilder()
        builder.session()
        let plan = try plan(of: builder)
        let link = try #require(plan.links.first)
        #expect(plan.links.count == 1)
        let ping = "write([80, 73, 78, 71], hasResponse: true) \(Self.rx)"
        #expect(
            link.steps.map(text) == [
                "read \(Self.type)", "subscribe \(Self.tx)", ping, ping, "subscribe 1809/2A1C",
            ])
        #expect(link.steps.map { $0.sent.map(\.isAnswer) } == [[], [], [true], [true], [false, false, false]])
        #expect(link.steps[0].attribute.selector == "1809/2A1D#1")
        #expect(link.endOfDevice == builder.count)
        #expect(
            plan.omitted.map(\.text) == [
                "the MTU, 517 of the central and 247 of the device: bluetoothd negotiates its own"
            ])
        #expect(differences(plan).isEmpty)
    }

    @Test func `pauses count from the answer, or from what was sent before`() throws {
        let plan = try plan {
            $0.read(0x15, [1])
            $0.time += 2_000_000
            $0.write(0x25, [1, 0])
            $0.time += 3_000_000
            $0.notify(0x24, [1])
            $0.time += 400_000
            $0.read(0x15, [1])
            $0.time += 7_000_000
            $0.disconnect(reason: 0x16)
        }
        let link = try #require(plan.links.first)
        #expect(link.steps.map { ($0.pause * 10).rounded() / 10 } == [0, 2, 0.4])
        #expect((link.pauseBeforeEnd * 10).rounded() / 10 == 7)
        #expect(link.endOfDevice == nil)
        // Twice as long as it took, and at least 10 s.
        #expect(link.steps.map(\.limit) == [10, 10, 10])
    }

    @Test func `what came late may come late`() throws {
        let plan = try plan {
            $0.write(0x25, [1, 0])
            $0.time += 30_000_000
            $0.notify(0x24, [1])
        }
        #expect(plan.links.first?.steps.first?.limit.rounded() == 60)
    }

    @Test func `what a link begins with by a subscription of an earlier one may be missed`() throws {
        let plan = try plan {
            $0.write(0x25, [1, 0])
            $0.notify(0x24, [1])
            $0.disconnect()
            $0.connect()
            $0.encrypt()
            $0.time += 500_000
            $0.notify(0x24, [1])
            $0.time += 9_000_000
            $0.notify(0x24, [1])
            $0.read(0x15, [1])
        }
        let step = try #require(plan.links.last?.steps.first)
        #expect(text(step) == "subscribe \(Self.tx)")
        #expect(step.sent.map(\.isEarly) == [true, false])
        #expect(plan.links.first?.steps.flatMap(\.sent).map(\.isEarly) == [false])
        #expect(plan.omitted.contains { $0.text.hasPrefix("1 value at the beginning of a link") })
        func later(_ sent: [[UInt8]]) -> [String] {
            differences(plan) { $0.packet == step.packet ? Answer(sent: sent) : nil }
        }
        #expect(later([[1], [1]]).isEmpty && later([[1]]).isEmpty)
        #expect(later([]).count == 1 && later([[2]]).count == 1)
        var comparison = ReplayComparison(plan)
        #expect(!comparison.isComplete(step, onlyAnswers: false))
        comparison.receive([1], from: step.attribute)
        #expect(comparison.isComplete(step, onlyAnswers: false))
    }

    @Test func `what is measured beside a control point is no answer`() throws {
        var builder = CaptureBuilder()
        builder.connect()
        builder.send([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28])
        builder.receive([0x11, 6, 0x10, 0x00, 0x1F, 0x00, 0x16, 0x18])
        builder.send([0x08, 0x10, 0x00, 0x1F, 0x00, 0x03, 0x28])
        builder.receive([0x09, 7, 0x11, 0, 0x10, 0x12, 0, 0x5B, 0x2A, 0x14, 0, 0x28, 0x15, 0, 0x55, 0x2A])
        for value: UInt8 in 1...3 {
            builder.write(0x15, [4])
            builder.notify(0x15, [0x10, 4, 1])
            builder.notify(0x12, [value])
        }
        let plan = try plan(of: builder)
        let steps = try #require(plan.links.first).steps.filter { !$0.sent.isEmpty }
        #expect(steps.map { $0.sent.map(\.attribute.title) } == Array(repeating: ["1816/2A55", "1816/2A5B"], count: 3))
        #expect(steps.map { $0.sent.map(\.isAnswer) } == Array(repeating: [true, false], count: 3))
        // It varies by itself.
        let value = try #require(steps[0].sent[1].value)
        #expect(value.match([9]) == .varied)
    }

    @Test func `all that is about a service can be taken out`() throws {
        let plan = try plan {
            $0.read(0x15, [1])
            $0.write(0x25, [1, 0])
            $0.time += 2_000_000
            $0.notify(0x24, [1])
            $0.time += 3_000_000
            $0.read(0x15, [1])
        }
        var link = try #require(plan.links.first)
        #expect(link.remove(service: "1809") == 2)
        #expect(link.steps.map(text) == ["subscribe \(Self.tx)"])
        #expect(link.steps.map { $0.sent.count } == [1] && link.steps[0].pause < 1)
        link = try #require(plan.links.first)
        let uart = String(Self.tx.split(separator: "/")[0])
        #expect(link.remove(service: uart) == 2)
        #expect(link.steps.map(text) == ["read \(Self.type)", "read \(Self.type)"])
        #expect(link.remove(service: "180A") == 0)
    }

    @Test func `attributes of the same kind have numbers`() throws {
        var builder = CaptureBuilder()
        builder.connect()
        builder.send([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28])
        builder.receive([0x11, 6, 0x10, 0x00, 0x1F, 0x00, 0x0F, 0x18, 0x20, 0x00, 0x2F, 0x00, 0x0F, 0x18])
        for (start, handle) in [(0x10, 0x12), (0x20, 0x22)] {
            builder.send([0x08] + little(start, 2) + little(start + 0xF, 2) + [0x03, 0x28])
            builder.receive([0x09, 7] + little(handle - 1, 2) + [0x02] + little(handle, 2) + [0x19, 0x2A])
        }
        builder.read(0x22, [9])
        builder.read(0x12, [8])
        let steps = try #require(try plan(of: builder).links.first).steps
        #expect(steps.map(\.attribute.title) == ["180F/2A19#2", "180F/2A19#1"])
    }

    @Test func `what cannot be done again is left out and said`() throws {
        var builder = CaptureBuilder()
        builder.connect()
        builder.send([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28])
        builder.receive([0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18, 0x10, 0x00, 0x1F, 0x00, 0x09, 0x18])
        builder.send([0x08, 0x01, 0x00, 0x1F, 0x00, 0x03, 0x28])
        builder.receive([0x09, 7, 0x02, 0x00, 0x02, 0x03, 0x00, 0x00, 0x2A, 0x14, 0x00, 0x02, 0x15, 0x00, 0x1D, 0x2A])
        builder.read(0x03, Array("Room".utf8))
        builder.refuse([0x0A, 0x15, 0x00], 0x0F)
        builder.encrypt()
        builder.read(0x15, [2])
        builder.write(0x42, [7])
        let plan = try plan(of: builder)
        #expect(plan.links.map { $0.steps.map(text) } == [["read \(Self.type)"]])
        let omitted = plan.omitted.map(\.text)
        #expect(omitted.count == 3)
        #expect(omitted[0] == "1 event of the services 1800, which bluetoothd keeps to itself")
        #expect(omitted[1].hasPrefix("1 event of attributes of which the capture has only handles (0x0042)"))
        #expect(omitted[2].hasPrefix("pairing: "))
    }

    @Test func `what a bonded device sends without a subscription is subscribed to`() throws {
        let plan = try plan {
            $0.read(0x15, [1])
            $0.notify(0x24, [5])
        }
        #expect(plan.links.first?.steps.map(text) == ["subscribe \(Self.tx)", "read \(Self.type)"])
    }

    @Test func `a value that came before the answer to a request belongs to that request`() throws {
        let plan = try plan {
            $0.write(0x25, [1, 0])
            $0.send([0x12, 0x22, 0x00, 1])
            $0.notify(0x24, [5])
            $0.receive([0x13])
        }
        #expect(plan.links.first?.steps.map(\.sent.count) == [0, 1])
    }

    // MARK: Differences

    @Test func `each difference has its packet, what was found and what was captured`() throws {
        let plan = try plan {
            $0.read(0x15, [2])
            $0.refuse([0x12, 0x22, 0x00, 7], 0x80)
            $0.write(0x22, [])
        }
        let packets = try #require(plan.links.first).steps.map(\.packet)
        #expect(
            differences(plan) { step in
                switch step.request {
                case .read: Answer(outcome: .success([3]))
                case .write([], hasResponse: true): Answer(outcome: .error(0x03))
                default: Answer(outcome: .success([]))
                }
            } == [
                "packet \(packets[0]): read \(Self.type): 03; in the capture: 02",
                "packet \(packets[1]): write \(Self.rx): success; in the capture: ATT error 0x80",
                "packet \(packets[2]): write \(Self.rx): ATT error 0x03; in the capture: success",
            ])
    }

    @Test func `answers are compared with the writes that they answer`() throws {
        let plan = try plan {
            $0.write(0x25, [1, 0])
            $0.write(0x22, Array("LIST".utf8))
            for value: UInt8 in 1...3 { $0.notify(0x24, [value]) }
        }
        let step = try #require(plan.links.first?.steps.last)
        let packets = step.sent.map(\.packet)
        func found(_ values: [[UInt8]]) -> [String] {
            differences(plan) { $0.sent.isEmpty ? nil : Answer(sent: values) }
        }
        #expect(found([[1], [2], [3]]).isEmpty)
        #expect(found([[1], [9], [3]]) == ["packet \(packets[1]): value \(Self.tx): 09; in the capture: 02"])
        #expect(
            found([[1], [3]]) == [
                "packet \(packets[1]): value \(Self.tx): nothing within 10 s after packet \(step.packet); in the capture: 02"
            ])
        #expect(
            found([[1], [2], [3], [4]]) == ["packet \(step.packet): value \(Self.tx): 04; in the capture: nothing"])
    }

    @Test func `what the device changes by itself may differ, and is counted`() throws {
        let plan = try plan {
            for value: UInt8 in [20, 21] { $0.read(0x15, [0, value, 1]) }
        }
        var comparison = ReplayComparison(plan)
        #expect(differences(plan, &comparison) { _ in Answer(outcome: .success([0, 90, 7])) }.isEmpty)
        #expect(comparison.varied.values.map(\.varied) == [2])
        // The flags and the length do not vary.
        #expect(differences(plan) { _ in Answer(outcome: .success([1, 20, 1])) }.count == 2)
        #expect(differences(plan) { _ in Answer(outcome: .success([0, 20])) }.count == 2)
    }

    @Test func `what changes with a write must be the same`() throws {
        let plan = try plan {
            $0.read(0x15, [20])
            $0.write(0x22, [1])
            $0.read(0x15, [21])
        }
        #expect(differences(plan) { $0.request == .read ? Answer(outcome: .success([20])) : nil }.count == 1)
    }

    @Test func `answers to the same write vary where they do in the capture`() throws {
        let plan = try plan {
            $0.write(0x25, [1, 0])
            for value: UInt8 in 0..<3 {
                $0.write(0x22, [7])
                $0.notify(0x24, [7, value, 0])
            }
        }
        #expect(differences(plan) { $0.sent.isEmpty ? nil : Answer(sent: [[7, 99, 1]]) }.isEmpty)
        #expect(differences(plan) { $0.sent.isEmpty ? nil : Answer(sent: [[8, 1, 0]]) }.count == 3)
    }

    @Test func `answers to the same write may differ in number if they do in the capture`() throws {
        let plan = try plan {
            $0.write(0x25, [1, 0])
            for count in 1...2 {
                $0.write(0x22, [7])
                for _ in 0..<count { $0.notify(0x24, [7]) }
            }
        }
        #expect(differences(plan) { $0.sent.isEmpty ? nil : Answer(sent: []) }.isEmpty)
        #expect(differences(plan) { $0.sent.isEmpty ? nil : Answer(sent: [[7], [7], [7]]) }.isEmpty)
    }

    @Test func `without pauses only answers must come`() throws {
        let plan = try plan {
            $0.write(0x13, [2, 0])
            for value: UInt8 in 0..<5 {
                $0.time += 1_000_000
                $0.receive([0x1D, 0x12, 0x00, value])
            }
            $0.write(0x25, [1, 0])
            $0.write(0x22, [7])
            $0.notify(0x24, [7])
        }
        let silent = { (_: ReplayPlan.Step) -> Answer? in Answer(sent: []) }
        #expect(differences(plan, silent).count == 6)
        #expect(differences(plan, isHurried: true, silent).map { $0.contains(Self.tx) } == [true])
        let step = try #require(plan.links.first?.steps.first)
        let comparison = ReplayComparison(plan)
        #expect(comparison.isComplete(step, onlyAnswers: true) && !comparison.isComplete(step, onlyAnswers: false))
    }

    @Test func `more values than in the capture are no difference if the device sends them by itself`() throws {
        let plan = try plan {
            $0.write(0x25, [1, 0])
            for _ in 0..<3 {
                $0.time += 1_000_000
                $0.notify(0x24, [5])
            }
        }
        #expect(differences(plan) { _ in Answer(sent: [[5], [5], [5], [5]]) }.isEmpty)
        #expect(differences(plan) { _ in Answer(sent: [[5], [6], [5]]) }.count == 1)
    }

    @Test func `a read that the central did not finish is compared as far as it went`() throws {
        let plan = try plan {
            // An MTU of 23 gives 22 bytes at a time.
            $0.read(0x15, [UInt8](repeating: 1, count: 22))
        }
        #expect(differences(plan) { _ in Answer(outcome: .success([UInt8](repeating: 1, count: 40))) }.isEmpty)
        #expect(differences(plan) { _ in Answer(outcome: .success([1])) }.count == 1)
    }
}
