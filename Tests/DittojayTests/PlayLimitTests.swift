import BlueZ
import DBus
import Foundation
import Testing

@testable import Dittojay

@Suite("Lists of steps at a time")
struct PlayLimitTests {
    @Test("what a central asks for faster than it ends does not pile up, and that is said")
    func limit() {
        let queue = DispatchQueue(label: "test")
        // There is no bus: all of this is over before the peripheral learns that.
        let session = BlueZSession { () throws(BusError) in throw .cannotConnect(address: "", reason: "a test") }
        let peripheral = VirtualPeripheral(
            profile: .default, options: VirtualPeripheral.Options(), queue: queue, session: session)
        queue.sync {
            var failures: [String] = []
            peripheral.onEvent = { event in
                if event.kind == .failed { failures.append(event.message ?? "") }
            }
            peripheral.start()
            var ends = 0
            for _ in 0..<VirtualPeripheral.maximumPlays + 2 { peripheral.play([.wait(3600)]) { ends += 1 } }
            #expect(peripheral.runners.count == VirtualPeripheral.maximumPlays)
            #expect(ends == 2 && failures.count == 2)
            #expect(failures.first?.hasPrefix("scenario: 256 lists of steps are being played already") == true)
            peripheral.stop()
        }
    }
}
