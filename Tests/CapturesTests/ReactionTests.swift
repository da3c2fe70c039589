import Captures
import Dittojay
import Foundation
import TestSupport
import Testing

/// What is taken for an answer to a write, and what is not.
@Suite struct CapturedReactionTests {
    private static let ping = Array("PING".utf8)
    private static let pong = Array("PONG".utf8)

    /// A link on which the central has subscribed to the values.
    private func made(_ body: (inout CaptureBuilder) -> Void) throws -> DeviceImport {
        var builder = CaptureBuilder()
        builder.connect()
        builder.discover()
        builder.write(0x25, [1, 0])
        body(&builder)
        return try imported(builder)
    }

    /// What is written, and what is sent then.
    private struct Reaction: Equatable {
        let match: WriteReaction.Match
        let sent: [[UInt8]]
    }

    private func reactions(_ made: DeviceImport) throws -> [Reaction] {
        let reactions = try profile(made).services[1].characteristics[0].writes?.reactions ?? []
        return reactions.map { reaction in
            guard case .play(let steps) = reaction.outcome else { return Reaction(match: reaction.match, sent: []) }
            let sent = steps.flatMap { step -> [[UInt8]] in
                guard case .send(_, let values, _) = step else { return [] }
                return values
            }
            return Reaction(match: reaction.match, sent: sent)
        }
    }

    private func recorded(_ made: DeviceImport) throws -> [[UInt8]] {
        try profile(made).recording?.values.map(\.bytes) ?? []
    }

    // MARK: Values that nothing has asked for

    @Test func `a device that also sends by itself still answers`() throws {
        let made = try made {
            for _ in 0..<5 {
                $0.write(0x22, Self.ping)
                $0.time += 100_000
                $0.notify(0x24, Self.pong)
                $0.time += 10_000_000
            }
            $0.notify(0x24, [9])
        }
        #expect(try reactions(made) == [Reaction(match: .value(Self.ping), sent: [Self.pong])])
        #expect(try recorded(made) == [[9]])
        #expect(made.report.recognized.contains { $0.text.contains("written to") && $0.text.hasSuffix("5 times") })
    }

    @Test func `an answer ends with the first pause if the device also sends by itself`() throws {
        let made = try made {
            for _ in 0..<5 {
                $0.write(0x22, Self.ping)
                $0.notify(0x24, Self.pong)
                $0.time += 600_000
                $0.notify(0x24, [8])
                $0.time += 10_000_000
            }
            $0.notify(0x24, [9])
        }
        #expect(try reactions(made) == [Reaction(match: .value(Self.ping), sent: [Self.pong])])
        #expect(try recorded(made) == [[8], [8], [8], [8], [8], [9]])
    }

    @Test func `what a device sends whether or not anything is written is no answer`() throws {
        let made = try made {
            for number in 0..<60 {
                if number % 10 == 5 { $0.write(0x22, Self.ping) }
                $0.time += 200_000
                $0.notify(0x24, [7, UInt8(number * number % 251)])
                if number % 10 == 9 { $0.time += 3_000_000 }
            }
        }
        #expect(try reactions(made).isEmpty)
        #expect(try recorded(made).count == 60)
        #expect(made.report.leftOut.contains { $0.text.contains("0x0024: it also sends by itself") })
    }

    // MARK: Answers that differ

    private func answered(_ answers: [[[UInt8]]]) throws -> DeviceImport {
        try made {
            for values in answers {
                $0.write(0x22, Self.ping)
                for value in values { $0.notify(0x24, value) }
                $0.time += 3_000_000
            }
        }
    }

    @Test func `what all answers begin with is a reaction`() throws {
        let made = try answered([[Self.pong, [1]], [Self.pong], [Self.pong, [2]]])
        #expect(try reactions(made) == [Reaction(match: .value(Self.ping), sent: [Self.pong])])
        #expect(try recorded(made) == [[1], [2]])
        #expect(made.report.leftOut.contains { $0.text.contains("what they begin with is a reaction") })
    }

    @Test func `the usual answer is a reaction, which is marked`() throws {
        let made = try answered([[Self.pong], [[1]], [Self.pong], [Self.pong]])
        #expect(try reactions(made) == [Reaction(match: .value(Self.ping), sent: [Self.pong])])
        #expect(try recorded(made) == [[1]])
        #expect(made.profile.lines.contains { $0.hasSuffix("# seen 3 of 4 times") })
        #expect(made.report.guessed.contains { $0.text.contains("3 of 4 times") })
    }

    @Test func `of the usual answer all is sent, and of another one what differs stays in the recording`() throws {
        let made = try answered([[Self.pong, [1]], [Self.pong, [1]], [Self.pong, [2]], [Self.pong, [1]]])
        #expect(try reactions(made) == [Reaction(match: .value(Self.ping), sent: [Self.pong, [1]])])
        #expect(try recorded(made) == [[2]])
    }

    @Test func `one of different answers is a reaction, which is marked`() throws {
        let made = try answered([[[1]], [[2], [2]], [[3]], []])
        #expect(try reactions(made) == [Reaction(match: .value(Self.ping), sent: [[1]])])
        #expect(try recorded(made).isEmpty)
        #expect(made.report.guessed.contains { $0.text.hasSuffix("one of 3 that differ: the others are left out") })
    }

    @Test func `different answers that seldom come stay in the recording`() throws {
        let made = try answered([[[1]], [[2]], []])
        #expect(try reactions(made).isEmpty)
        #expect(try recorded(made) == [[1], [2]])
    }

    // MARK: Patterns

    @Test func `values of different lengths that begin alike become an open pattern`() throws {
        let made = try made {
            for value in [[0x81, 1, 2], [0x81, 1, 3, 4], [0x81, 5]] as [[UInt8]] {
                $0.write(0x22, value)
                $0.notify(0x24, [0, 0x81])
            }
            $0.write(0x22, [0x82, 1])
            $0.notify(0x24, [0, 0x82])
        }
        #expect(
            try reactions(made) == [
                Reaction(match: .pattern(BytePattern("hex:81 *")), sent: [[0, 0x81]]),
                Reaction(match: .value([0x82, 1]), sent: [[0, 0x82]]),
            ])
    }

    @Test func `values that begin like one with another answer become no open pattern`() throws {
        let made = try made {
            for value in [[0x81, 1, 2], [0x81, 1, 3, 4], [0x81, 5]] as [[UInt8]] {
                $0.write(0x22, value)
                $0.notify(0x24, [0, 0x81])
            }
            $0.write(0x22, [0x81])
            $0.notify(0x24, [0, 0x82])
        }
        #expect(try reactions(made).count == 4)
    }
}
