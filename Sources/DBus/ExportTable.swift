import CDBus
import Foundation

/// The objects that a connection exports, and the standard interfaces that every one of them has.
@BusActor
final class ExportTable {
    private var objects: [ObjectPath: [String: ExportedInterface]] = [:]
    private var managers: Set<ObjectPath> = []

    func add(_ interfaces: [ExportedInterface], at path: ObjectPath) throws(BusError) {
        guard objects[path] == nil else { throw .alreadyInUse("the object path \(path)") }
        objects[path] = Dictionary(interfaces.map { ($0.name, $0) }) { first, _ in first }
    }

    /// - Returns: the names of the interfaces that went.
    func remove(_ path: ObjectPath) -> [String] {
        objects.removeValue(forKey: path)?.keys.sorted() ?? []
    }

    func addManager(_ path: ObjectPath) { managers.insert(path) }
    func removeManager(_ path: ObjectPath) { managers.remove(path) }

    /// The object manager that is responsible for `path`: the nearest one above it.
    func manager(of path: ObjectPath) -> ObjectPath? {
        managers.filter { path != $0 && path.isSameOrBelow($0) }.max { $0.string.count < $1.string.count }
    }

    func interfaces(of path: ObjectPath) -> [String: [String: BusValue]] {
        (objects[path] ?? [:]).mapValues(\.propertyValues)
    }

    // MARK: Calls

    /// Whether the call was for an exported object.
    func dispatch(_ message: RawMessage, on connection: BusConnection) -> Bool {
        let path = message.path
        guard isKnown(path) else { return false }
        let interface = message.interface
        let isOurs = objects[path]?.contains { interface == nil || $0.key == interface } ?? false
        // `org.freedesktop.DBus.Peer` is libdbus's own.
        guard isOurs || interface != "org.freedesktop.DBus.Peer" else { return false }
        let arguments: [BusValue]
        do throws(BusError) {
            arguments = try message.arguments()
        } catch {
            return false
        }
        let invocation = MethodInvocation(message, arguments: arguments, on: connection)
        if let method = method(message.member, of: interface, at: path) {
            let expected = method.inputs.map(\.type.string).joined()
            let actual = arguments.map(\.signature.string).joined()
            if expected == actual {
                method.handler(invocation)
            } else {
                invocation.fail(.invalidArguments("\(message.member) takes '\(expected)', not '\(actual)'"))
            }
        } else {
            invocation.fail(
                MethodFailure(
                    name: "org.freedesktop.DBus.Error.UnknownMethod",
                    message: "No method \(interface.map { "\($0)." } ?? "")\(message.member) at \(path)"))
        }
        return true
    }

    private func isKnown(_ path: ObjectPath) -> Bool {
        objects[path] != nil || managers.contains(path) || objects.keys.contains { $0.isSameOrBelow(path) }
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
            "org.freedesktop.DBus.ObjectManager",
            methods: [
                ExportedMethod(
                    "GetManagedObjects",
                    outputs: [ExportedArgument("objects", [ObjectPath: [String: [String: BusValue]]].self)]
                ) { [weak self] invocation in
                    var tree: [ObjectPath: [String: [String: BusValue]]] = [:]
                    for path in self?.objects.keys ?? [:].keys where path != root && path.isSameOrBelow(root) {
                        tree[path] = self?.interfaces(of: path)
                    }
                    invocation.reply([tree.busValue])
                }
            ],
            signals: [
                ExportedSignal(
                    "InterfacesAdded",
                    arguments: [
                        ExportedArgument("object", ObjectPath.self),
                        ExportedArgument("interfaces", [String: [String: BusValue]].self),
                    ]),
                ExportedSignal(
                    "InterfacesRemoved",
                    arguments: [
                        ExportedArgument("object", ObjectPath.self), ExportedArgument("interfaces", [String].self),
                    ]),
            ])
    }

    private func properties(at path: ObjectPath) -> ExportedInterface {
        ExportedInterface(
            "org.freedesktop.DBus.Properties",
            methods: [
                ExportedMethod(
                    "Get",
                    inputs: [ExportedArgument("interface", String.self), ExportedArgument("name", String.self)],
                    outputs: [ExportedArgument("value", BusValue.self)]
                ) { [weak self] in self?.getProperty($0, at: path) },
                ExportedMethod(
                    "GetAll", inputs: [ExportedArgument("interface", String.self)],
                    outputs: [ExportedArgument("properties", [String: BusValue].self)]
                ) { [weak self] invocation in
                    let name = String(busValue: invocation.arguments[0]) ?? ""
                    invocation.reply([(self?.objects[path]?[name]?.propertyValues ?? [:]).busValue])
                },
                ExportedMethod(
                    "Set",
                    inputs: [
                        ExportedArgument("interface", String.self), ExportedArgument("name", String.self),
                        ExportedArgument("value", BusValue.self),
                    ]
                ) { [weak self] in self?.setProperty($0, at: path) },
            ],
            signals: [
                ExportedSignal(
                    "PropertiesChanged",
                    arguments: [
                        ExportedArgument("interface", String.self),
                        ExportedArgument("changed", [String: BusValue].self),
                        ExportedArgument("invalidated", [String].self),
                    ])
            ])
    }

    private func getProperty(_ invocation: MethodInvocation, at path: ObjectPath) {
        guard let value = property(invocation, at: path)?.get() else { return invocation.fail(Self.unknownProperty) }
        invocation.reply([.variant(value)])
    }

    private func setProperty(_ invocation: MethodInvocation, at path: ObjectPath) {
        guard let property = property(invocation, at: path) else { return invocation.fail(Self.unknownProperty) }
        guard let set = property.set else {
            return invocation.fail(
                MethodFailure(
                    name: "org.freedesktop.DBus.Error.PropertyReadOnly", message: "\(property.name) is read-only"))
        }
        do {
            try set(invocation.arguments[2])
            invocation.reply()
        } catch let failure as MethodFailure {
            invocation.fail(failure)
        } catch {
            invocation.fail(MethodFailure(name: "org.freedesktop.DBus.Error.Failed", message: "\(error)"))
        }
    }

    private func property(_ invocation: MethodInvocation, at path: ObjectPath) -> ExportedProperty? {
        guard let interface = String(busValue: invocation.arguments[0]),
            let name = String(busValue: invocation.arguments[1])
        else { return nil }
        return objects[path]?[interface]?.properties.first { $0.name == name }
    }

    private static let unknownProperty = MethodFailure(
        name: "org.freedesktop.DBus.Error.UnknownProperty", message: "No such property")

    private func introspectable(at path: ObjectPath) -> ExportedInterface {
        ExportedInterface(
            "org.freedesktop.DBus.Introspectable",
            methods: [
                ExportedMethod("Introspect", outputs: [ExportedArgument("xml", String.self)]) {
                    [weak self] invocation in
                    invocation.reply([.string(self?.introspection(of: path) ?? "")])
                }
            ])
    }

    private func introspection(of path: ObjectPath) -> String {
        var interfaces = (objects[path] ?? [:]).values.sorted { $0.name < $1.name }
        interfaces += standardInterfaces(at: path)
        var children = Set<String>()
        for other in Array(objects.keys) + Array(managers) where other != path && other.isSameOrBelow(path) {
            let rest = other.string.dropFirst(path == .root ? 1 : path.string.count + 1)
            if let child = rest.split(separator: "/").first { children.insert(String(child)) }
        }
        return IntrospectionDocument.text(interfaces: interfaces, children: children.sorted())
    }
}

extension BusConnection {
    /// Makes an object callable at `path`, with these interfaces and the standard ones (Properties, Introspectable).
    ///
    /// - Throws: ``BusError/alreadyInUse(_:)`` when there is an object at `path`.
    public func export(_ interfaces: [ExportedInterface], at path: ObjectPath) throws(BusError) {
        try exports.add(interfaces, at: path)
        guard let manager = exports.manager(of: path) else { return }
        try? emit(
            "InterfacesAdded", of: "org.freedesktop.DBus.ObjectManager", from: manager,
            arguments: [path.busValue, exports.interfaces(of: path).busValue])
    }

    /// Takes the object at `path` away. Does nothing when there is none.
    public func unexport(_ path: ObjectPath) {
        let interfaces = exports.remove(path)
        guard !interfaces.isEmpty, let manager = exports.manager(of: path) else { return }
        try? emit(
            "InterfacesRemoved", of: "org.freedesktop.DBus.ObjectManager", from: manager,
            arguments: [path.busValue, interfaces.busValue])
    }

    /// Makes `root` an object manager (`org.freedesktop.DBus.ObjectManager`) of all objects that are exported below it.
    public func exportObjectManager(at root: ObjectPath) {
        exports.addManager(root)
    }

    public func unexportObjectManager(at root: ObjectPath) {
        exports.removeManager(root)
    }

    /// Tells the bus that properties of an exported object have new values.
    public func emitPropertiesChanged(_ changed: [String: BusValue], of interface: String, at path: ObjectPath)
        throws(BusError)
    {
        try emit(
            "PropertiesChanged", of: "org.freedesktop.DBus.Properties", from: path,
            arguments: [.string(interface), changed.busValue, [String]().busValue])
    }
}
