import Foundation
import Testing

@testable import DBus

/// Interfaces as tables: what is asked for by their rows.
@Suite struct InterfaceTests {
    private enum Lamp1: BusInterface {
        static let name = "org.example.Lamp1"
        static let brightness = Property<UInt8>("Brightness")
        static let label = Property<String>("Label")
        static let dim = Method("Dim")
    }

    private enum Fan1: BusInterface {
        static let name = "org.example.Fan1"
    }

    @Test func `a value has the property's type or is none`() {
        let values = PropertyValues<Lamp1>(["Brightness": .variant(.byte(7)), "Label": .uint32(1)])
        #expect(values[Lamp1.brightness] == 7)
        #expect(values[Lamp1.label] == nil)
    }

    @Test func `changes are asked by the table`() {
        var values = PropertyValues<Lamp1>(["Brightness": .byte(7), "Label": .string("desk")])
        var changes = PropertyChanges<Lamp1>(changed: ["Brightness": .byte(9)], invalidated: ["Label"])
        #expect(changes[Lamp1.brightness] == 9 && changes[Lamp1.label] == nil)
        #expect(changes.contains(Lamp1.brightness) && changes.contains(Lamp1.label))
        #expect(!changes.areOnly(Lamp1.brightness))
        values.apply(changes)
        #expect(values[Lamp1.brightness] == 9 && values[Lamp1.label] == nil)
        changes[Lamp1.label] = "shelf"
        values.apply(PropertyChanges(changed: ["Label": .string("shelf")]))
        #expect(changes[Lamp1.label] == "shelf" && values[Lamp1.label] == "shelf")
        #expect(PropertyChanges<Lamp1>(changed: ["Brightness": .byte(1)]).areOnly(Lamp1.brightness))
        #expect(!PropertyChanges<Lamp1>().contains(Lamp1.brightness))
    }

    @Test func `signals of other interfaces and malformed ones report no changes`() {
        func signal(_ arguments: [BusValue]) -> BusSignal {
            BusSignal(
                sender: ":1.1", path: .root, interface: PropertiesInterface.name, member: "PropertiesChanged",
                arguments: arguments)
        }
        let changed = ["Brightness": BusValue.byte(3)].busValue
        let good = signal([.string(Lamp1.name), changed, [String]().busValue])
        #expect(good.propertyChanges(of: Lamp1.self)?[Lamp1.brightness] == 3)
        #expect(good.propertyChanges(of: Fan1.self) == nil)
        for arguments in [
            [], [.string(Lamp1.name), changed], [.string(Lamp1.name), .string("x"), [String]().busValue],
        ] {
            #expect(signal(arguments).propertyChanges(of: Lamp1.self) == nil)
        }
    }

    @Test func `object managers report objects and interfaces`() {
        func signal(_ member: String, _ arguments: [BusValue]) -> BusSignal {
            BusSignal(
                sender: ":1.1", path: .root, interface: ObjectManagerInterface.name, member: member,
                arguments: arguments)
        }
        let lamp = [Lamp1.name: ["Brightness": BusValue.byte(3)]].busValue
        guard case .added(let object) = signal("InterfacesAdded", [.objectPath(.root), lamp]).managedObjectChange else {
            Issue.record("no object")
            return
        }
        #expect(object.has(Lamp1.self) && !object.has(Fan1.self))
        #expect(object.properties(of: Lamp1.self)?[Lamp1.brightness] == 3)
        #expect(object.properties(of: Fan1.self) == nil)
        let removed = signal("InterfacesRemoved", [.objectPath(.root), [Lamp1.name].busValue])
        guard case .removed(.root, interfaces: [Lamp1.name]) = removed.managedObjectChange else {
            Issue.record("not removed")
            return
        }
        #expect(signal("InterfacesAdded", [.objectPath(.root), .string("x")]).managedObjectChange == nil)
        #expect(signal("Other", [.objectPath(.root), lamp]).managedObjectChange == nil)
    }

    @Test func `calls are made by the table`() throws {
        let path = ObjectPath.root.appending("lamp")
        let dim = MethodCall(Lamp1.dim, of: "org.example", at: path)
        #expect(dim.description == "org.example.Lamp1.Dim on /lamp" && dim.destination == "org.example")
        let get = MethodCall.get(Lamp1.brightness, of: "org.example", at: path)
        #expect(get.arguments == [.string("org.example.Lamp1"), .string("Brightness")])
        let set = MethodCall.set(Lamp1.brightness, to: 4, of: "org.example", at: path)
        #expect(set.arguments.last == .variant(.byte(4)))
        let reply = MethodReply(arguments: [.variant(.string("x"))], call: get.name)
        #expect(throws: BusError.self) { try reply.value(of: Lamp1.brightness) as UInt8 }
    }
}
