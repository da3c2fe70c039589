import DBus
import Foundation
import MainLoop

/// An object of bluetoothd, mirrored: its properties are as bluetoothd last told them.
///
/// An object that bluetoothd removed stays usable as a value, but its calls fail; ``isValid`` tells.
@LoopActor
package class RemoteObject {
    package nonisolated let path: ObjectPath
    /// False once bluetoothd has removed the object, or is gone itself.
    package internal(set) var isValid = true
    private(set) var properties: [String: BusValue]
    let interface: String
    /// Nil when the session has been released: calls fail then, as without bluetoothd.
    private(set) weak var session: BlueZSession?
    /// Calls with a completion that bluetoothd has yet to answer.
    private var pendingCalls: [Int: PendingCall] = [:]
    private var callCount = 0

    init(path: ObjectPath, interface: String, properties: [String: BusValue], session: BlueZSession) {
        self.path = path
        self.interface = interface
        self.properties = properties
        self.session = session
    }

    /// A property, or nil when bluetoothd has not set it, or has it as another type.
    func property<T: BusType>(_ name: String, as type: T.Type = T.self) -> T? {
        properties[name].flatMap { T(busValue: $0) }
    }

    /// What follows from `changes` without being said. Overridden where bluetoothd is known to leave something out.
    func completed(_ changes: PropertyChanges) -> PropertyChanges { changes }

    /// Called when properties have changed. Overridden by objects with a fast path; call super.
    func update(_ changes: PropertyChanges) {
        for (name, value) in changes.changed { properties[name] = value }
        for name in changes.invalidated { properties[name] = nil }
    }

    /// Called when bluetoothd has removed the object. Overridden to end what depends on it; call super.
    ///
    /// bluetoothd never answers the calls of a GATT object that it has removed meanwhile (5.66,
    /// `unregister_characteristic` cancels the request and drops the message), so they end here.
    func invalidate() {
        isValid = false
        let calls = pendingCalls.values
        pendingCalls = [:]
        for call in calls { call.cancel() }
    }

    // MARK: Calls

    /// The connection for a call of this object.
    var connection: BusConnection {
        get throws(BlueZError) {
            guard let session else { throw .notRunning }
            return try session.connection(for: self)
        }
    }

    func methodCall(_ method: String, _ arguments: [BusValue] = []) -> MethodCall {
        MethodCall(
            destination: BlueZSession.serviceName, path: path, interface: interface, method: method,
            arguments: arguments)
    }

    /// Calls a method of this object and waits for the answer.
    ///
    /// - Throws: ``BlueZError``, or `CancellationError`.
    @discardableResult
    func call(
        _ method: String, _ arguments: [BusValue] = [], timeout: Duration? = BusConnection.defaultTimeout
    ) async throws -> MethodReply {
        do {
            return try await connection.call(methodCall(method, arguments), timeout: timeout)
        } catch let error as BusError {
            throw BlueZError(error)
        }
    }

    /// Calls a method of this object; `completion` runs once, later: with ``BlueZError/gone(_:)`` if the object goes
    /// before there is an answer.
    func call(
        _ method: String, _ arguments: [BusValue] = [], timeout: Duration? = BusConnection.defaultTimeout,
        completion: @escaping @LoopActor (Result<MethodReply, any Error>) -> Void
    ) {
        do {
            let call = methodCall(method, arguments)
            let connection = try self.connection
            callCount += 1
            let key = callCount
            pendingCalls[key] = connection.call(call, timeout: timeout) { [weak self, path] result in
                self?.pendingCalls[key] = nil
                completion(
                    result.mapError { error in
                        switch error {
                        case let error as BusError: BlueZError(error)
                        // Nobody else cancels it.
                        case is CancellationError: BlueZError.gone("\(method) of \(path)")
                        default: error
                        }
                    })
            }
        } catch {
            MainLoop.shared.async { completion(.failure(error)) }
        }
    }

    /// Asks bluetoothd for a property.
    ///
    /// - Parameter interface: another one of the object; nil for its own.
    func fetchProperty(_ name: String, of interface: String? = nil) async throws -> BusValue {
        let call = MethodCall(
            destination: BlueZSession.serviceName, path: path, interface: "org.freedesktop.DBus.Properties",
            method: "Get", arguments: [.string(interface ?? self.interface), .string(name)])
        do {
            return try await connection.call(call).first()
        } catch let error as BusError {
            throw BlueZError(error)
        }
    }

    func setProperty<T: BusType>(_ name: String, to value: T) async throws {
        let call = MethodCall(
            destination: BlueZSession.serviceName, path: path, interface: "org.freedesktop.DBus.Properties",
            method: "Set", arguments: [.string(interface), .string(name), .variant(value.busValue)])
        do {
            _ = try await connection.call(call)
        } catch let error as BusError {
            throw BlueZError(error)
        }
    }
}

/// What one PropertiesChanged signal said.
package struct PropertyChanges: Swift.Sendable {
    package let changed: [String: BusValue]
    package let invalidated: [String]

    /// Whether `name` has a new value, or lost its value.
    package func contains(_ name: String) -> Bool {
        changed[name] != nil || invalidated.contains(name)
    }
}
