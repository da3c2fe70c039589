import Testing

@testable import BlueZ

/// What the kernel reports about links.
struct KernelLinkTests {
    /// Two links as the kernel lays them out, the second one encrypted, in room for more.
    private let list: [UInt8] =
        [0, 0, 2, 0]
        + [0x01, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0xC0, 0x80, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00]
        + [0x02, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0xC0, 0x80, 0x01, 0x01, 0x00, 0x05, 0x00, 0x00, 0x00]
        + [0x03, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0xC0, 0x80, 0x01, 0x01, 0x00, 0x04, 0x00, 0x00, 0x00]

    @Test(arguments: [
        ("C0:00:00:00:00:01", KernelLinks.Entry(handle: 1, mode: 0x00)),
        ("C0:00:00:00:00:02", KernelLinks.Entry(handle: 2, mode: 0x05)), ("C0:00:00:00:00:03", nil), ("hci0", nil),
    ])
    private func `a link is found by its address`(address: String, entry: KernelLinks.Entry?) {
        #expect(KernelLinks.entry(of: address, in: list) == entry)
    }

    @Test(arguments: ["", "hci0", "C0:00:00:00:00", "C0:00:00:00:00:01"])
    func `there is nothing to tell of a controller that is not there`(address: String) {
        #expect(KernelLinks.link(controller: 0xFFFF, address: address) == nil)
    }
}
