import Testing

@testable import BlueZ

@Suite struct L2CAPAddressTests {
    @Test func `an address is encoded as the kernel has it`() throws {
        let address = L2CAPAddress(device: "C1:02:03:04:05:06", isRandom: true, psm: 0x92)
        // Family 31, the number, the address from its end, no channel, random.
        let bytes: [UInt8] = [31, 0, 0x92, 0, 6, 5, 4, 3, 2, 0xC1, 0, 0, 2, 0]
        #expect(try address.encoded() == bytes)
        #expect(L2CAPAddress(encoded: bytes) == address)
        #expect(try L2CAPAddress(device: "00:AA:01:00:00:00", isRandom: false).encoded()[12] == 1)
    }

    @Test(arguments: ["", "00:AA:01:00:00", "00:AA:01:00:00:00:00", "00:AA:01:00:00:GG", "00:AA:1:00:00:000", "a"])
    func `what is no address is refused`(text: String) {
        #expect(throws: BlueZError.invalidArguments("the address '\(text)'")) {
            try L2CAPAddress(device: text, isRandom: false).encoded()
        }
    }

    @Test func `an address of classic Bluetooth or one that is cut off is none`() {
        #expect(L2CAPAddress(encoded: [31, 0, 0x92, 0, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0]) == nil)
        #expect(L2CAPAddress(encoded: [31, 0, 0x92, 0, 6, 5, 4, 3, 2, 1, 0, 0]) == nil)
        #expect(L2CAPAddress(encoded: []) == nil)
    }

    @Test(arguments: [
        ("6.10.0-rc1", true), ("6.12.117", true), ("7.0", true), ("6.9.12-generic", false), ("6.1.0-37-amd64", false),
        ("", false), ("x", false),
    ])
    func `kernels from 6 10 on hold a peer back`(release: String, holdsBack: Bool) {
        #expect(L2CAPDescriptor.hasFlowControl(release) == holdsBack)
    }
}
