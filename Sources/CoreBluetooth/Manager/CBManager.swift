/// What ``CBCentralManager`` and ``CBPeripheralManager`` have in common: the state of the Bluetooth controller.
// @unchecked: programs call managers on any thread. What changes, in the subclasses too, is behind a lock; the rest is
// constant.
open class CBManager: NSObject, @unchecked Swift.Sendable {
    /// What the controller can do at the moment. ``CBManagerState/unknown`` until the first call of the delegate, which
    /// always comes.
    open internal(set) var state: CBManagerState {
        get { lockedState.withLock { $0 } }
        set { lockedState.withLock { $0 = newValue } }
    }

    private let lockedState = Locked(CBManagerState.unknown)

    /// Whether the program may use Bluetooth. Always allowed on Linux: the policy of the system bus decides, and a
    /// program that it refuses finds the manager in the state ``CBManagerState/unauthorized``.
    open class var authorization: CBManagerAuthorization { .allowedAlways }

    /// As the class property of the same name.
    @available(*, deprecated, message: "Use the class property")
    open var authorization: CBManagerAuthorization { Self.authorization }

    /// The queue on which the delegate is called.
    let queue: DispatchQueue

    /// - Parameter queue: the main queue if nil.
    init(queue: DispatchQueue?) {
        self.queue = queue ?? .main
        super.init()
    }
}
