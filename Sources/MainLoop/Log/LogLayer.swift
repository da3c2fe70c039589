package import Logging

/// A layer of the package that logs. The raw value is the label of its logger.
///
/// The layers log at `debug` (what they do, and why a step is tried again) and at `trace` (each call and each value).
/// Only wrong use of an API, and faults that no delegate method can report, are at `warning` or `error`. So they are
/// silent under swift-log's default handler, which drops what is below `info`.
package enum LogLayer: String, CaseIterable, Swift.Sendable {
    case dbus = "bluejay.dbus"
    case bluez = "bluejay.bluez"
    case coreBluetooth = "bluejay.corebluetooth"
    case restoration = "bluejay.restoration"
    case bluejay = "bluejay"
    case dittojay = "dittojay"

    /// What a user calls it: the label without the package's name.
    package var shortName: String {
        rawValue.split(separator: ".").last.map(String.init) ?? rawValue
    }
}

extension Logger {
    /// The logger of a layer, by the handler that the program has chosen (`LoggingSystem.bootstrap`).
    package init(_ layer: LogLayer) {
        self.init(label: layer.rawValue)
    }
}
