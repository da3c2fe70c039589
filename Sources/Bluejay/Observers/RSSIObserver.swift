/// Receives the signal strength that ``Bluejay/readRSSI()`` requests.
public protocol RSSIObserver: AnyObject {
    /// - Parameters:
    ///   - peripheral: the connected peripheral.
    ///   - RSSI: signal strength in dBm; meaningless if there is an error.
    ///   - error: CoreBluetooth's error, if any.
    func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: Error?)
}
