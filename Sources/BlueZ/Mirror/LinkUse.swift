/// Who in this process uses the link to a device, and whether this process has made it.
///
/// bluetoothd ends a link for any program that asks it to, whoever else uses it, and does not say who does. One that
/// was there before this process wanted it is another program's to end.
package struct LinkUse: Swift.Sendable {
    private var users: Set<ObjectIdentifier> = []
    private var isOwn = false

    /// - Parameter isOwn: whether the user has made the link, or ends it in place of the one that has.
    package mutating func begin(_ user: AnyObject, isOwn: Bool) {
        users.insert(ObjectIdentifier(user))
        if isOwn { self.isOwn = true }
    }

    /// - Returns: whether the link is to be ended: this process has made it, and nobody else in it uses it.
    package mutating func end(_ user: AnyObject) -> Bool {
        users.remove(ObjectIdentifier(user))
        return isOwn && users.isEmpty
    }
}
