/// A signal that an object on the bus sent.
package struct BusSignal: Swift.Sendable {
    /// The unique name of the connection that sent it (`:1.42`).
    package let sender: String
    package let path: ObjectPath
    package let interface: String
    package let member: String
    package internal(set) var arguments: [BusValue]
}
