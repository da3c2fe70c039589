/// What a manager's controller can do at the moment.
public enum CBManagerState: Int, Swift.Sendable {
    /// Not known yet; an update follows.
    case unknown = 0
    /// The connection to bluetoothd is lost; an update follows.
    case resetting = 1
    /// There is no controller that supports Bluetooth Low Energy in the manager's role.
    case unsupported = 2
    /// The program is not allowed to use Bluetooth.
    case unauthorized = 3
    /// The controller is switched off.
    case poweredOff = 4
    /// The controller is on and can be used.
    case poweredOn = 5
}

/// Whether a program may use Bluetooth.
public enum CBManagerAuthorization: Int, Swift.Sendable {
    /// The user has not been asked yet. Does not occur on Linux.
    case notDetermined = 0
    /// The system forbids it.
    case restricted = 1
    /// It was refused.
    case denied = 2
    /// It is allowed.
    case allowedAlways = 3
}

/// What a central manager's controller can do at the moment; the older name of ``CBManagerState``.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBCentralManagerState: Int, Swift.Sendable {
    /// See ``CBManagerState``.
    case unknown = 0
    case resetting, unsupported, unauthorized, poweredOff, poweredOn
}

/// What a peripheral manager's controller can do at the moment; the older name of ``CBManagerState``.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBPeripheralManagerState: Int, Swift.Sendable {
    /// See ``CBManagerState``.
    case unknown = 0
    case resetting, unsupported, unauthorized, poweredOff, poweredOn
}

/// Whether a program may share data in the peripheral role; the older name of ``CBManagerAuthorization``.
@available(*, deprecated, renamed: "CBManagerAuthorization")
public enum CBPeripheralManagerAuthorizationStatus: Int, Swift.Sendable {
    /// See ``CBManagerAuthorization``.
    case notDetermined = 0
    case restricted, denied, authorized
}
