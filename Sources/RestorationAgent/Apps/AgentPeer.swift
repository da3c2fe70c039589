package import CoreBluetooth

/// The end of a program's connection that the agent talks to. Used on the agent's queue only.
package protocol AgentPeer: AnyObject {
    /// The program's process, as reported by the kernel; nil if it does not report one.
    var process: ProcessMark? { get }
    func send(_ message: AgentMessage, passing descriptor: Int32?)
    /// Ends the connection, for a fault of the program's.
    func close()
}
