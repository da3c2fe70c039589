import BluetoothLab
import CoreBluetooth
import Testing

extension AmongMany {
    /// Controllers without extended advertising, as those of Bluetooth 4.2: they send one advertisement at a time, and
    /// the kernel changes between those of all programs.
    @Suite struct LegacyAdvertising {
        /// When a link ends, the kernel goes back to the advertisement that the link was made by, whether it still has
        /// it or not.
        ///
        /// - Parameter isReported: whether the peripheral's side of the link is reported before that is removed.
        @Test(arguments: [true, false])
        func `a central comes back when the advertisement that it came by was removed`(isReported: Bool) async throws {
            try await Lab.here.reset()
            var (current, next) = (Beacon(), Beacon("C0000901-0000-4000-8000-000000000000"))
            let central = PlainCentral()
            try await current.start()
            try await central.connect(advertising: current.service.uuidString)
            for _ in 0..<3 {
                if isReported { try await Lab.here.waitUntilConnected(Lab.centralAddress, on: Lab.sensorAdapter) }
                try await next.start()
                try await current.stop()
                try await central.disconnect()
                try await central.connect()
                swap(&current, &next)
            }
            try await central.disconnect()
            try await current.stop()
        }
    }
}
