import Foundation

/// The environment variables that choose the adapter where no option does.
enum AdapterVariable {
    /// The first counts: it is for dittojay alone, so that a central on the same machine can have another adapter.
    private static let names = ["DITTOJAY_ADAPTER", "BLUETOOTH_ADAPTER"]

    /// The variable that chooses, and the adapter that it chooses; the general one, and nil, if none does. Empty is as good as
    /// not there: so is a variable that a compose file passes on.
    static var chosen: (name: String, adapter: String?) {
        let environment = ProcessInfo.processInfo.environment
        let name = names.first { environment[$0]?.isEmpty == false }
        return (name ?? names[1], name.flatMap { environment[$0] })
    }
}
