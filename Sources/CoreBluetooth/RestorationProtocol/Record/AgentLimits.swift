import Foundation

/// The most that the agent keeps, of all programs and of each. With it a ``Welcome`` always fits into one message.
package enum AgentLimits {
    /// Registrations in all. When one more comes, the program that has been gone for longest is forgotten.
    package static let apps = 64
    /// Registrations of one program, each with another restore identifier.
    package static let appsPerProgram = 16
    /// The bytes of a registration: the command and the environment that start the program again.
    package static let registrationLength = 32 * 1024
    /// The bytes of a restore identifier, and of the path of a program.
    package static let textLength = 1024
    /// Peripherals of one registration.
    package static let peripherals = 16
    /// Subscriptions of one registration.
    package static let subscriptions = 128
    /// The bytes of a UUID, a path or an address.
    package static let nameLength = 64
    /// Services of one peripheral that were removed while its program was gone. What is beyond that is not kept: the
    /// program learns that services have changed, and has to look at them anyway.
    package static let invalidatedServices = 40
    /// Services of one registration, and the bytes of them all in a message.
    package static let services = 64
    package static let servicesLength = 40 * 1024
    /// The bytes of what is advertised.
    package static let advertisementLength = 1024
    /// Requests of centrals that wait for one program.
    package static let requests = 64
    /// Seconds that a request may wait: bluetoothd (5.66) answers by itself after 5.
    package static let requestTimeout = 5.0
    /// Values that a program may have handed over and that are not on their way to the centrals yet.
    package static let updates = 64
    /// The bytes of a value.
    package static let valueLength = 512
    /// Values that wait for one program beside its socket, in bytes of memory.
    package static let backlog = 16 * 1024 * 1024
    /// Values that wait for all programs together.
    package static let wholeBacklog = 64 * 1024 * 1024
    /// The bytes of the record on disk: more than a record within these limits can have.
    package static let recordLength = 16 * 1024 * 1024

    /// Whether a text is no longer than the name of an attribute or a controller can be, and is written in JSON as it
    /// is.
    package static func isName(_ text: String) -> Bool {
        text.utf8.count <= nameLength
            && text.utf8.allSatisfy {
                (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }

    /// Why a registration is too much; nil if it is not.
    package static func objection(to registration: AppRegistration) -> String? {
        guard !registration.identifier.isEmpty, !registration.program.isEmpty, !registration.command.isEmpty else {
            return "the registration is incomplete"
        }
        for (text, what) in [(registration.identifier, "restore identifier"), (registration.program, "program's path")]
        where text.utf8.count > textLength {
            return "the \(what) is too long: \(text.utf8.count) bytes (limit \(textLength))"
        }
        let length = MessageCoder.encode(registration)?.count ?? .max
        guard length <= registrationLength else {
            return
                "the program's command and environment are too long (limit \(registrationLength) bytes)"
        }
        return nil
    }
}

extension CharacteristicKey {
    /// Whether it is one that the agent keeps.
    package var isWithinLimits: Bool { [service, characteristic, path].allSatisfy(AgentLimits.isName) }
}

extension ServiceChangeRecord {
    /// Adds services that were removed, each once.
    package mutating func add(_ uuids: [String]) {
        for uuid in uuids where !invalidated.contains(uuid) {
            guard invalidated.count < AgentLimits.invalidatedServices, AgentLimits.isName(uuid) else { continue }
            invalidated.append(uuid)
        }
    }
}

extension RestorationRecord {
    /// What of a record is within the limits: of a file, anything may have been made.
    package var withinLimits: RestorationRecord {
        var apps: [AppRecord] = []
        for app in self.apps {
            let registration = app.registration
            guard AgentLimits.objection(to: registration) == nil, apps.count < AgentLimits.apps,
                !apps.contains(where: { $0.registration.isSameProgram(as: registration) })
            else { continue }
            apps.append(app.withinLimits)
        }
        return RestorationRecord(apps: apps)
    }
}

extension AppRegistration {
    /// Whether both are the same registration of the same program.
    package func isSameProgram(as other: AppRegistration) -> Bool {
        program == other.program && identifier == other.identifier
            && (role ?? .central) == (other.role ?? .central)
    }
}

extension AppRecord {
    fileprivate var withinLimits: AppRecord {
        var result = self
        result.peripherals = []
        var numbers: Set<UInt32> = []
        var room = AgentLimits.subscriptions
        for peripheral in peripherals where result.peripherals.count < AgentLimits.peripherals {
            guard AgentLimits.isName(peripheral.adapter), result[peripheral.identifier] == nil else { continue }
            var peripheral = peripheral
            peripheral.subscriptions = peripheral.subscriptions.filter { subscription in
                subscription.key.isWithinLimits && subscription.peripheral == peripheral.identifier
                    && subscription.subscription < nextSubscription
                    && numbers.insert(subscription.subscription).inserted
            }
            peripheral.subscriptions = Array(peripheral.subscriptions.prefix(room))
            room -= peripheral.subscriptions.count
            if let change = peripheral.serviceChange {
                peripheral.serviceChange = ServiceChangeRecord(invalidated: [])
                peripheral.serviceChange?.add(change.invalidated)
            }
            result.peripherals.append(peripheral)
        }
        if scan?.isWithinLimits == false { result.scan = nil }
        if publication?.isWithinLimits == false { result.publication = nil }
        return result
    }
}

extension ScanRecord {
    /// Whether it is one that the agent keeps.
    package var isWithinLimits: Bool {
        AgentLimits.isName(adapter) && (services ?? []).count <= AgentLimits.services
            && (services ?? []).allSatisfy(AgentLimits.isName)
    }
}

extension PublicationRecord {
    /// Whether it is one that the agent keeps.
    package var isWithinLimits: Bool {
        services.count <= AgentLimits.services && services.allSatisfy { $0.number < nextService }
            && Set(services.map(\.number)).count == services.count
            && MessageCoder.encode(services).map { $0.count <= AgentLimits.servicesLength } ?? false
            && advertisement?.isWithinLimits ?? true
    }
}

extension AdvertisementRecord {
    /// Whether it is one that the agent keeps.
    package var isWithinLimits: Bool {
        MessageCoder.encode(self).map { $0.count <= AgentLimits.advertisementLength } ?? false
    }
}
