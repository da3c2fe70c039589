/// What ``CBCentralManager`` and ``CBPeripheralManager`` have in common: the state of the Bluetooth controller.
// @unchecked: the state of a manager, its subclasses' included, is only touched on the manager's queue.
open class CBManager: NSObject, @unchecked Swift.Sendable {
    /// What the controller can do at the moment. ``CBManagerState/unknown`` until the first call of the delegate, which
    /// always comes.
    open internal(set) var state: CBManagerState = .unknown

    /// Whether the program may use Bluetooth. Always allowed on Linux: who may is up to the policy of the system bus, and
    /// a program that it refuses finds the manager in the state ``CBManagerState/unauthorized``.
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
