import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
@LoopActor
struct ExportTests {
    static let interface = "org.example.Sensor"
    static let properties = "org.freedesktop.DBus.Properties"

    let service: BusConnection
    let client: BusConnection
    let bus: PrivateBus
    let place = path("/org/example/sensor")
    private let state = State()

    @LoopActor
    private final class State {
        var alias = "one"
        var location: UInt8? = 3
        nonisolated init() {}
    }

    init() async throws {
        bus = try await .start()
        service = try bus.connect()
        client = try bus.connect()
        try service.export([sensor()], at: place)
    }

    private func sensor() -> ExportedInterface {
        // Not `self`, which holds the connection that holds these closures.
        let state = state
        return ExportedInterface(
            Self.interface,
            methods: [
                ExportedMethod(
                    "WriteValue",
                    inputs: [
                        ExportedArgument("value", Data.self), ExportedArgument("options", [String: BusValue].self),
                    ],
                    outputs: [ExportedArgument("length", UInt32.self)]
                ) { invocation in
                    do {
                        let value: Data = try invocation.argument(0)
                        let options: [String: BusValue] = try invocation.argument(1)
                        guard options["offset"].flatMap(UInt16.init(busValue:)) == 2 else {
                            throw MethodFailure.invalidArguments("no offset")
                        }
                        invocation.reply([.uint32(UInt32(value.count))])
                    } catch {
                        invocation.fail(error as? MethodFailure ?? .invalidArguments("\(error)"))
                    }
                },
                ExportedMethod("WrongIndex") { invocation in
                    do throws(MethodFailure) {
                        invocation.reply([try invocation.argument(5, as: String.self).busValue])
                    } catch { invocation.fail(error) }
                },
            ],
            properties: [
                ExportedProperty("Alias", get: { state.alias }) { (alias: String) in
                    guard alias != "forbidden" else {
                        throw MethodFailure(name: "org.example.Error.Forbidden", message: "that one")
                    }
                    guard alias != "broken" else { throw BusError.outOfMemory }
                    state.alias = alias
                },
                ExportedProperty("Location", get: { state.location }),
                ExportedProperty("Data", get: { ["a": BusValue.bytes(Data([1]))] }),
            ],
            signals: [ExportedSignal("Beat", arguments: [ExportedArgument("rate", UInt16.self)])])
    }

    private func call(
        _ method: String, _ arguments: [BusValue], of interface: String = interface, at place: ObjectPath? = nil
    )
        async throws -> MethodReply
    {
        try await client.call(
            MethodCall(
                destination: service.uniqueName, path: place ?? self.place, interface: interface, method: method,
                arguments: arguments))
    }

    private func errorName(
        _ method: String, _ arguments: [BusValue], of interface: String = interface, at place: ObjectPath? = nil
    )
        async throws -> String?
    {
        try await busError { try await call(method, arguments, of: interface, at: place) }.name
    }

    // MARK: Methods

    @Test func `a method gets its arguments`() async throws {
        let options: [String: BusValue] = ["offset": .uint16(2)]
        let reply = try await call("WriteValue", [.bytes(Data(count: 512)), options.busValue])
        #expect(try reply.first(as: UInt32.self) == 512)
    }

    @Test func `wrong calls are refused with the right error`() async throws {
        let invalid = "org.freedesktop.DBus.Error.InvalidArgs"
        #expect(try await errorName("WriteValue", []) == invalid)
        #expect(try await errorName("WriteValue", [.string("a"), [String: BusValue]().busValue]) == invalid)
        #expect(try await errorName("WriteValue", [.bytes(Data()), [String: String]().busValue]) == invalid)
        #expect(try await errorName("WriteValue", [.bytes(Data()), [String: BusValue]().busValue]) == invalid)
        #expect(try await errorName("WrongIndex", []) == invalid)
        let unknown = "org.freedesktop.DBus.Error.UnknownMethod"
        #expect(try await errorName("ReadValue", []) == unknown)
        let interface = "org.freedesktop.DBus.Error.UnknownInterface"
        #expect(try await errorName("WriteValue", [], of: "org.example.Other") == interface)
        let nowhere = try await busError { try await call("WriteValue", [], at: path("/nowhere")) }
        #expect(nowhere.isUnknownObject)
        // Every object has this, from libdbus.
        _ = try await call("Ping", [], of: "org.freedesktop.DBus.Peer")
        _ = try await call("Ping", [], of: "org.freedesktop.DBus.Peer", at: path("/nowhere"))
    }

    // MARK: Properties

    @Test func `properties are read`() async throws {
        let alias = try await call("Get", ["org.example.Sensor".busValue, "Alias".busValue], of: Self.properties)
        #expect(alias.arguments == [.variant(.string("one"))])
        let data = try await call("Get", ["org.example.Sensor".busValue, "Data".busValue], of: Self.properties)
        #expect(data.arguments == [.variant(["a": BusValue.bytes(Data([1]))].busValue)])
        let all: [String: BusValue] = try await call("GetAll", [Self.interface.busValue], of: Self.properties).first()
        #expect(Set(all.keys) == ["Alias", "Location", "Data"])
        state.location = nil
        let less: [String: BusValue] = try await call("GetAll", [Self.interface.busValue], of: Self.properties).first()
        #expect(Set(less.keys) == ["Alias", "Data"])
        let none: [String: BusValue] = try await call("GetAll", [Self.properties.busValue], of: Self.properties).first()
        #expect(none.isEmpty)
    }

    @Test func `a property is written when it takes the value`() async throws {
        func set(_ name: String, _ value: BusValue) async throws {
            _ = try await call("Set", [Self.interface.busValue, name.busValue, .variant(value)], of: Self.properties)
        }
        try await set("Alias", .string("two"))
        #expect(state.alias == "two")
        let refusals: [(String, BusValue, String)] = [
            ("Alias", .string("forbidden"), "org.example.Error.Forbidden"),
            ("Alias", .string("broken"), "org.freedesktop.DBus.Error.Failed"),
            ("Alias", .uint32(1), "org.freedesktop.DBus.Error.InvalidArgs"),
            ("Location", .byte(1), "org.freedesktop.DBus.Error.PropertyReadOnly"),
            ("Nothing", .byte(1), "org.freedesktop.DBus.Error.UnknownProperty"),
        ]
        for (name, value, expected) in refusals {
            #expect(try await busError { try await set(name, value) }.name == expected)
        }
        #expect(state.alias == "two")
    }

    @Test func `unknown properties and interfaces are refused`() async throws {
        let interface = Self.interface.busValue
        let property = "org.freedesktop.DBus.Error.UnknownProperty"
        #expect(try await errorName("Get", [interface, "No".busValue], of: Self.properties) == property)
        state.location = nil
        #expect(try await errorName("Get", [interface, "Location".busValue], of: Self.properties) == property)
        let unknown = "org.freedesktop.DBus.Error.UnknownInterface"
        #expect(try await errorName("Get", ["a.b".busValue, "Alias".busValue], of: Self.properties) == unknown)
        #expect(try await errorName("GetAll", ["a.b".busValue], of: Self.properties) == unknown)
        #expect(
            try await errorName("Set", ["a.b".busValue, "A".busValue, .variant(.byte(1))], of: Self.properties)
                == unknown)
        #expect(try await errorName("GetAll", [], of: Self.properties) == "org.freedesktop.DBus.Error.InvalidArgs")
    }

    @Test func `a changed property is reported`() async throws {
        let heard = AwaitedValues<[BusValue]>()
        let registration = client.onSignal(
            MatchRule(sender: service.uniqueName, path: place, interface: Self.properties, member: "PropertiesChanged")
        ) { heard.put($0.arguments) }
        try await client.fence()
        try service.emitPropertiesChanged(["Location": .byte(1)], of: Self.interface, at: place)
        let arguments = try await heard.next()
        #expect(
            arguments == [.string(Self.interface), ["Location": BusValue.byte(1)].busValue, [String]().busValue])
        #expect(arguments.map(\.signature.string).joined() == "sa{sv}as")
        registration.cancel()
    }

    // MARK: The object manager

    @Test func `an object manager lists and announces the objects below it`() async throws {
        let manager = "org.freedesktop.DBus.ObjectManager"
        let root = path("/org/example")
        let heard = AwaitedValues<BusSignal>()
        let registration = client.onSignal(MatchRule(sender: service.uniqueName, interface: manager)) { heard.put($0) }
        try await client.fence()
        service.exportObjectManager(at: root)

        func objects() async throws -> [ObjectPath: [String: [String: BusValue]]] {
            try await call("GetManagedObjects", [], of: manager, at: root).first()
        }
        #expect(
            try await objects() == [
                place: [
                    Self.interface: [
                        "Alias": .string("one"), "Location": .byte(3),
                        "Data": ["a": BusValue.bytes(Data([1]))].busValue,
                    ]
                ]
            ])

        let child = place.appending("child")
        let properties = [ExportedProperty("Number", get: { UInt16(7) })]
        try service.export([ExportedInterface("org.example.Child", properties: properties)], at: child)
        let added = try await heard.next()
        #expect(added.member == "InterfacesAdded")
        #expect(added.path == root)
        #expect(
            added.arguments == [
                child.busValue, ["org.example.Child": ["Number": BusValue.uint16(7)]].busValue,
            ])
        #expect(try await objects().keys.sorted { $0.string < $1.string } == [place, child])

        service.unexport(child)
        let removed = try await heard.next()
        #expect(removed.member == "InterfacesRemoved")
        #expect(removed.arguments == [child.busValue, ["org.example.Child"].busValue])
        #expect(try await Array(objects().keys) == [place])
        service.unexport(child)
        // Elsewhere is not the manager's business.
        try service.export([], at: path("/elsewhere"))
        service.unexportObjectManager(at: root)
        service.unexport(place)
        try await service.fence()
        try await client.fence()
        #expect(heard.waiting.isEmpty)
        #expect(try await busError { try await objects() }.isUnknownObject)
        registration.cancel()
    }

    @Test func `each of several object managers lists what is below it and no other, however they come and go`()
        async throws
    {
        let roots = ["/app1", "/app10", "/app1/inner"].map { path($0) }
        func listed(_ root: ObjectPath) async throws -> [String] {
            let objects: [ObjectPath: [String: [String: BusValue]]] =
                try await call("GetManagedObjects", [], of: "org.freedesktop.DBus.ObjectManager", at: root).first()
            return objects.keys.map(\.string).sorted()
        }
        let places = ["/app1/a", "/app1/a/b", "/app10/a", "/app1/inner/a", "/app1/inner"].map { path($0) }
        for place in places { try service.export([], at: place) }
        for root in roots { service.exportObjectManager(at: root) }
        #expect(try await listed(roots[0]) == ["/app1/a", "/app1/a/b", "/app1/inner"])
        #expect(try await listed(roots[1]) == ["/app10/a"])
        #expect(try await listed(roots[2]) == ["/app1/inner/a"])
        service.unexport(places[0])
        service.unexportObjectManager(at: roots[2])
        #expect(try await listed(roots[0]) == ["/app1/a/b", "/app1/inner", "/app1/inner/a"])
        for place in places { service.unexport(place) }
        #expect(try await listed(roots[0]) == [])
        for root in roots { service.unexportObjectManager(at: root) }
        #expect(try await busError { try await listed(roots[0]) }.isUnknownObject)
    }

    @Test func `an object can be exported once and again after it went`() async throws {
        #expect(throws: BusError.alreadyInUse("the object path \(place)")) { try service.export([], at: place) }
        service.unexport(place)
        #expect(try await busError { try await call("WrongIndex", []) }.isUnknownObject)
        try service.export([sensor()], at: place)
        #expect(try await errorName("WrongIndex", []) == "org.freedesktop.DBus.Error.InvalidArgs")
    }

    @Test func `malformed interfaces are not exported`() {
        let bad: [[ExportedInterface]] = [
            [ExportedInterface("nodot")], [ExportedInterface("a.b\0")],
            [ExportedInterface("a.b", methods: [ExportedMethod("<x>") { _ in }])],
            [ExportedInterface("a.b", properties: [ExportedProperty("", get: { "" })])],
            [ExportedInterface("a.b", signals: [ExportedSignal("a b")])],
            [ExportedInterface("a.b"), ExportedInterface("a.b")],
        ]
        for interfaces in bad { #expect(throws: BusError.self) { try service.export(interfaces, at: path("/bad")) } }
        #expect(throws: Never.self) { try service.export([], at: path("/bad")) }
    }

    // MARK: Introspection

    @Test func `an object describes itself`() async throws {
        try service.export([], at: place.appending("child"))
        let xml: String = try await call("Introspect", [], of: "org.freedesktop.DBus.Introspectable").first()
        let node = try Node.parse(xml)
        #expect(node.children("node").map(\.name) == ["child"])
        #expect(
            node.children("interface").map(\.name) == [
                Self.interface, "org.freedesktop.DBus.Introspectable", Self.properties,
            ])
        let sensor = try #require(node.children("interface").first)
        let write = try #require(sensor.children("method").first)
        #expect(write.name == "WriteValue")
        #expect(
            write.children("arg").map(\.attributes) == [
                ["name": "value", "type": "ay", "direction": "in"],
                ["name": "options", "type": "a{sv}", "direction": "in"],
                ["name": "length", "type": "u", "direction": "out"],
            ])
        #expect(
            sensor.children("property").map(\.attributes) == [
                ["name": "Alias", "type": "s", "access": "readwrite"],
                ["name": "Location", "type": "y", "access": "read"],
                ["name": "Data", "type": "a{sv}", "access": "read"],
            ])
        let beat = try #require(sensor.children("signal").first)
        #expect(beat.name == "Beat")
        #expect(beat.children("arg").map(\.attributes) == [["name": "rate", "type": "q"]])
    }

    @Test func `the way to an object describes itself`() async throws {
        for (place, child) in [(ObjectPath.root, "org"), (path("/org"), "example"), (path("/org/example"), "sensor")] {
            let reply = try await call("Introspect", [], of: "org.freedesktop.DBus.Introspectable", at: place)
            let node = try Node.parse(reply.first())
            #expect(node.children("node").map(\.name) == [child])
            #expect(node.children("interface").map(\.name) == ["org.freedesktop.DBus.Introspectable"])
        }
    }

    @Test func `names of arguments cannot break the description`() async throws {
        // Also with a combining accent, and with what XML cannot have.
        let argument = ExportedArgument("<\"&'><\u{301}\"\u{301}&\u{301}\u{1}\u{FFFF}", String.self)
        let method = ExportedMethod("Odd", inputs: [argument]) { _ in }
        try service.export([ExportedInterface("org.example.Odd", methods: [method])], at: path("/odd"))
        let reply = try await call("Introspect", [], of: "org.freedesktop.DBus.Introspectable", at: path("/odd"))
        let odd = try Node.parse(reply.first()).children("interface").first { $0.name == "org.example.Odd" }
        let expected = "<\"&'><\u{301}\"\u{301}&\u{301}\u{FFFD}\u{FFFD}"
        #expect(odd?.children("method").first?.children("arg").first?.name == expected)
    }
}

/// An element of an XML document.
private final class Node {
    let element: String
    let attributes: [String: String]
    private(set) var children: [Node] = []

    init(_ element: String, _ attributes: [String: String]) {
        self.element = element
        self.attributes = attributes
    }

    var name: String { attributes["name"] ?? "" }

    func children(_ element: String) -> [Node] { children.filter { $0.element == element } }

    static func parse(_ text: String) throws -> Node {
        let parser = XMLParser(data: Data(text.utf8))
        let builder = Builder()
        parser.delegate = builder
        guard parser.parse(), let root = builder.document.children.first else {
            throw DeadlineMissed(what: "XML: \(parser.parserError.map { "\($0)" } ?? "")")
        }
        return root
    }

    private final class Builder: NSObject, XMLParserDelegate {
        let document = Node("", [:])
        private lazy var open = [document]

        func parser(
            _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            let node = Node(element, attributes)
            open.last?.children.append(node)
            open.append(node)
        }

        func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }
    }
}
