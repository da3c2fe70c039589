import Foundation
import MainLoop
import TestSupport
import Testing

@testable import DBus

@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct ValueTests {
    let service: EchoService
    let client: BusConnection
    let bus: PrivateBus

    init() async throws {
        bus = try await .start()
        service = try EchoService(bus)
        client = try bus.connect()
    }

    /// `value` after a way over the bus and back.
    func echo(_ value: BusValue) async throws -> BusValue {
        let reply = try await client.call(service.call("Echo", [.variant(value)]))
        guard case .variant(let answer)? = reply.arguments.first, reply.arguments.count == 1 else {
            throw DeadlineMissed(what: "a variant")
        }
        return answer
    }

    nonisolated static let samples: [BusValue] = [
        .byte(0), .byte(255), .boolean(true), .boolean(false), .int16(.min), .int16(.max), .uint16(.max),
        .int32(.min), .int32(.max), .uint32(.max), .int64(.min), .int64(.max), .uint64(.max), .double(-0.5),
        .double(.infinity), .string(""), .string("Grüße, 心拍 ♥ \u{10FFFF}"),
        .objectPath(.root), .objectPath(path("/org/bluez/hci0")), .signature(signature("")),
        .signature(signature("a{sv}(ii)")), .bytes(Data()), .bytes(Data([0, 1, 255])),
        .bytes(Data([9, 1, 2, 9]).dropFirst().dropLast()), .array([], of: signature("s")),
        .array([], of: signature("a{sv}")), .array([], of: signature("(sa{oa{sv}})")),
        .array([.boolean(true)], of: signature("b")),
        .array([.string("a"), .string("b")], of: signature("s")),
        .array([.bytes(Data([1])), .bytes(Data())], of: signature("ay")),
        .array([.variant(.byte(1)), .variant(.string("two"))], of: signature("v")),
        .structure([.byte(1), .string("two"), .structure([.bytes(Data([3]))])]),
        .dictionary([:], key: signature("s"), value: signature("v")),
        .dictionary([:], key: signature("o"), value: signature("a{sa{sv}}")),
        .dictionary([.uint16(0x004C): .variant(.bytes(Data([2, 21])))], key: signature("q"), value: signature("v")),
        .dictionary(
            [.byte(1): .array([.structure([.int64(-1), .double(2)])], of: signature("(xd)"))], key: signature("y"),
            value: signature("a(xd)")),
        .variant(.variant(.variant(.string("deep")))),
    ]

    @Test func `every type comes back as it went`() async throws {
        for value in Self.samples { #expect(try await echo(value) == value) }
    }

    @Test func `a megabyte comes back as it went`() async throws {
        let data = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        #expect(try await echo(.bytes(data)) == .bytes(data))
        let text = String(repeating: "x", count: 70_000)
        #expect(try await echo(.string(text)) == .string(text))
    }

    @Test func `random values come back as they went`() async throws {
        var random = RandomValues(seed: 0x5EED)
        for number in 0..<400 {
            let value = random.value()
            #expect(try await echo(value) == value, "value number \(number)")
        }
    }

    @Test func `nesting is sent up to the limit of the specification and refused beyond`() async throws {
        func nested(_ depth: Int) -> BusValue {
            (0..<depth).reduce(BusValue.byte(1)) { inner, _ in .variant(inner) }
        }
        // `echo` adds one.
        #expect(try await echo(nested(63)) == nested(63))
        for depth in [64, 65, 500] {
            let error = try await busError { try await echo(nested(depth)) }
            guard case .invalidValue = error else { throw error }
        }
        func structure(_ depth: Int) -> BusValue {
            (0..<depth).reduce(BusValue.byte(1)) { inner, _ in .structure([inner]) }
        }
        #expect(try await echo(structure(32)) == structure(32))
        guard case .invalidValue = try await busError({ try await echo(structure(33)) }) else {
            throw DeadlineMissed(what: "a refusal")
        }
        #expect(client.isConnected)
    }

    nonisolated static let unsendable: [BusValue] = [
        .string("zero \0 byte"), .structure([]), .variant(.structure([])), .array([.byte(1)], of: signature("s")),
        .array([], of: signature("")), .array([], of: signature("ss")),
        .array([.array([.int32(1)], of: signature("s"))], of: signature("as")),
        .dictionary([.string("a"): .byte(1)], key: signature("s"), value: signature("v")),
        .dictionary([:], key: signature("v"), value: signature("v")),
        .dictionary([:], key: signature("(s)"), value: signature("v")),
        .dictionary([:], key: signature("s"), value: signature("")),
        .dictionary([.string("a\0"): .byte(1)], key: signature("s"), value: signature("y")),
        .structure([.string("fine"), .variant(.array([.string("\0")], of: signature("s")))]),
        .fileDescriptor(BusFileDescriptor(owning: -1)), .bytes(Data(count: (64 << 20) + 1)),
    ]

    @Test func `what D-Bus cannot carry is an error and nothing is sent`() async throws {
        for value in Self.unsendable {
            let error = try await busError { try await echo(value) }
            guard case .invalidValue = error else { throw error }
            #expect(throws: BusError.self) {
                try client.emit("Changed", of: "org.example.Echo", from: .root, arguments: [value])
            }
        }
        try await client.fence()
        #expect(service.count == 0)
    }

    @Test func `arguments beyond the length of a signature are refused`() async throws {
        let many = Array(repeating: BusValue.byte(1), count: 256)
        for arguments in [many, [.structure(many)], [.variant(.structure(many))]] {
            let error = try await busError { try await client.call(service.call("Echo", arguments)) }
            guard case .invalidValue = error else { throw error }
        }
        let remote = try await busError {
            try await client.call(service.call("Echo", Array(repeating: .byte(1), count: 255)))
        }
        #expect(remote.name == "org.freedesktop.DBus.Error.InvalidArgs")
    }

    @Test func `Swift types are written and read`() async throws {
        func check<T: BusType & Equatable>(_ value: T) async throws {
            #expect(value.busValue.signature == T.busSignature)
            let answer = try await echo(value.busValue)
            #expect(try answer.decode(as: T.self, place: "the answer") == value)
        }
        try await check(UInt8(1))
        try await check(true)
        try await check(Int16(-2))
        try await check(UInt16(3))
        try await check(Int32(-4))
        try await check(UInt32(5))
        try await check(Int64(-6))
        try await check(UInt64(7))
        try await check(8.5)
        try await check("nine")
        try await check(path("/ten"))
        try await check(signature("a{sv}"))
        try await check(Data([12]))
        try await check([UInt8]([13, 14]))
        try await check([String]())
        try await check(["a", "b"])
        try await check(["a": ["b": Data([1])]])
        try await check([path("/o"): ["org.example.A": [Int32]()]])
        try await check([UInt16: Data]())
    }

    @Test func `a type is read through variants and nothing else is taken for it`() throws {
        #expect(String(busValue: .variant(.variant(.string("a")))) == "a")
        #expect([String](busValue: .array([.variant(.string("a"))], of: signature("v"))) == ["a"])
        #expect(UInt16(busValue: .int16(1)) == nil)
        #expect(Int64(busValue: .int32(1)) == nil)
        #expect(String(busValue: .objectPath(.root)) == nil)
        #expect([String](busValue: .array([], of: signature("i"))) == nil)
        #expect([String: String](busValue: .dictionary([:], key: signature("s"), value: signature("i"))) == nil)
        #expect([String: BusValue](busValue: .dictionary([:], key: signature("s"), value: signature("i"))) == [:])
        #expect([String](busValue: .bytes(Data())) == nil)
        #expect([UInt8](busValue: .bytes(Data([1]))) == [1])
        #expect([UInt16](busValue: .bytes(Data([1]))) == nil)
        #expect(throws: BusError.unexpectedType(expected: "s", actual: "u", in: "org.example.Name")) {
            try BusValue.variant(.uint32(1)).decode(as: String.self, place: "org.example.Name")
        }
    }

    @Test func `a descriptor is passed and no copy of it stays open`() async throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let reader = ends[0]
        defer { close(reader) }
        // The writing end goes to the service and back; what comes back is another descriptor of the same pipe.
        var answer: BusValue? = try await echo(.fileDescriptor(BusFileDescriptor(owning: ends[1])))
        guard case .fileDescriptor(let descriptor)? = answer else { throw DeadlineMissed(what: "a descriptor") }
        let writer = try #require(descriptor.take())
        answer = nil
        #expect(fcntl(writer, F_GETFD) & FD_CLOEXEC != 0)
        #expect(write(writer, "hello", 5) == 5)
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(reader, &bytes, 16) == 5)
        #expect(bytes.prefix(5) == [104, 101, 108, 108, 111])
        close(writer)
        // The end of the file comes when the last copy is closed: the service's, the daemon's and libdbus's, too.
        let ended = AwaitedValues<Int>()
        let source = LoopSource.descriptor(reader, .readable) { _ in ended.put(read(reader, &bytes, 16)) }
        #expect(try await ended.next() == 0)
        source.cancel()
    }

    @Test func `paths and signatures are checked`() {
        for good in ["/", "/a", "/org/bluez/hci0/dev_00_11"] { #expect(ObjectPath(good)?.string == good) }
        for bad in ["", "a", "//", "/a/", "/a//b", "/a-b", "/ä", "/a\0", "/\0"] { #expect(ObjectPath(bad) == nil) }
        for good in ["", "y", "a{sv}", "(ii)(ss)", "aav"] { #expect(Signature(good)?.string == good) }
        for bad in ["a", "(", "()", "{sv}", "a{vs}", "z", "s\0"] { #expect(Signature(bad) == nil) }
        #expect(path("/a").appending("b-c/d").string == "/a/b_c_d")
        #expect(ObjectPath.root.appending("").string == "/_")
        #expect(path("/a/b").parent == path("/a"))
        #expect(path("/a").parent == .root)
        #expect(ObjectPath.root.parent == nil)
        #expect(path("/a/b").lastElement == "b")
        #expect(ObjectPath.root.lastElement == "")
        #expect(path("/a/b").isSameOrBelow(path("/a")))
        #expect(!path("/ab").isSameOrBelow(path("/a")))
    }
}

/// Values of random types, from a seed.
private struct RandomValues {
    private var dice: Dice

    init(seed: UInt64) { dice = Dice(state: seed) }

    private mutating func next() -> UInt64 { dice.next() }

    private mutating func below(_ limit: UInt64) -> Int { Int(next() % limit) }

    mutating func value() -> BusValue { value(of: type(depth: 0)) }

    private indirect enum Kind {
        case basic(Int)
        case bytes
        case variant
        case array(Kind)
        case structure([Kind])
        case dictionary(Int, Kind)

        var text: String {
            switch self {
            case .basic(let number): ["y", "b", "n", "q", "i", "u", "x", "t", "d", "s", "o", "g"][number]
            case .bytes: "ay"
            case .variant: "v"
            case .array(let element): "a" + element.text
            case .structure(let fields): "(" + fields.map(\.text).joined() + ")"
            case .dictionary(let key, let value): "a{" + Kind.basic(key).text + value.text + "}"
            }
        }
    }

    private mutating func type(depth: Int) -> Kind {
        switch below(depth < 5 ? 9 : 4) {
        case 0...2: return .basic(below(12))
        case 3: return .bytes
        case 4, 5:
            let element = type(depth: depth + 1)
            // Bytes in an array are a value of their own kind.
            if case .basic(0) = element { return .bytes }
            return .array(element)
        case 6: return .structure((0...below(4)).map { _ in type(depth: depth + 1) })
        case 7: return .dictionary(below(12), type(depth: depth + 1))
        default: return .variant
        }
    }

    private mutating func value(of kind: Kind, depth: Int = 0) -> BusValue {
        switch kind {
        case .basic(let number): return basic(number)
        case .bytes: return .bytes(Data((0..<below(40)).map { _ in UInt8(truncatingIfNeeded: next()) }))
        case .variant: return .variant(depth < 3 ? value(of: type(depth: 3), depth: depth + 1) : basic(below(12)))
        case .array(let element):
            return .array((0..<below(4)).map { _ in value(of: element, depth: depth + 1) }, of: signature(element.text))
        case .structure(let fields): return .structure(fields.map { value(of: $0, depth: depth + 1) })
        case .dictionary(let key, let content):
            var entries: [BusValue: BusValue] = [:]
            for _ in 0..<below(4) { entries[basic(key)] = value(of: content, depth: depth + 1) }
            return .dictionary(entries, key: signature(Kind.basic(key).text), value: signature(content.text))
        }
    }

    private mutating func basic(_ number: Int) -> BusValue {
        let bits = next()
        switch number {
        case 0: return .byte(UInt8(truncatingIfNeeded: bits))
        case 1: return .boolean(bits & 1 == 1)
        case 2: return .int16(Int16(truncatingIfNeeded: bits))
        case 3: return .uint16(UInt16(truncatingIfNeeded: bits))
        case 4: return .int32(Int32(truncatingIfNeeded: bits))
        case 5: return .uint32(UInt32(truncatingIfNeeded: bits))
        case 6: return .int64(Int64(truncatingIfNeeded: bits))
        case 7: return .uint64(bits)
        case 8: return .double(Double(Int64(bitPattern: bits)) / 1e6)
        case 9:
            let letters = (0..<below(20)).map { _ in ["a", "é", "♥", "𝄞", " ", "'", "\n"][below(7)] }
            return .string(letters.joined())
        case 10: return .objectPath((0..<below(4)).reduce(.root) { path, _ in path.appending("e\(below(100))") })
        default: return .signature(signature(["", "y", "a{sv}", "(ss)", "ayay"][below(5)]))
        }
    }
}
