extension MatchRule {
    /// The changes of the properties of an interface.
    ///
    /// - Parameter path: of one object; nil for all.
    package static func propertiesChanged<Interface: BusInterface>(
        of interface: Interface.Type, at path: ObjectPath? = nil, from sender: String
    ) -> MatchRule {
        MatchRule(
            sender: sender, path: path, interface: PropertiesInterface.name,
            member: PropertiesInterface.propertiesChanged.name, firstArgument: Interface.name)
    }

    /// The objects that come and go at the sender's object managers.
    package static func managedObjects(of sender: String) -> MatchRule {
        MatchRule(sender: sender, interface: ObjectManagerInterface.name)
    }

    /// One signal of an interface.
    package static func signal<Interface: BusInterface>(
        _ signal: InterfaceSignal<Interface>, from sender: String
    ) -> MatchRule {
        MatchRule(sender: sender, interface: Interface.name, member: signal.name)
    }
}

/// What an object manager reports.
package enum ManagedObjectChange {
    /// The object has these interfaces now, among others perhaps.
    case added(ManagedObject)
    /// The object no longer has these interfaces.
    case removed(ObjectPath, interfaces: [String])
}

extension BusSignal {
    /// The changes of properties that a PropertiesChanged signal reports; nil when it is of another interface's, or
    /// malformed.
    package func propertyChanges<Interface: BusInterface>(
        of interface: Interface.Type
    ) -> PropertyChanges<Interface>? {
        guard arguments.count == 3, case .string(Interface.name) = arguments[0],
            let changed = [String: BusValue](busValue: arguments[1]),
            let invalidated = [String](busValue: arguments[2])
        else { return nil }
        return PropertyChanges(changed: changed, invalidated: invalidated)
    }

    /// What a signal of an object manager reports; nil when it is another one, or malformed.
    package var managedObjectChange: ManagedObjectChange? {
        guard arguments.count == 2, let path = ObjectPath(busValue: arguments[0]) else { return nil }
        switch member {
        case ObjectManagerInterface.interfacesAdded.name:
            return [String: [String: BusValue]](busValue: arguments[1]).map {
                .added(ManagedObject(path: path, interfaces: $0))
            }
        case ObjectManagerInterface.interfacesRemoved.name:
            return [String](busValue: arguments[1]).map { .removed(path, interfaces: $0) }
        default: return nil
        }
    }
}
