import Foundation

/// The environment variables that choose the adapter if no option does.
enum AdapterVariable {
    /// The first counts: it is for dittojay alone, so that a central on the same machine can have another adapter.
    private static let names = ["DITTOJAY_ADAPTER", "BLUETOOTH_ADAPTER"]

    /// The variable that chooses, and the adapter that it chooses; the general variable, and nil, if none does. An
    /// empty variable does not count: a compose file passes one on for a variable that is not set.
    static var chosen: (name: String, adapter: String?) {
        let environment = ProcessInfo.processInfo.environment
        let name = names.first { environment[$0]?.isEmpty == false }
        return (name ?? names[1], name.flatMap { environment[$0] })
    }
}
