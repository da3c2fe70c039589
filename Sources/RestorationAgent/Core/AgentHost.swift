package import CoreBluetooth
import Foundation

/// What the agent needs of the system beside Bluetooth. Used on the agent's queue only.
package protocol AgentHost: AnyObject {
    /// Starts a program with launch options.
    ///
    /// - Returns: its process.
    func launch(_ app: AppRecord) throws -> ProcessMark?
    /// Whether a process still runs.
    func isAlive(_ process: ProcessMark) -> Bool
    /// Seconds since some moment.
    var now: Double { get }
    /// Calls `action` on the agent's queue in `seconds`, unless the timer is released before.
    func after(_ seconds: Double, _ action: @escaping () -> Void) -> AnyObject
    /// Puts the record on disk.
    func save(_ record: RestorationRecord)
    /// Reports to whoever looks after the agent.
    func log(_ text: String)
}
