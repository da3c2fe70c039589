import BluetoothLab
import Foundation
import Testing

/// A peripheral with values that need pairing.
enum Lock {
    static let service = "A0000001-0000-4000-8000-000000000001"
    /// Needs a link that was authenticated.
    static let authenticated = "A0000002-0000-4000-8000-000000000001"
    /// Needs one that was authenticated by LE Secure Connections.
    static let secure = "A0000003-0000-4000-8000-000000000001"

    /// Its profile.
    ///
    /// - Parameter pairing: as profile files have it: `{io: display}`.
    static func profile(pairing: String) -> String {
        """
        local-name: Lock
        services:
          - uuid: \(service)
            advertised: true
            characteristics:
              - {uuid: \(authenticated), properties: [read], authenticated: true, value: "text:open"}
              - {uuid: \(secure), properties: [read], secure-connections: true, value: "text:safe"}
        pairing: \(pairing)

        """
    }

    /// The digits in an event of bluejay.
    static func passkey(in line: String) throws -> String {
        // A terminal's lines end in two characters.
        try #require(object(line.trimmingCharacters(in: .whitespacesAndNewlines))["passkey"] as? String)
    }

    static func passkey(in event: SensorEvent) throws -> String { try #require(event.passkey, "\(event)") }

    /// Digits that are not these.
    static func another(_ passkey: String) -> String { passkey == "000000" ? "000001" : "000000" }
}
