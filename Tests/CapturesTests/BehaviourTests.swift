import Captures
import Dittojay
import Foundation
import TestSupport
import Testing

/// What a device does, and what a central did, become parts of files.
@Suite struct CapturedBehaviourTests {
    private func builder(_ body: (inout CaptureBuilder) -> Void) -> CaptureBuilder {
        var builder = CaptureBuilder()
        builder.connect()
        builder.discover()
        body(&builder)
        return builder
    }

    private func reactions(_ made: DeviceImport) throws -> [WriteReaction] {
        try profile(made).services[1].characteristics[0].writes?.reactions ?? []
    }

    @Test func `an answer that comes again is a reaction, another stays in the recording`() throws {
        let made = try imported(
            builder {
                $0.write(0x25, [1, 0])
                for number in 0..<2 {
                    $0.write(0x22, Array("PING".utf8))
                    $0.time += 200_000
                    $0.notify(0x24, Array("PONG".utf8))
                    $0.write(0x22, Array("TIME".utf8))
                    $0.notify(0x24, [UInt8(number), 1])
                }
            })
        let reactions = try reactions(made)
        #expect(reactions.map(\.match) == [.value(Array("PING".utf8))])
        guard case .play(let steps)? = reactions.first?.outcome else { return #expect(Bool(false), "no steps") }
        #expect(steps.count == 2)
        if case .wait(let seconds) = steps[0] { #expect(abs(seconds - 0.2) < 0.02) }
        let recorded = try #require(try profile(made).recording)
        #expect(recorded.values.map(\.bytes) == [[0, 1], [1, 1]])
        #expect(made.report.leftOut.contains { $0.text.contains("differ in byte 0") })
    }

    @Test func `values that are answered alike become a pattern`() throws {
        let made = try imported(
            builder {
                for value: UInt8 in 1...4 {
                    $0.write(0x22, [0x10, value, 0x03])
                    $0.notify(0x24, [0x10, 0x00])
                }
                $0.write(0x22, [0x20, 0, 0])
                $0.notify(0x24, [0x20])
            })
        let reactions = try reactions(made)
        #expect(try reactions.first?.match == .pattern(BytePattern("hex:10 ?? 03")))
        #expect(reactions.count == 2)
        #expect(made.report.guessed.contains { $0.text.hasSuffix("which was seen once") })
    }

    @Test func `a characteristic that sends back what is written echoes`() throws {
        let made = try imported(
            builder {
                for value: UInt8 in 1...3 {
                    $0.write(0x22, [value])
                    $0.notify(0x24, [value])
                }
            })
        let effects = try profile(made).services[1].characteristics[0].writes?.effects ?? []
        #expect(effects.count == 1)
        if case .echo(let path)? = effects.first {
            #expect(path.characteristic == "6e400003-b5a3-f393-e0a9-e50e24dcca9e")
        }
    }

    @Test func `values that count are counted`() throws {
        let made = try imported(
            builder {
                $0.write(0x25, [1, 0])
                for number in 250..<262 {
                    $0.time += 99_000
                    $0.notify(0x24, [0xA0] + little(number, 2))
                }
            })
        let plan = try #require(try profile(made).services[1].characteristics[1].notifications)
        #expect(plan.interval == 0.1)
        #expect(plan.source == .counter(.init(number: .u16, first: 250, step: 1, prefix: [0xA0])))
        #expect(try profile(made).recording == nil)
    }

    @Test func `times of a recording count from the last subscription`() throws {
        let made = try imported(
            builder {
                $0.write(0x13, [2, 0])
                $0.write(0x25, [1, 0])
                $0.time += 249_000
                $0.notify(0x24, [9, 9])
                $0.time += 999_000
                $0.receive([0x1D, 0x12, 0x00, 1])
            })
        let values = try #require(try profile(made).recording).values
        #expect(values.map { ($0.time * 100).rounded() / 100 } == [0.25, 1.25])
        #expect(values.map(\.bytes) == [[9, 9], [1]])
    }

    @Test func `without a subscription to everything, times of a recording count from when it would begin`() throws {
        func times(_ pause: Int64, _ body: (inout CaptureBuilder) -> Void = { _ in }) throws -> [Double] {
            let made = try imported(
                builder {
                    $0.write(0x25, [1, 0])
                    body(&$0)
                    $0.time += pause - 1_000
                    $0.notify(0x24, [9, 9])
                    $0.time += 999_000
                    $0.notify(0x24, [1])
                })
            return try profile(made).recording?.values.map { ($0.time * 100).rounded() / 100 } ?? []
        }
        #expect(try times(1_250_000) == [0.25, 1.25])
        #expect(try times(250_000) == [0, 1])
        #expect(
            try times(1_250_000) {
                $0.time += 499_000
                $0.write(0x13, [2, 0])
            } == [1.25, 2.25])
    }

    /// A link of a bonded host, which has subscribed to the battery's level before.
    private func bonded(_ body: (inout CaptureBuilder) -> Void) -> CaptureBuilder {
        builder {
            $0.send([0x10, 0x30, 0x00, 0xFF, 0xFF, 0x00, 0x28])
            $0.receive([0x11, 6, 0x30, 0, 0x33, 0, 0x0F, 0x18])
            $0.send([0x08, 0x30, 0, 0x33, 0, 0x03, 0x28])
            $0.receive([0x09, 7, 0x31, 0, 0x12, 0x32, 0, 0x19, 0x2A])
            $0.encrypt()
            $0.notify(0x32, [0x63])
            body(&$0)
        }
    }

    @Test func `a recording does not begin with a battery level, which hosts subscribe to by themselves`() throws {
        let made = try imported(
            bonded {
                $0.time += 90_000
                $0.write(0x13, [2, 0])
                $0.write(0x25, [1, 0])
                $0.time += 249_000
                $0.notify(0x24, [9, 9])
                $0.time += 999_000
                $0.notify(0x32, [0x62])
            })
        let values = try #require(try profile(made).recording).values
        #expect(values.map { ($0.time * 100).rounded() / 100 } == [0.25, 1.25])
        #expect(values.map(\.bytes) == [[9, 9], [0x62]])
        #expect(made.report.leftOut.contains { $0.text.hasPrefix("1 battery level sent before the subscription") })
    }

    @Test func `a value that each link begins with is sent for each subscription, and is in no recording`() throws {
        func made(_ body: (inout CaptureBuilder) -> Void) throws -> PeripheralProfile {
            var builder = bonded { $0.disconnect() }
            builder.connect()
            builder.encrypt()
            builder.notify(0x32, [0x62])
            builder.write(0x25, [1, 0])
            builder.notify(0x24, [9, 9])
            body(&builder)
            return try profile(imported(builder))
        }
        let plan = try #require(try made { _ in }.services[2].characteristics[0].notifications)
        #expect(plan.source == .list([[0x63], [0x62]], repeats: true) && plan.interval == 3600)
        #expect(try made { _ in }.recording?.values.map(\.bytes) == [[9, 9]])
        let other = try made {
            $0.time += 10_000_000
            $0.notify(0x32, [0x61])
        }
        #expect(other.services[2].characteristics[0].notifications == nil)
        #expect(other.recording?.values.map(\.bytes) == [[9, 9], [0x61]])
    }

    @Test func `battery levels alone are a recording`() throws {
        let values = try #require(try profile(imported(bonded { _ in })).recording).values
        #expect(values.map(\.bytes) == [[0x63]])
    }

    @Test func `errors become faults only if asked for`() throws {
        let builder = builder {
            $0.refuse([0x0A, 0x15, 0x00], 0x81)
            $0.refuse([0x0A, 0x15, 0x00], 0x81)
            $0.read(0x15, [1])
        }
        let plain = try imported(builder)
        #expect(try profile(plain).services[0].characteristics[1].faults.isEmpty)
        #expect(plain.report.leftOut.contains { $0.text.contains("ATT error 0x81 to 2 reads") })
        let faulty = try profile(imported(builder, faults: true)).services[0].characteristics[1].faults
        #expect(faulty == [Fault(on: .read, .error(0x81), skip: 0, times: 2)])
    }

    @Test func `a read that was always refused is refused, and the scenario expects that`() throws {
        let made = try imported(
            builder {
                $0.refuse([0x0A, 0x15, 0x00], 0x80)
                $0.refuse([0x0A, 0x15, 0x00], 0x80)
            })
        #expect(try profile(made).services[0].characteristics[1].faults == [Fault(on: .read, .error(0x80))])
        #expect(made.report.recognized.contains { $0.text.hasPrefix("ATT error 0x80 to 2 reads of Temperature Type") })
        #expect(
            try scenario(made).contains(
                "  - expect: {occasion: read, on: temperature-type, att-error: 0x80, times: 2}"))
        let lines = made.profile.lines
        let place = try #require(lines.firstIndex { $0.contains("temperature-type") })
        #expect(!lines[place - 1].contains("#"))
    }

    @Test func `a value that is refused each time while others are taken is refused, and the scenario expects that`()
        throws
    {
        let made = try imported(
            builder {
                $0.refuse([0x12, 0x22, 0x00, 2], 0x80)
                $0.write(0x22, [1])
                $0.refuse([0x12, 0x22, 0x00, 2], 0x80)
                // These depend on what was before.
                $0.refuse([0x12, 0x22, 0x00, 1], 0xFE)
                $0.refuse([0x12, 0x22, 0x00, 3], 0xFD)
                $0.refuse([0x12, 0x22, 0x00, 4], 0x81)
                $0.write(0x22, [4])
            })
        let lines = made.profile.lines
        let place = try #require(lines.firstIndex { $0.contains("refuse:") })
        #expect(
            lines[(place - 2)...place] == [
                "          when:", "            - value: hex:02  # seen 2 times", "              refuse: 0x80",
            ])
        #expect(lines.count { $0.contains("refuse:") } == 1)
        #expect(try profile(made).services[1].characteristics[0].faults.isEmpty)
        #expect(made.report.recognized.contains { $0.text.hasPrefix("ATT error 0x80 to 02 written to") })
        let rx = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
        #expect(
            try scenario(made).contains(
                "  - expect: {occasion: written, on: \(rx), value: hex:02, att-error: 0x80}"))
    }

    @Test func `a scenario expects what the central did`() throws {
        var builder = CaptureBuilder()
        builder.session()
        let rx = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
        #expect(
            try scenario(imported(builder)) == [
                "# What the central did. Times are twice as long as they were, and at least 10 s.", "scenario:",
                "  - expect: {occasion: connected, within: 60 s}",
                "  - expect: {occasion: read, on: temperature-type}",
                "  - expect: {occasion: subscribed, on: 6E400003-B5A3-F393-E0A9-E50E24DCCA9E}",
                "  - expect: {occasion: written, on: \(rx), value: hex:50494e47, times: 2}",
                "  - expect: {occasion: subscribed, on: temperature-measurement}",
                "  - wait: 1.508 s", "  - disconnect", "  - expect: {occasion: disconnected}",
            ])
    }

    @Test(arguments: [(0x13, true), (0x16, false), (0x08, true)])
    func `a scenario ends a link that the central did not end`(reason: UInt8, isEnded: Bool) throws {
        let made = try imported(
            builder {
                $0.write(0x25, [1, 0])
                $0.time += 3_000_000
                $0.disconnect(reason: reason)
            })
        let end = ["  - expect: {occasion: disconnected}"]
        let lines = try scenario(made).drop { !$0.contains("subscribed") }.dropFirst()
        #expect(Array(lines) == (isEnded ? ["  - wait: 3.002 s", "  - disconnect"] + end : end))
    }

    @Test func `a link of which only its end was captured has no fault, and may end after any time`() throws {
        var late = CaptureBuilder()
        late.discover()
        late.disconnect()
        for faults in [false, true] {
            #expect(try scenario(imported(late, faults: faults)).contains("  - disconnect"))
        }
        let long = builder {
            $0.write(0x25, [1, 0])
            $0.time += 200_000_000_000
            $0.disconnect()
        }
        #expect(try scenario(imported(long)).contains("  - wait: 86400 s"))
    }

    @Test func `a link that ends instead of an answer is a fault where these are wanted`() throws {
        let builder = builder {
            $0.send([0x0A, 0x15, 0x00])
            $0.disconnect()
        }
        let made = try imported(builder, faults: true)
        #expect(made.profile.lines.contains { $0.contains("{on: read, disconnect: true}") })
        #expect(try !scenario(made).contains("  - disconnect"))
        #expect(try scenario(imported(builder)).contains("  - disconnect"))
    }

    @Test func `what differed between links may differ`() throws {
        var builder = CaptureBuilder()
        for link in 0..<2 {
            builder.connect()
            if link == 0 { builder.discover() }
            builder.write(link == 0 ? 0x25 : 0x13, [link == 0 ? 1 : 2, 0])
            builder.write(link == 0 ? 0x13 : 0x25, [link == 0 ? 2 : 1, 0])
            builder.time += link == 0 ? 0 : 20_000_000
            builder.write(0x22, [UInt8(link), 7])
            builder.disconnect(reason: 0x16)
        }
        let lines = try scenario(imported(builder))
        #expect(
            Array(lines.dropFirst(2)) == [
                "  - repeat:", "      times: 2", "      steps:",
                "        - expect: {occasion: connected, within: 60 s}", "        - expect:",
                "            in-any-order:",
                "              - {occasion: subscribed, on: 6E400003-B5A3-F393-E0A9-E50E24DCCA9E}",
                "              - {occasion: subscribed, on: temperature-measurement}",
                "        - expect: {occasion: written, on: 6E400002-B5A3-F393-E0A9-E50E24DCCA9E, within: 41 s}",
                "        - expect: {occasion: disconnected}",
            ])
    }

    @Test func `subscriptions that end one after another may end in any order`() throws {
        let builder = builder {
            for handle in [0x25, 0x13] { $0.write(handle, [handle == 0x25 ? 1 : 2, 0]) }
            for handle in [0x25, 0x13] { $0.write(handle, [0, 0]) }
        }
        let lines = try scenario(imported(builder))
        #expect(
            lines.suffix(4) == [
                "  - expect:", "      in-any-order:",
                "        - {occasion: unsubscribed, on: 6E400003-B5A3-F393-E0A9-E50E24DCCA9E}",
                "        - {occasion: unsubscribed, on: temperature-measurement}",
            ])
        let alone = try scenario(imported(self.builder { for value: UInt8 in [1, 0] { $0.write(0x25, [value, 0]) } }))
        #expect(alone.contains("  - expect: {occasion: unsubscribed, on: 6E400003-B5A3-F393-E0A9-E50E24DCCA9E}"))
    }

    private static let rx = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"

    /// A link on which 10 values are written.
    private func writing(length: Int = 2, pause: Int64 = 1_000_000, isAnswered: Bool = true) throws -> DeviceImport {
        try imported(
            builder {
                $0.write(0x25, [1, 0])
                for number: UInt8 in 1...10 {
                    $0.write(0x22, [number] + [UInt8](repeating: 7, count: length - 1))
                    if isAnswered { $0.notify(0x24, [number, 9]) }
                    $0.time += pause
                }
            })
    }

    @Test func `a scenario expects each value of a dialogue`() throws {
        let lines = try scenario(writing())
        #expect(lines.count { $0.contains("occasion: written, on: \(Self.rx), value: hex:") } == 10)
        #expect(lines.contains("  - expect: {occasion: written, on: \(Self.rx), value: hex:0a07}"))
    }

    @Test func `a scenario counts the writes of a transfer, and the report says that`() throws {
        for made in [try writing(pause: 100_000, isAnswered: false), try writing(length: 20, pause: 100_000)] {
            let lines = try scenario(made).filter { $0.contains("occasion: written") }
            #expect(lines.count == 1 && lines[0].contains("occasion: written, on: \(Self.rx), times: 10"))
            let report = try #require(made.scenario).report
            #expect(report.leftOut.contains { $0.text.hasPrefix("10 different values of 10 writes") })
        }
    }

    @Test func `commands that nothing answers are no transfer if they come at times or repeat`() throws {
        let seldom = try scenario(writing(pause: 5_000_000, isAnswered: false))
        #expect(seldom.count { $0.contains("occasion: written, on: \(Self.rx), value: hex:") } == 10)
        // A button that is held, and then stop.
        let held = builder {
            for _ in 0..<4 {
                for command: UInt8 in [1, 1, 1, 2, 1, 1, 0] {
                    $0.send([0x52, 0x22, 0x00, 0x5A, command])
                    $0.time += 100_000
                }
                $0.time += 1_500_000
            }
        }
        let lines = try scenario(imported(held)).filter { $0.contains("occasion: written") }
        #expect(lines.count == 16 && lines.allSatisfy { $0.contains("value: hex:5a0") })
    }

    @Test func `a pause separates a transfer from commands`() throws {
        let builder = builder {
            for number: UInt8 in 1...5 {
                $0.send([0x52, 0x22, 0x00, 0x5A, number])
                $0.time += 4_000_000
            }
            for number: UInt8 in 1...12 {
                $0.send([0x52, 0x22, 0x00, 0xA5, number])
                $0.time += 50_000
            }
        }
        let lines = try scenario(imported(builder)).filter { $0.contains("occasion: written") }
        #expect(lines.count == 6 && lines[5].contains("times: 12"))
    }

    private func glucose(_ response: [UInt8], isEarly: Bool = false) -> CaptureBuilder {
        var builder = CaptureBuilder()
        builder.connect()
        builder.send([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28])
        builder.receive([0x11, 6, 0x10, 0x00, 0x1F, 0x00, 0x08, 0x18])
        builder.send([0x08, 0x10, 0x00, 0x1F, 0x00, 0x03, 0x28])
        builder.receive(
            [0x09, 7, 0x11, 0, 0x10, 0x12, 0, 0x18, 0x2A, 0x14, 0, 0x10, 0x15, 0, 0x34, 0x2A]
                + [0x17, 0, 0x02, 0x18, 0, 0x51, 0x2A, 0x19, 0, 0x28, 0x1A, 0, 0x52, 0x2A])
        builder.send([0x12, 0x1A, 0x00, 1, 1])
        if !isEarly { builder.receive([0x13]) }
        builder.notify(0x12, [0, 1, 0])
        builder.receive([0x1D, 0x1A, 0x00] + response)
        if isEarly { builder.receive([0x13]) }
        builder.send([0x1E])
        return builder
    }

    @Test func `a control point may indicate its response before it answers the write`() throws {
        let made = try imported(glucose([6, 0, 1, 1], isEarly: true))
        #expect(try profile(made).services.map(\.standard) == [.glucose])
    }

    @Test func `a control point that behaves as its specification says is the standard service's`() throws {
        let made = try imported(glucose([6, 0, 1, 1]))
        #expect(try profile(made).services.map(\.standard) == [.glucose])
        #expect(made.report.recognized.contains { $0.text.hasPrefix("the procedures 0x01 of a control point") })
        let other = try imported(glucose([9, 9]))
        #expect(try profile(other).services.map(\.standard) == [nil])
        #expect(other.report.leftOut.contains { $0.text.contains("0909 is not a response to 0101") })
    }
}
