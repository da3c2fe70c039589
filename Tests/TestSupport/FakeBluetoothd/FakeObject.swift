package import DBus
import Foundation
package import MainLoop

/// An object of the fake bluetoothd: one interface with properties that programs can watch, and perhaps others.
@LoopActor
package class FakeObject {
    package nonisolated let path: ObjectPath
    package let interface: String
    package unowned let daemon: FakeBluetoothd
    private var values: [String: BusValue] = [:]

    init(_ path: ObjectPath, _ interface: String, _ values: [String: BusValue] = [:], daemon: FakeBluetoothd) {
        self.path = path
        self.interface = interface
        self.values = values
        self.daemon = daemon
    }

    /// The methods of ``interface``.
    var methods: [ExportedMethod] { [] }
    /// What else the object offers.
    var otherInterfaces: [(interface: ExportedInterface, values: [String: BusValue])] { [] }
    /// Those properties that programs may set, with what checks or does it.
    var settable: [String: @LoopActor (BusValue) throws -> Void] { [:] }

    package subscript(_ property: String) -> BusValue? { values[property] }

    /// Gives a property a value, or takes it away, and reports that.
    ///
    /// - Parameter silently: without reporting it, as bluetoothd sometimes does.
    package func set(_ property: String, _ value: BusValue?, silently: Bool = false) {
        let former = values.updateValue(value ?? .boolean(false), forKey: property)
        if value == nil { values[property] = nil }
        guard !silently, former != value || property == "RSSI", daemon.isShown(self) else { return }
        try? daemon.connection.emit(
            "PropertiesChanged", of: "org.freedesktop.DBus.Properties", from: path,
            arguments: [
                .string(interface), (value.map { [property: $0] } ?? [:]).busValue,
                (value == nil ? [property] : []).busValue,
            ])
    }

    package func flag(_ property: String) -> Bool { values[property].flatMap(Bool.init(busValue:)) ?? false }
    package func text(_ property: String) -> String { values[property].flatMap(String.init(busValue:)) ?? "" }

    /// Puts the object on the bus.
    package func show() { daemon.show(self) }
    /// Takes it off.
    package func hide() { daemon.hide(self) }
    package var isShown: Bool { daemon.isShown(self) }

    var interfaceValues: [String: [String: BusValue]] {
        var all = [interface: values]
        for (other, values) in otherInterfaces { all[other.name] = values }
        return all
    }

    var interfaces: [ExportedInterface] {
        let names = Set(values.keys).union(settable.keys).union(["RSSI", "MTU"])
        let properties = names.sorted().map { name in
            let set = settable[name].map { set in
                { @LoopActor [weak daemon] (value: BusValue) in
                    try daemon?.script.checkSetting(of: name)
                    try set(value)
                }
            }
            return ExportedProperty(name, get: { [weak self] in self?.values[name] }, set: set)
        }
        return [ExportedInterface(interface, methods: methods, properties: properties)]
            + otherInterfaces.map(\.interface)
    }

    func method(
        _ name: String, inputs: [ExportedArgument] = [], outputs: [ExportedArgument] = [],
        _ ordinary: @escaping @LoopActor (MethodInvocation) throws -> Void
    ) -> ExportedMethod {
        daemon.method(name, of: path, inputs: inputs, outputs: outputs, ordinary)
    }
}

extension ExportedArgument {
    static let options = ExportedArgument("options", [String: BusValue].self)
    static let object = ExportedArgument("object", ObjectPath.self)
    static let value = ExportedArgument("value", Data.self)
}
