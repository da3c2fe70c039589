import DBus

/// What services, characteristics and descriptors have in common.
// @unchecked: programs use attributes on any thread. What changes, in the subclasses too, is behind a lock.
open class CBAttribute: NSObject, @unchecked Swift.Sendable {
    /// What kind of attribute it is.
    open var uuid: CBUUID { storedUUID }

    private let storedUUID: CBUUID

    /// The object path of the attribute in BlueZ: of a remote one while its peripheral is connected, of a local one
    /// while it is published.
    package var objectPath: String? { path?.string }

    /// The same as ``objectPath``, checked.
    var path: ObjectPath? {
        get { lockedPath.withLock { $0 } }
        set { lockedPath.withLock { $0 = newValue } }
    }

    private let lockedPath = Locked<ObjectPath?>(nil)

    init(uuid: CBUUID) {
        storedUUID = uuid
        super.init()
    }
}
