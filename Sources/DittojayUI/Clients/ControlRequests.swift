import Foundation

/// Requests in JSON as the page composes them, and as they are sent on.
enum ControlRequests {
    /// What the page may ask of a dittojay: what is about its peripheral. Events and status come over the page's
    /// stream, and a page does not end the program.
    static let peripheralCommands: Set<String> = [
        "chirp", "set", "send", "add-service", "remove-service", "disconnect", "add-fault", "clear-faults", "advertise",
        "silence", "power", "passkey", "confirm",
    ]
    /// The same of the radio: its files are none of the page's business.
    static let radioCommands: Set<String> = ["move"]

    /// A request about a peripheral, on a line without its end.
    ///
    /// - Parameter peripheral: its identifier; empty if the process has one.
    static func line(_ request: [String: Any], about peripheral: String = "") -> [UInt8] {
        var request = request
        if !peripheral.isEmpty { request["peripheral"] = peripheral }
        guard JSONSerialization.isValidJSONObject(request),
            let data = try? JSONSerialization.data(withJSONObject: request, options: [.sortedKeys])
        else { return Array("{}".utf8) }
        return Array(data)
    }
}
