import CDBus
import Foundation
import MainLoop

/// The objects that a connection exports, and the standard interfaces that every one of them has.
@LoopActor
final class ExportTable {
    private var objects: [ObjectPath: [String: ExportedInterface]] = [:]
    private var managers: Set<ObjectPath> = []
    /// The paths of both. A program may have a thousand objects: none is found by looking at all.
    private var paths = PathTree()

    func add(_ interfaces: [ExportedInterface], at path: ObjectPath) throws(BusError) {
        guard objects[path] == nil else { throw .alreadyInUse("the object path \(path)") }
        var table: [String: ExportedInterface] = [:]
        for interface in interfaces {
            let members = interface.methods.map(\.name) + interface.signals.map(\.name)
            for member in members + interface.properties.map(\.name) {
                try BusName.check(interface: interface.name, member: member, path: path)
            }
            guard BusName.isInterface(interface.name) else {
                throw .invalidValue("the interface name '\(interface.name)'")
            }
            guard table.updateValue(interface, forKey: interface.name) == nil else {
                throw .alreadyInUse("the interface \(interface.name) at \(path)")
            }
        }
        objects[path] = table
        paths.insert(path)
    }

    /// - Returns: the names of the interfaces that were removed.
    func remove(_ path: ObjectPath) -> [String] {
        let removed = objects.removeValue(forKey: path)?.keys.sorted() ?? []
        forget(path)
        return removed
    }

    func addManager(_ path: ObjectPath) {
        managers.insert(path)
        paths.insert(path)
    }

    func removeManager(_ path: ObjectPath) {
        managers.remove(path)
        forget(path)
    }

    private func forget(_ path: ObjectPath) {
        if objects[path] == nil, !managers.contains(path) { paths.remove(path) }
    }

    /// The object manager that is responsible for `path`: the nearest one above it.
    func manager(of path: ObjectPath) -> ObjectPath? {
        var above = path.parent
        while let path = above, !managers.contains(path) { above = path.parent }
        return above
    }

    func interfaces(of path: ObjectPath) -> [String: [String: BusValue]] {
        (objects[path] ?? [:]).mapValues(\.propertyValues)
    }

    // MARK: Calls

    /// Whether the call was for an exported object.
    func dispatch(_ message: RawMessage, on connection: any AnswerSender) -> Bool {
        let path = message.path
        guard isKnown(path) else { return false }
        let interface = message.interface
        let member = message.member
        func refuse(_ failure: MethodFailure) -> Bool {
            MethodInvocation(message, arguments: [], on: connection).fail(failure)
            return true
        }
        guard let method = method(member, of: interface, at: path) else {
            return refuse(unknownMethod(member, of: interface, at: path))
        }
        guard method.signature == message.signature else {
            return refuse(.invalidArguments("\(member) takes '\(method.signature)', not '\(message.signature)'"))
        }
        do throws(BusError) {
            method.handler(MethodInvocation(message, arguments: try message.arguments(), on: connection))
            return true
        } catch {
            return refuse(MethodFailure(.failed, error.description))
        }
    }

    private func unknownMethod(_ member: String, of interface: String?, at path: ObjectPath) -> MethodFailure {
        if let interface, objects[path]?[interface] == nil, standardInterface(interface, at: path) == nil {
            return MethodFailure(.unknownInterface, "No interface \(interface) at \(path)")
        }
        return MethodFailure(
            .unknownMethod, "No method \(interface.map { "\($0)." } ?? "")\(member) at \(path)")
    }

    private func isKnown(_ path: ObjectPath) -> Bool {
        paths.contains(path)
    }

    private func method(_ name: String, of interface: String?, at path: ObjectPath) -> ExportedMethod? {
        let own = objects[path] ?? [:]
        let candidates: [ExportedInterface] =
            if let interface {
                [own[interface] ?? standardInterface(interface, at: path)].compactMap { $0 }
            } else {
                own.values.sorted { $0.name < $1.name } + standardInterfaces(at: path)
            }
        return candidates.lazy.compactMap { $0.methods.first { $0.name == name } }.first
    }

    // MARK: Standard interfaces

    private func standardInterface(_ name: String, at path: ObjectPath) -> ExportedInterface? {
        standardInterfaces(at: path).first { $0.name == name }
    }

    private func standardInterfaces(at path: ObjectPath) -> [ExportedInterface] {
        var interfaces = [introspectable(at: path)]
        if objects[path] != nil { interfaces.append(properties(at: path)) }
        if managers.contains(path) { interfaces.append(objectManager(at: path)) }
        return interfaces
    }

    private func objectManager(at root: ObjectPath) -> ExportedInterface {
        ExportedInterface(
            ObjectManagerInterface.self,
            methods: [
                ExportedMethod(
                    ObjectManagerInterface.getManagedObjects,
                    outputs: [ExportedArgument("objects", [ObjectPath: [String: [String: BusValue]]].self)]
                ) { [weak self] invocation in
                    invocation.reply([(self?.tree(below: root) ?? [:]).busValue])
                }
            ],
            signals: [
                ExportedSignal(
                    ObjectManagerInterface.interfacesAdded,
                    arguments: [
                        ExportedArgument("object", ObjectPath.self),
                        ExportedArgument("interfaces", [String: [String: BusValue]].self),
                    ]),
                ExportedSignal(
                    ObjectManagerInterface.interfacesRemoved,
                    arguments: [
                        ExportedArgument("object", ObjectPath.self), ExportedArgument("interfaces", [String].self),
                    ]),
            ])
    }

    private func tree(below root: ObjectPath) -> [ObjectPath: [String: [String: BusValue]]] {
        var tree: [ObjectPath: [String: [String: BusValue]]] = [:]
        var rest = [root]
        while let path = rest.popLast() {
            for child in paths.children(of: path) {
                if objects[child] != nil { tree[child] = interfaces(of: child) }
                // What is below another manager is that one's.
                if !managers.contains(child) { rest.append(child) }
            }
        }
        return tree
    }

    private func properties(at path: ObjectPath) -> ExportedInterface {
        ExportedInterface(
            PropertiesInterface.self,
            methods: [
                ExportedMethod(
                    PropertiesInterface.get,
                    inputs: [ExportedArgument("interface", String.self), ExportedArgument("name", String.self)],
                    outputs: [ExportedArgument("value", BusValue.self)]
                ) { [weak self] in self?.getProperty($0, at: path) },
                ExportedMethod(
                    PropertiesInterface.getAll, inputs: [ExportedArgument("interface", String.self)],
                    outputs: [ExportedArgument("properties", [String: BusValue].self)]
                ) { [weak self] invocation in
                    self?.getAllProperties(invocation, at: path)
                },
                ExportedMethod(
                    PropertiesInterface.set,
                    inputs: [
                        ExportedArgument("interface", String.self), ExportedArgument("name", String.self),
                        ExportedArgument("value", BusValue.self),
                    ]
                ) { [weak self] in self?.setProperty($0, at: path) },
            ],
            signals: [
                ExportedSignal(
                    PropertiesInterface.propertiesChanged,
                    arguments: [
                        ExportedArgument("interface", String.self),
                        ExportedArgument("changed", [String: BusValue].self),
                        ExportedArgument("invalidated", [String].self),
                    ])
            ])
    }

    private func getProperty(_ invocation: MethodInvocation, at path: ObjectPath) {
        answer(invocation) {
            guard let value = try property(invocation, at: path).get() else {
                throw MethodFailure.unknownProperty(try invocation.argument(1))
            }
            return [value.inVariant]
        }
    }

    private func getAllProperties(_ invocation: MethodInvocation, at path: ObjectPath) {
        answer(invocation) { [try interface(invocation, at: path).propertyValues.busValue] }
    }

    private func setProperty(_ invocation: MethodInvocation, at path: ObjectPath) {
        answer(invocation) {
            let property = try property(invocation, at: path)
            guard let set = property.set else {
                throw MethodFailure(.propertyReadOnly, "\(property.name) is read-only")
            }
            try set(invocation.arguments[2])
            return []
        }
    }

    private func answer(_ invocation: MethodInvocation, _ body: () throws -> [BusValue]) {
        do {
            invocation.reply(try body())
        } catch let failure as MethodFailure {
            invocation.fail(failure)
        } catch {
            invocation.fail(MethodFailure(.failed, "\(error)"))
        }
    }

    /// The interface that the first argument names. The standard ones have no properties.
    private func interface(_ invocation: MethodInvocation, at path: ObjectPath) throws(MethodFailure)
        -> ExportedInterface
    {
        let name: String = try invocation.argument(0)
        if let interface = objects[path]?[name] ?? standardInterface(name, at: path) { return interface }
        throw MethodFailure(.unknownInterface, "No interface \(name) at \(path)")
    }

    private func property(_ invocation: MethodInvocation, at path: ObjectPath) throws(MethodFailure)
        -> ExportedProperty
    {
        let name: String = try invocation.argument(1)
        guard let property = try interface(invocation, at: path).properties.first(where: { $0.name == name }) else {
            throw .unknownProperty(name)
        }
        return property
    }

    private func introspectable(at path: ObjectPath) -> ExportedInterface {
        ExportedInterface(
            IntrospectableInterface.self,
            methods: [
                ExportedMethod(IntrospectableInterface.introspect, outputs: [ExportedArgument("xml", String.self)]) {
                    [weak self] invocation in
                    invocation.reply([.string(self?.introspection(of: path) ?? "")])
                }
            ])
    }

    private func introspection(of path: ObjectPath) -> String {
        var interfaces = (objects[path] ?? [:]).values.sorted { $0.name < $1.name }
        interfaces += standardInterfaces(at: path)
        let children = paths.children(of: path).map(\.lastElement).sorted()
        return IntrospectionDocument.text(interfaces: interfaces, children: children)
    }
}
