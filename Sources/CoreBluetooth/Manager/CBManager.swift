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
    /// Takes to ``queue`` what is reported to the delegate.
    let delegateQueue: DelegateQueue

    private struct Pairing {
        weak var delegate: (any CBPairingDelegate)?
        var settings = PairingSettings(capability: .none, answersAll: true)
    }

    private let pairing = Locked(Pairing())

    /// - Parameter queue: the main queue if nil.
    init(queue: DispatchQueue?) {
        self.queue = queue ?? .main
        delegateQueue = DelegateQueue(self.queue)
        super.init()
    }

    /// Runs `event` on the delegate's queue, after everything that has been reported to the delegate until now.
    package func report(_ event: @escaping @Sendable () -> Void) {
        delegateQueue.post(event)
    }

    // MARK: Pairing

    /// Answers for the user while a peer pairs. A Linux addition.
    public var pairingDelegate: (any CBPairingDelegate)? { pairing.withLock { $0.delegate } }

    /// Sets who answers for the user while a peer pairs with this manager's controller; nil for nobody, which makes
    /// pairing "Just Works". A Linux addition. The delegate is not retained.
    ///
    /// bluetoothd takes one agent of each program, with one capability: of several managers, the last one to set a
    /// delegate decides about the capability for all.
    ///
    /// - Parameters:
    ///   - capability: how the user can take part.
    ///   - answersAll: whether the delegate is also asked about what this program has not begun: pairing that a central
    ///     begins, or that a request sets off. For that the program becomes bluetoothd's default agent, instead of
    ///     another program's, and all controllers of the machine have its capability. If false, it is asked about
    ///     ``CBCentralManager/pair(_:completion:)`` only, unless no other program has an agent.
    public func setPairingDelegate(
        _ delegate: (any CBPairingDelegate)?, capability: CBPairingCapability = .keyboardDisplay,
        answersAll: Bool = true
    ) {
        setPairing(
            Pairing(delegate: delegate, settings: PairingSettings(capability: capability, answersAll: answersAll)))
    }

    /// Sets a delegate for a pairing that this program begins.
    ///
    /// - Returns: brings the former one back, unless there is another one by then.
    package func setPairingDelegate(
        _ delegate: any CBPairingDelegate, forOnePairingWith capability: CBPairingCapability
    ) -> () -> Void {
        let former = pairing.withLock { $0 }
        setPairingDelegate(delegate, capability: capability, answersAll: false)
        return { [weak delegate] in
            guard self.pairingDelegate === delegate else { return }
            self.setPairing(former)
        }
    }

    private func setPairing(_ new: Pairing) {
        pairing.withLock { $0 = new }
        pairingSettingsChanged(new.delegate.map { _ in new.settings })
    }

    /// For subclasses.
    func pairingSettingsChanged(_ settings: PairingSettings?) {}
}
