package import DBus
import Foundation
package import MainLoop

/// An object of bluetoothd, mirrored: its properties are as bluetoothd reported them last.
///
/// An object that bluetoothd has removed stays usable as a value, but its calls fail; see ``isValid``.
@LoopActor
package class RemoteObject<Interface: BusInterface>: MirroredObject {
    package nonisolated let path: ObjectPath
    /// False once bluetoothd has removed the object, or has ended itself.
    package internal(set) var isValid = true
    private(set) var properties: PropertyValues<Interface>
    /// Nil when the session has been released: calls fail then, as without bluetoothd.
    private(set) weak var session: BlueZSession?
    /// Calls with a completion that bluetoothd has yet to answer.
    private var pendingCalls: [Int: PendingCall] = [:]
    private var callCount = 0

    init(path: ObjectPath, properties: PropertyValues<Interface>, session: BlueZSession) {
        self.path = path
        self.properties = properties
        self.session = session
    }

    // MARK: Changes

    /// What follows from `changes` without being said. Overridden where bluetoothd is known to leave something out.
    func completed(_ changes: PropertyChanges<Interface>) -> PropertyChanges<Interface> { changes }

    /// Called when properties have changed. Overridden by objects with a fast path; call super.
    func update(_ changes: PropertyChanges<Interface>) { properties.apply(changes) }

    /// The event by which a session reports the changes; nil for none.
    func event(_ changes: PropertyChanges<Interface>) -> BlueZEvent? { nil }

    /// Notes new values, from wherever they are known, and reports them to the session's observers.
    func apply(_ changes: PropertyChanges<Interface>) {
        let changes = completed(changes)
        update(changes)
        if let event = event(changes) { session?.send(event) }
    }

    func propertiesChanged(_ signal: BusSignal) {
        if let changes = signal.propertyChanges(of: Interface.self) { apply(changes) }
    }

    func appearedAgain(_ properties: [String: BusValue]) { update(PropertyChanges(changed: properties)) }

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
            guard let session, let connection = session.connection, connection.isConnected else { throw .notRunning }
            guard isValid else { throw .objectRemoved(path.string) }
            return connection
        }
    }

    /// Calls a method of this object, of whichever of its interfaces, and waits for the answer.
    ///
    /// - Throws: ``BlueZError``, or `CancellationError`.
    @discardableResult
    func call<Called: BusInterface>(
        _ method: InterfaceMethod<Called>, _ arguments: [BusValue] = [],
        timeout: Duration? = BusConnection.defaultTimeout
    ) async throws -> MethodReply {
        let call = MethodCall(method, of: Bluetoothd.busName, at: path, arguments: arguments)
        return try await connection.bluezCall(call, timeout: timeout)
    }

    /// Calls a method of this object; `completion` runs once, later: with ``BlueZError/gone(_:)`` if the object is
    /// removed before there is an answer.
    func call(
        _ method: InterfaceMethod<Interface>, _ arguments: [BusValue] = [],
        timeout: Duration? = BusConnection.defaultTimeout,
        completion: @escaping @LoopActor (Result<MethodReply, any Error>) -> Void
    ) {
        do {
            let call = MethodCall(method, of: Bluetoothd.busName, at: path, arguments: arguments)
            let connection = try self.connection
            callCount += 1
            let key = callCount
            pendingCalls[key] = connection.call(call, timeout: timeout) { [self] result in
                pendingCalls[key] = nil
                completion(
                    result.mapError { error in
                        switch error {
                        case let error as BusError: BlueZError(error)
                        // Only `invalidate` cancels it.
                        case is CancellationError: BlueZError.objectRemoved("\(method.name) of \(path)")
                        default: error
                        }
                    })
            }
        } catch {
            MainLoop.shared.async { completion(.failure(error)) }
        }
    }

    /// Asks bluetoothd for a property of this object, of whichever of its interfaces.
    func fetch<Asked, Value>(_ property: InterfaceProperty<Asked, Value>) async throws -> Value {
        try await connection.fetch(property, at: path)
    }

    /// Gives a property a value.
    func set<Value>(_ property: InterfaceProperty<Interface, Value>, to value: Value) async throws {
        _ = try await connection.bluezCall(.set(property, to: value, of: Bluetoothd.busName, at: path))
    }
}

/// What the object tree needs of its objects, whatever their interface.
@LoopActor
protocol MirroredObject: AnyObject {
    /// The object was reported again, with these properties.
    func appearedAgain(_ properties: [String: BusValue])
    /// A PropertiesChanged signal about the object has come.
    func propertiesChanged(_ signal: BusSignal)
}

extension Result {
    /// For answers in which nothing but the success matters.
    var withoutValue: Result<Void, Failure> {
        switch self {
        case .success: .success(())
        case .failure(let error): .failure(error)
        }
    }
}
