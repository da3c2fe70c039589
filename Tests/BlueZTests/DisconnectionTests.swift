import Testing

@testable import BlueZ

/// Why links have ended, as the kernel and bluetoothd write it.
struct DisconnectionTests {
    /// Device Disconnected of the kernel's controller 1: the address, its type and the reason.
    private let packet: [UInt8] = [0x0C, 0, 1, 0, 8, 0, 0x02, 0xAB, 0, 0, 0, 0xC0, 2, 1]

    @Test func `the kernel's event has the controller, the address and the reason`() {
        let end = EndedLink(controller: 1, address: "C0:00:00:00:AB:02", reason: .timeout)
        #expect(DisconnectionMonitor.end(in: packet[...]) == end)
    }

    @Test func `each number is a reason`() {
        let reasons: [DisconnectionReason] = [.unknown, .timeout, .local, .remote, .authentication, .suspend]
        for (number, reason) in reasons.enumerated() {
            let event = packet.dropLast() + [UInt8(number)]
            #expect(DisconnectionMonitor.end(in: event[...])?.reason == reason)
        }
    }

    @Test func `a number that is not known is no reason in particular`() {
        #expect(DisconnectionMonitor.end(in: (packet.dropLast() + [99])[...])?.reason == .unknown)
    }

    @Test func `other events and short ones are ignored`() {
        #expect(DisconnectionMonitor.end(in: ([0x0B] + packet.dropFirst())[...]) == nil)
        for count in 0..<packet.count { #expect(DisconnectionMonitor.end(in: packet[..<count]) == nil) }
    }

    @Test func `bluetoothd's words are the same reasons`() {
        #expect(DisconnectionReason(bluezName: "org.bluez.Reason.Timeout") == .timeout)
        #expect(DisconnectionReason(bluezName: "org.bluez.Reason.Remote") == .remote)
        #expect(DisconnectionReason(bluezName: "timeout") == nil)
    }
}
