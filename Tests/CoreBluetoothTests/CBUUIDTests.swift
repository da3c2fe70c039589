import Testing

@testable import CoreBluetooth

@Suite struct CBUUIDTests {
    static let spellings = ["180D", "0000180D", "0000180D-0000-1000-8000-00805F9B34FB"]

    @Test(arguments: spellings) func `text keeps the width it was created with, in upper case`(text: String) {
        #expect(CBUUID(string: text.lowercased()).uuidString == text)
    }

    @Test func `data keeps the width and has the most significant byte first`() {
        #expect(CBUUID(string: "180d").data == Data([0x18, 0x0D]))
        #expect(CBUUID(string: "1234ABCD").data == Data([0x12, 0x34, 0xAB, 0xCD]))
        #expect(
            CBUUID(string: "CED261B7-F120-41C8-9A92-A41DE69CF2A8").data
                == Data([
                    0xCE, 0xD2, 0x61, 0xB7, 0xF1, 0x20, 0x41, 0xC8, 0x9A, 0x92, 0xA4, 0x1D, 0xE6, 0x9C, 0xF2, 0xA8,
                ]))
    }

    @Test func `data starts at index zero`() {
        for text in Self.spellings { #expect(CBUUID(string: text).data.startIndex == 0) }
        #expect(CBUUID(string: "180D").data[1] == 0x0D)
    }

    @Test(arguments: spellings) func `data and text make the same UUID`(text: String) {
        let uuid = CBUUID(string: text)
        let copy = CBUUID(data: uuid.data)
        #expect(copy == uuid)
        #expect(copy.uuidString == text)
    }

    @Test func `a slice of data is read from its own start`() {
        let packet = Data([0xFF, 0xFF, 0x18, 0x0D])
        #expect(CBUUID(data: packet[2...]) == CBUUID(string: "180D"))
    }

    @Test func `all widths of one UUID are equal, hash alike and meet in collections`() {
        let uuids = Self.spellings.map { CBUUID(string: $0) }
        #expect(Set(uuids).count == 1)
        #expect(Set(uuids.map(\.hash)).count == 1)
        for (first, second) in zip(uuids, uuids.dropFirst()) { #expect(first == second) }

        var data: [CBUUID: Data] = [uuids[0]: Data([1])]
        data[uuids[2]] = Data([2])
        #expect(data == [uuids[1]: Data([2])])
        #expect([uuids[0]].contains(uuids[2]))
    }

    @Test func `different UUIDs are not equal`() {
        #expect(CBUUID(string: "180D") != CBUUID(string: "180E"))
        #expect(CBUUID(string: "180D") != CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FC"))
        #expect(!CBUUID(string: "180D").isEqual("180D"))
    }

    @Test func `a UUID from nothing is all zeros, as a placeholder`() {
        #expect(CBUUID() == CBUUID(string: "00000000-0000-0000-0000-000000000000"))
        #expect(CBUUID().data == Data(count: 16))
        #expect(CBUUID() != CBUUID(string: "0000"))
    }

    @Test func `a Foundation UUID becomes a 128-bit UUID`() throws {
        let uuid = try #require(UUID(uuidString: "83B4A431-A6F1-4540-B3EE-3C14AEF71A04"))
        #expect(CBUUID(nsuuid: uuid).uuidString == uuid.uuidString)
        #expect(CBUUID(nsuuid: uuid) == CBUUID(string: uuid.uuidString))
    }

    @Test(
        arguments: [
            "", "180", "180DA", "0x18", "18 D", "+80D", "-80D", "180G", "{180D}", "0000180D00001000800000805F9B34FB",
            "0000180D-0000-1000-8000-00805F9B34F", "0000180D-0000-1000-8000-00805F9B34FG",
            "0000180D-0000-1000-80000-0805F9B34FB", "{000180D-0000-1000-8000-00805F9B34F}", "１８０Ｄ", "é80",
        ]) func `text that is not a UUID is refused where it may be wrong`(text: String)
    {
        #expect(CBUUID(validating: text) == nil)
        #expect(CBUUID(shortening: text) == nil)
    }

    @Test(arguments: spellings) func `valid text passes the check`(text: String) {
        #expect(CBUUID(validating: text)?.uuidString == text)
    }

    @Test func `UUIDs from BlueZ come in their shortest form`() {
        func short(_ text: String) -> String? { CBUUID(shortening: text)?.uuidString }
        #expect(short("00002a37-0000-1000-8000-00805f9b34fb") == "2A37")
        #expect(short("12345678-0000-1000-8000-00805f9b34fb") == "12345678")
        #expect(short("ced261b7-f120-41c8-9a92-a41de69cf2a8") == "CED261B7-F120-41C8-9A92-A41DE69CF2A8")
        #expect(short("00002a37-0000-1000-8000-00805f9b34fc") == "00002A37-0000-1000-8000-00805F9B34FC")
    }

    @Test func `the full text has 128 bits for any width`() {
        for text in Self.spellings { #expect(CBUUID(string: text).fullText == Self.spellings[2]) }
    }

    @Test func `the description is the assigned name where there is one`() {
        #expect("\(CBUUID(string: "180D"))" == "Heart Rate")
        #expect(CBUUID(string: "2A29").description == "Manufacturer Name String")
        #expect(CBUUID(string: "FFF0").description == "FFF0")
        let own = "CED261B7-F120-41C8-9A92-A41DE69CF2A8"
        #expect(CBUUID(string: own).description == own)
    }

    @Test func `a copy is equal`() {
        let uuid = CBUUID(string: "180D")
        #expect(uuid.copy() as? CBUUID == uuid)
    }

    @Test(
        arguments: [
            (CBUUIDCharacteristicExtendedPropertiesString, "2900"),
            (CBUUIDCharacteristicUserDescriptionString, "2901"),
            (CBUUIDClientCharacteristicConfigurationString, "2902"),
            (CBUUIDServerCharacteristicConfigurationString, "2903"),
            (CBUUIDCharacteristicFormatString, "2904"),
            (CBUUIDCharacteristicAggregateFormatString, "2905"),
            (CBUUIDCharacteristicValidRangeString, "2906"),
            (CBUUIDCharacteristicObservationScheduleString, "2910"),
            (CBUUIDL2CAPPSMCharacteristicString, "ABDD3056-28FA-441D-A470-55A75A52553A"),
        ]) func `the constants for descriptors are UUIDs`(constant: String, text: String)
    {
        #expect(CBUUID(validating: constant)?.uuidString == text)
    }

    @Test func `text that is not a UUID ends the program in the initializer that cannot fail`() async {
        await #expect(processExitsWith: .failure) { _ = CBUUID(string: "heart rate") }
        await #expect(processExitsWith: .failure) { _ = CBUUID(data: Data([1, 2, 3])) }
    }
}
