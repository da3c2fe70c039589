/// A scan of a program, which is to be resumed by its next run.
package struct ScanRecord: Codable, Hashable, Sendable {
    /// The address of the controller.
    package var adapter: String
    /// UUIDs as bluetoothd writes them, of which a device has to advertise one; nil for any device.
    package var services: [String]?
    /// Whether each advertisement is reported, and not only what is new.
    package var allowsDuplicates: Bool

    package init(adapter: String, services: [String]?, allowsDuplicates: Bool) {
        self.adapter = adapter
        self.services = services
        self.allowsDuplicates = allowsDuplicates
    }

    /// Whether it is for a device with these services.
    package func isFor(_ advertised: Set<String>) -> Bool {
        services.map { !advertised.isDisjoint(with: $0) } ?? false
    }
}
