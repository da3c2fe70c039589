import Bluejay
import OwnUIKit
import Testing

/// A program that has its own stand-ins for UIKit and imports Bluejay. Most of the proof is that this compiles.
@Suite struct OwnUIKitTests {
    final class AppDelegate: UIApplicationDelegate, BackgroundRestorer, ListenRestorer {
        var isLaunched = false

        func applicationDidFinishLaunching() {
            isLaunched = true
        }

        func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion { .continue }

        func didFailToRestoreConnection(
            to peripheral: PeripheralIdentifier, error: Error
        ) -> BackgroundRestoreCompletion { .continue }

        func didReceiveUnhandledListen(
            from peripheral: PeripheralIdentifier, on characteristic: CharacteristicIdentifier, with value: Data?
        ) -> ListenRestoreAction { .promiseRestoration }
    }

    @Test func `a program's own stand-ins for UIKit do not clash with Bluejay's`() {
        let delegate = AppDelegate()
        delegate.applicationDidFinishLaunching()
        #expect(delegate.isLaunched)
        #expect(UIApplication.shared === UIApplication.shared)
        #expect([UIApplication.LaunchOptionsKey(): 1].count == 1)
    }
}
