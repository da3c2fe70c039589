/// What services, characteristics and descriptors have in common.
// @unchecked: the state of an attribute, its subclasses' included, is only touched on its manager's queue.
open class CBAttribute: NSObject, @unchecked Swift.Sendable {
    /// What kind of attribute it is.
    open var uuid: CBUUID { storedUUID }

    private let storedUUID: CBUUID

    /// The object path of the attribute in BlueZ: of a remote one while its peripheral is connected, of a local one while
    /// it is published.
    package var objectPath: String?

    init(uuid: CBUUID) {
        storedUUID = uuid
        super.init()
    }
}
