import DBus

/// Where agents are registered (BlueZ: `org.bluez.AgentManager`, `doc/agent-api.txt`).
enum AgentManager1: BusInterface {
    static let name = "org.bluez.AgentManager1"
    /// The object that has it.
    static let path = ObjectPath.root.appending("org").appending("bluez")

    // MARK: Methods

    static let registerAgent = Method("RegisterAgent")
    static let requestDefaultAgent = Method("RequestDefaultAgent")
    static let unregisterAgent = Method("UnregisterAgent")
}
