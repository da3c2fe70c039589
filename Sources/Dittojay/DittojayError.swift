/// Why a virtual peripheral cannot run, or why a command to a running one has failed.
public enum DittojayError: Error, Hashable, CustomStringConvertible, Swift.Sendable {
    /// The bus or bluetoothd cannot be reached.
    case bluetoothUnavailable(String)
    /// The controller does not exist, or there is none at all.
    case noAdapter(String)
    /// The controller cannot be switched on, or cannot be a peripheral.
    case adapterUnusable(String)
    /// Another dittojay listens at this control socket.
    case alreadyRunning(socket: String)
    /// No dittojay listens at this control socket.
    case notRunning(socket: String)
    /// The running dittojay has refused the command, or the command has failed there.
    case refused(String)
    /// The control socket does not work.
    case controlSocket(String)
    /// The device to proxy was not found, or cannot be connected to.
    case deviceUnavailable(String)
    /// What a user has asked for does not fit the device that is proxied.
    case wrongUsage(String)
    /// Centrals did not do what the scenario expects.
    case scenarioFailed(String)
    /// The report of a scenario cannot be written to its file.
    case reportNotWritten(String)

    public var description: String {
        switch self {
        case .bluetoothUnavailable(let reason), .noAdapter(let reason), .adapterUnusable(let reason),
            .refused(let reason), .controlSocket(let reason), .scenarioFailed(let reason),
            .reportNotWritten(let reason), .deviceUnavailable(let reason), .wrongUsage(let reason):
            reason
        case .alreadyRunning(let socket):
            "dittojay is already running (it answers at \(socket)); use another --socket to run a second one"
        case .notRunning(let socket): "dittojay is not running (nothing answers at \(socket))"
        }
    }
}
