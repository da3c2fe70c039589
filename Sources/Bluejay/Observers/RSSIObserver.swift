/// Receives what ``Bluejay/readRSSI()`` asked for.
public protocol RSSIObserver: AnyObject {
    /// - Parameters:
    ///   - peripheral: which one.
    ///   - RSSI: signal strength in dBm; without meaning if there is an error.
    ///   - error: CoreBluetooth's error, if any.
    func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: Error?)
}
