import Dittojay
import GATTProfiles
import Testing

@testable import DittojayUI

extension CharacteristicStatus {
    /// A characteristic with the least that can be said about it.
    static func sample(
        _ uuid: String = "FF01", name: String = "sample", value: String? = nil, sent: String? = nil,
        format: Format? = nil, notifications: UInt64 = 0
    ) -> CharacteristicStatus {
        var status = CharacteristicStatus(
            service: "service", name: name, uuid: uuid, properties: ["read", "notify"], isPublished: true,
            canBeSet: true, chirps: false)
        (status.value, status.sent, status.format, status.notifications) = (value, sent, format, notifications)
        return status
    }
}

struct ReadingTests {
    @Test func theFormatOfTheProfileCounts() throws {
        let format = CharacteristicStatus.Format(type: "i16", exponent: -2, unit: 0x272F)
        let reading = Reading(.sample("2A6E", value: "2efb", format: format))
        #expect(reading.text == "-12.34 °C")
        #expect(reading.numbers == [.init(name: "", unit: "°C", value: -12.34)])
        let encoding = try #require(reading.encoding)
        #expect(encoding.number.width == 2 && encoding.number.isSigned && encoding.range == -40...85)
    }

    @Test func theAssignedFormatCounts() {
        let reading = Reading(.sample("2A6F", value: "c611"))
        #expect(reading.numbers == [.init(name: "", unit: "%", value: 45.5)])
        #expect(reading.encoding?.number.scale == 0.01)
        #expect(Reading(.sample("2A19", value: "64")).text == "100 %")
        #expect(Reading(.sample("2A00", value: "526f6f6d")).text == "Room")
    }

    @Test func aHeartRateIsSentWithItsFlags() {
        let reading = Reading(.sample("2A37", sent: "0048"))
        #expect(reading.numbers == [.init(name: "heart rate", unit: "bpm", value: 72)])
        #expect(reading.encoding?.prefix == [0] && reading.encoding?.range == 30...220)
    }

    @Test(arguments: [("05", 5.0), ("0102", 513), ("01000000", 1), ("ffffffffffffffff", 18_446_744_073_709_551_616)])
    func unknownFormatsAreIntegersOfTheirLength(_ value: String, _ number: Double) {
        let reading = Reading(.sample(value: value))
        #expect(reading.numbers == [.init(name: "", unit: "", value: number)])
    }

    @Test(arguments: [(nil, ""), ("", "(empty)"), ("010203", "010203"), ("68656c6c6f", "“hello”"), ("zz", "")])
    func otherValuesAreNoNumbers(_ value: String?, _ text: String) {
        let reading = Reading(.sample(value: value))
        #expect(reading.text == text && reading.numbers.isEmpty && reading.encoding == nil)
    }

    @Test func valuesThatDoNotFitTheirFormatAreShownAsTheyAre() {
        let format = CharacteristicStatus.Format(type: "u16", exponent: 0, unit: 0x2700)
        #expect(Reading(.sample(value: "01", format: format)).text == "01")
        #expect(Reading(.sample(value: "01", format: .init(type: "u12", exponent: 0, unit: 0x2700))).encoding == nil)
    }
}
