import Dittojay
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

    /// The controllers of peripherals. What the general variable names beside the other one is for the centrals of this
    /// machine.
    static func choice(given: [String]) -> ControllerChoice {
        let central = ProcessInfo.processInfo.environment[names[1]]
        let chosen = chosen
        return ControllerChoice(
            given: given, first: chosen.adapter, reserved: chosen.name == names[1] || central == "" ? nil : central)
    }
}
