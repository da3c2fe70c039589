import BlueZ
import Testing

@Suite struct BlueZVersionTests {
    @Test func `bluetoothd's version is in its modalias`() throws {
        let version = try #require(BlueZVersion(modalias: "usb:v1D6Bp0246d0542"))
        #expect(version == BlueZVersion(5, 66) && version.description == "5.66")
        #expect(version < BlueZVersion(5, 82) && version > BlueZVersion(4, 101))
    }

    @Test(arguments: [
        "", "usb:v1D6Bp0246", "usb:v1D6Bp0246d", "usb:v1D6Bp0246d054", "usb:v1D6Bp0002d0542", "usb:v1D6Bp0246dXYZW",
        "bluetooth:v05ACp1234d0542",
    ])
    func `something else is no version`(modalias: String) {
        #expect(BlueZVersion(modalias: modalias) == nil)
    }

    @Test func `versions are ordered by their numbers`() throws {
        #expect(try #require(BlueZVersion("5.9")) < BlueZVersion(5, 48))
        #expect(BlueZVersion("5.66") == BlueZVersion(5, 66))
    }

    @Test(arguments: [(BlueZVersion(5, 66), false), (BlueZVersion(5, 82), true), (BlueZVersion(5, 87), true)])
    func `newer releases have a socket for each subscriber`(version: BlueZVersion, hasThem: Bool) {
        #expect(version.hasSocketForEachSubscriber == hasThem)
    }

    @Test(arguments: ["", "bluetoothd", "5", "5.66\n", "5.x"])
    func `what is not printed by bluetoothd is no version`(text: String) {
        #expect(BlueZVersion(text) == nil)
    }
}
