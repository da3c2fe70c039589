import AssignedNumbers
import CoreBluetooth
import Foundation
import GATTProfiles
import PlainText
import TestSupport

extension FuzzTarget {
    /// Values of characteristics: as people write them, and as they come.
    static let values = FuzzTarget(name: "values", weight: 250, generate: ValueTexts.generate, run: ValueTexts.run)

    /// UUIDs, names and addresses.
    static let identifiers = FuzzTarget(
        name: "identifiers", weight: 100, generate: IdentifierTexts.generate, run: IdentifierTexts.run)

    /// What programs advertise, and descriptors' values.
    static let advertisements = FuzzTarget(
        name: "advertisements", weight: 50, generate: { $0.bytes($0.length(upTo: 600)) }, run: Advertisements.run)
}

private enum ValueTexts {
    private static let mutator = Mutator(
        corpus: [
            "hex:0A 0b", "text:hello", "u8:1", "u16:0x1234", "i32:-5", "u16be:1", "u8:1 2 3", "empty", "hex:00-ff:01",
            "i64:0",
            "u64be:18446744073709551615", "bare text",
        ],
        words: Oddities.numbers + Oddities.texts + NumberType.names + [":", " ", "-", "be", "hex:", "text:"])

    private static let known = [
        HeartRateService.measurement, HeartRateService.bodySensorLocation, "2A19", "2A00", LabService.sinkCount,
        PairingService.text, "2A29", "FFFF", "",
    ]

    static func generate(_ dice: inout Dice) -> [UInt8] {
        dice.happens(50) ? mutator.input(&dice) : dice.bytes(dice.length(upTo: 600))
    }

    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        for bare in [ValueText.Bare.text, .refused] {
            do {
                let value = try ValueText.parse(text, bare: bare)
                let again = try? ValueText.parse("hex:" + ValueText.hex(value))
                try expect(again == value, "not read as it was written: \(value)")
            } catch let error as ValueText.ParsingError {
                try expect(!error.description.isEmpty, "an error without a message")
            }
        }
        for name in NumberType.names {
            guard let type = NumberType(name: name), let written = type.text(bytes) else { continue }
            let again = try? type.parse(written)
            try expect(again == bytes, "\(written) of \(name) is not read as it was written")
        }
        for uuid in known { _ = KnownValue(bytes, ofCharacteristic: uuid) }
        if let measurement = try? HeartRateMeasurement(bytes: bytes) {
            let again = try? HeartRateMeasurement(bytes: measurement.bytes)
            try expect(again == measurement, "not encoded as it was decoded: \(measurement)")
        }
        if let frame = ValueFrame(bytes: Data(bytes)) {
            try expect(frame.bytes == Data(bytes), "a frame is not written as it was read")
        }
        if bytes.count >= 8 {
            let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            _ = fixedPoint(Double(bitPattern: number), places: Int(bytes.last ?? 0) - 10)
        }
        var object = JSONObject()
        object.add("text", text)
        // JSONSerialization loses U+FEFF (swift-corelibs-foundation of Swift 6.3).
        let decoded = try? JSONDecoder().decode([String: String].self, from: Data(object.utf8))
        try expect(
            decoded?["text"]?.utf8.elementsEqual(text.utf8) == true, "not read as it was written: \(object.text)")
    }
}

private enum IdentifierTexts {
    private static let mutator = Mutator(
        corpus: [
            "180D", "0000180D", "0000180D-0000-1000-8000-00805F9B34FB", "heart-rate/body-sensor-location", "180F/2A19",
            "AA:BB:CC:DD:EE:FF", "00:aa:01:00:00:00", "Heart Rate Measurement",
            #"{"UIApplicationLaunchOptionsBluetoothCentralsKey":["a","b"]}"#,
        ],
        words: Oddities.numbers + Oddities.texts + ["/", "-", ":", "#2", "0x", "[", "{"])

    static func generate(_ dice: inout Dice) -> [UInt8] {
        dice.happens(80) ? mutator.input(&dice) : dice.bytes(dice.length(upTo: 60))
    }

    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        if let uuid = CBUUID(validating: text) {
            try expect(CBUUID(string: uuid.uuidString) == uuid, "not read as it was written: \(uuid)")
            try expect(
                CBUUID(data: uuid.data) == uuid && !uuid.description.isEmpty, "not the same from its bytes: \(uuid)")
        }
        if [2, 4, 16].contains(bytes.count) {
            let uuid = CBUUID(data: Data(bytes))
            try expect(uuid.data == Data(bytes), "not written as it was read: \(uuid)")
        }
        if bytes.count == 16, let first = UUID(uuidString: text) { _ = CBPeer.bluetoothAddress(forIdentifier: first) }
        for isRandom in [false, true] {
            guard let identifier = CBPeer.identifier(forBluetoothAddress: text, isRandom: isRandom) else { continue }
            try expect(
                CBPeer.bluetoothAddress(forIdentifier: identifier) == text.uppercased(), "another address than \(text)")
        }
        if let path = AttributePath(text) {
            _ = path.characteristic.matches(uuid: "2A19", name: "Battery Level")
            _ = path.service?.matches(uuid: "0000180F-0000-1000-8000-00805F9B34FB", name: nil)
        }
        if case .path(_, let step, _)? = AttributeSelector(text)?.kind {
            let found = step.choose(from: ["2A19", "2A19"], uuid: { $0 }, name: { _ in "Battery Level" })
            try expect(found.count <= (step.number == nil ? 2 : 1), "a number names more than one: \(text)")
        }
        _ = TypedName.text(text)
        let options = LaunchEnvironment.options(in: [LaunchEnvironment.variable: text])
        if let centrals = options?[LaunchEnvironment.centralsKey], !centrals.isEmpty {
            let again = LaunchEnvironment.options(centrals: centrals)
            try expect(
                LaunchEnvironment.options(in: [LaunchEnvironment.variable: again])
                    == [LaunchEnvironment.centralsKey: centrals], "other launch options")
        }
    }
}

private enum Advertisements {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        // Each byte of the input says how long the next piece of it is.
        var rest = bytes[...]
        var pieces: [Data] = []
        while let length = rest.popFirst() {
            pieces.append(Data(rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        let uuids = pieces.compactMap { [2, 4, 16].contains($0.count) ? CBUUID(data: $0) : nil }
        let plan = AdvertisementPlan([
            CBAdvertisementDataLocalNameKey: text, CBAdvertisementDataServiceUUIDsKey: uuids,
            CBAdvertisementDataManufacturerDataKey: pieces.first ?? Data(),
            CBAdvertisementDataServiceDataKey: Dictionary(
                zip(uuids, pieces.reversed()), uniquingKeysWith: { first, _ in first }),
        ])
        try expect((plan.localName ?? "").utf8.count <= 29, "a name of \(plan.localName?.utf8.count ?? 0) bytes")
        try expect(plan.serviceUUIDs.count <= uuids.count, "more services than were asked for")
        for uuid in ["2900", "2901", "2902", "2904", "FFFF"] {
            let value = DescriptorValue.decode(Data(bytes), of: CBUUID(string: uuid))
            try expect(DescriptorValue.encode(value) != nil, "a value without bytes: \(value)")
        }
    }
}
