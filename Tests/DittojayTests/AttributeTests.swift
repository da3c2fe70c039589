import Testing

@testable import GATTProfiles

@Suite struct AttributePathTests {
    private func matches(_ text: String, service: String, _ characteristic: String, _ name: String?) throws -> Bool {
        let path = try #require(AttributePath(text))
        let isService = path.service?.matches(uuid: service, name: "Heart Rate") ?? true
        return isService && path.characteristic.matches(uuid: characteristic, name: name)
    }

    @Test(arguments: [
        "2A38", "2a38", "180D/2A38", "00002a38-0000-1000-8000-00805f9b34fb", "00002A38", "body-sensor-location",
        "0x2A38", "0X2a38", "0x180D/0x2A38", "00002a3800001000800000805f9b34fb", "0x00002A3800001000800000805F9B34FB",
        "Body Sensor Location", "heart-rate/2A38", "heart-rate/body-sensor-location",
        "0000180D/body-sensor-location",
    ])
    func `UUIDs and names in every form lead to the characteristic`(text: String) throws {
        #expect(try matches(text, service: "180D", "2A38", "Body Sensor Location"))
    }

    @Test(arguments: [
        "2A37", "180F/2A38", "battery/2A38", "sensor-location", "00002a38-0000-1000-8000-00805f9b34fc", "----",
        "0x", "0x2A3", "0x0x2A38", "00002a3800001000800000805f9b34f-", "00002a3800001000800000805f9b34fc",
    ])
    func `another characteristic or service does not match`(text: String) throws {
        #expect(try !matches(text, service: "180D", "2A38", "Body Sensor Location"))
    }

    @Test(arguments: ["", "/", "a/", "/a", "a/b/c"])
    func `what is not one or two parts is refused`(text: String) {
        #expect(AttributePath(text) == nil)
    }

    @Test func `the package's own attributes have names`() {
        #expect(OwnAttributes.name(ofUUID: ChirpService.chirp.lowercased()) == "Chirp")
        #expect(OwnAttributes.name(ofUUID: "2A37") == nil)
    }
}

@Suite struct KnownValueTests {
    @Test func `known characteristics are decoded`() {
        #expect(KnownValue([0, 72], ofCharacteristic: "2A37") == .heartRate(HeartRateMeasurement(rate: 72)))
        #expect(KnownValue([2], ofCharacteristic: "2A38") == .bodySensorLocation(.wrist))
        #expect(KnownValue([99], ofCharacteristic: "2A19") == .batteryLevel(99))
        #expect(KnownValue(Array("Dittojay".utf8), ofCharacteristic: "2A00") == .text("Dittojay"))
        #expect(
            KnownValue([1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], ofCharacteristic: LabService.sinkCount)
                == .sinkCount(.init(writes: 1, byteCount: 256)))
    }

    @Test func `unknown characteristics and malformed values are left alone`() {
        #expect(KnownValue([1], ofCharacteristic: "FFFF") == nil)
        #expect(KnownValue([], ofCharacteristic: "2A37") == nil)
        #expect(KnownValue([7], ofCharacteristic: "2A38") == nil)
        #expect(KnownValue([1, 2], ofCharacteristic: "2A38") == nil)
        #expect(KnownValue([], ofCharacteristic: "2A19") == nil)
        #expect(KnownValue([0xFF], ofCharacteristic: "2A00") == nil)
        #expect(KnownValue([1], ofCharacteristic: LabService.sinkCount) == nil)
    }
}
