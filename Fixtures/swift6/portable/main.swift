// Code of one source for iOS and Linux, as the article on Swift 6 shows it.

#if canImport(CoreBluetooth)
    import CoreBluetooth
#endif

#if canImport(UIKit)
    import UIKit

    func vibrate() {
        UIImpactFeedbackGenerator().impactOccurred()
    }
#else
    func vibrate() {}
#endif

#if os(Linux)
    let options = [CBCentralManagerOptionAdapterKey: "hci1"]
#else
    let options = [CBCentralManagerOptionRestoreIdentifierKey: "sensor"]
#endif

vibrate()
let manager = CBCentralManager(delegate: nil, queue: nil, options: options)
print(manager.isScanning)
