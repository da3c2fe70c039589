import LineOutput
package import Logging

/// Writes the log to standard error, one line for each message:
///
///     20:15:03.120441 debug bluejay.bluez: bluetoothd: available
///     20:15:03.180027 trace bluejay.dbus: call org.bluez.Device1.Connect path=/org/bluez/hci0/… to=org.bluez
///
/// It does not wait for the reader of standard error: see ``StandardError``.
package struct LineLogHandler: LogHandler {
    private let label: String
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    package init(label: String, logLevel: Logger.Level) {
        self.label = label
        self.logLevel = logLevel
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        StandardError.write(line(for: event, at: .now))
    }

    func line(for event: LogEvent, at time: Timestamp) -> String {
        var line = "\(time.timeOfDay) \(event.level) \(label): \(event.message)"
        let provided = metadataProvider?.get() ?? [:]
        let all = metadata.merging(provided) { $1 }.merging(event.metadata ?? [:]) { $1 }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
        return line
    }
}
