import Testing

@testable import VirtualRadio

@Suite struct KeyTests {
    /// The sample data of the Core Specification, Vol 2 Part G, 7.1.2.
    private enum Sample {
        static let secrets = [
            "3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd",
            "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd",
        ]
        static let points = [
            (
                "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6",
                "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b"
            ),
            (
                "1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190",
                "4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a"
            ),
        ]
        static let shared = "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"
    }

    private func words(_ text: String) throws -> FieldElement.Words {
        var words = FieldElement.Words.zero
        for place in 0..<4 {
            let digits = text.dropFirst(16 * (3 - place)).prefix(16)
            words[place] = try #require(UInt64(digits, radix: 16))
        }
        return words
    }

    private func point(_ number: Int) throws -> P256.Point {
        let (x, y) = Sample.points[number]
        return P256.Point(x: FieldElement(try words(x)), y: FieldElement(try words(y)))
    }

    @Test func `keys are those of the specification's sample data`() throws {
        let shared = FieldElement(try words(Sample.shared))
        for number in 0...1 {
            let secret = try words(Sample.secrets[number])
            let own = try point(number)
            #expect(own.isOnCurve)
            #expect(P256.multiply(P256.generator, secret) == own)
            #expect(P256.multiply(try point(1 - number), secret)?.x == shared)
        }
    }

    @Test func `the multiples of a point are those of its sums`() {
        let order: FieldElement.Words = [
            0xF3B9_CAC2_FC63_2551, 0xBCE6_FAAD_A717_9E84, 0xFFFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_0000_0000,
        ]
        #expect(P256.multiply(P256.generator, [1, 0, 0, 0]) == P256.generator)
        #expect(P256.multiply(P256.generator, [0, 0, 0, 0]) == nil)
        #expect(P256.multiply(P256.generator, order) == nil)
        #expect(P256.multiply(P256.generator, order &+ [1, 0, 0, 0]) == P256.generator)
        let six = P256.multiply(P256.generator, [6, 0, 0, 0])
        let three = P256.multiply(P256.generator, [3, 0, 0, 0])
        #expect(three.flatMap { P256.multiply($0, [2, 0, 0, 0]) } == six && six?.isOnCurve == true)
    }

    @Test(arguments: [ControllerKind.v4_2, .v5_3])
    func `two controllers find the same key`(kind: ControllerKind) {
        let radio = Radio(seed: 1)
        let hosts = (0...1).map { TestHost(radio, kind, number: UInt8($0)) }
        var keys: [[UInt8]] = []
        for host in hosts {
            host.wantAllEvents()
            #expect(host.status(0x2026, [UInt8](repeating: 0, count: 64)) == 0x0C, "it has no key yet")
            let events = host.command(0x2025)
            #expect(events.first == [0x0F, 4, 0, 1, 0x25, 0x20] && events.count == 2)
            let event = events.last ?? []
            #expect(event.prefix(4) == [0x3E, 66, 0x08, 0])
            keys.append(Array(event.dropFirst(4)))
        }
        let shared = zip(hosts, keys.reversed()).map { host, key in host.command(0x2026, key).last ?? [] }
        #expect(shared[0] == shared[1] && shared[0].prefix(4) == [0x3E, 34, 0x09, 0] && shared[0].count == 36)
        var wrong = keys[0]
        wrong[0] ^= 1
        #expect(hosts[1].status(0x2026, wrong) == 0x12, "it is no point of the curve")
        #expect(hosts[1].status(0x2026, [UInt8](repeating: 0xFF, count: 64)) == 0x12)
    }
}
