import Bluejay
import Testing
import UIKitStandIns

/// A file of the same program. It uses the stand-ins' launch options and has none of its own.
extension OwnUIKitTests {
    @Test func `restoration can be set up without the stand-ins`() {
        let delegate = AppDelegate()
        let options: LaunchOptions = [.bluetoothCentrals: ["here"]]
        let config = BackgroundRestoreConfig(
            restoreIdentifier: "here", backgroundRestorer: delegate, listenRestorer: delegate, launchOptions: options)
        #expect(config.isRestoringFromBackground)
        #expect(Bluejay.launchOptions == nil)
    }
}
