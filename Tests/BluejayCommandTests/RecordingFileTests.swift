import Dittojay
import Foundation
import GATTProfiles
import ProfileWriting
import TestSupport
import Testing

@testable import BluejayCommand

/// What is recorded is what dittojay reads.
@Suite struct RecordingFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/record.yaml"
    }

    /// Twins of everything, so that names are of no use alone.
    private var device: ClonedDevice {
        let level = ClonedDevice.Characteristic(uuid: "2A19", properties: ["notify"])
        let own = ClonedDevice.Characteristic(uuid: "F100000A-0000-4000-8000-000000000000", properties: ["indicate"])
        let rate = ClonedDevice.Characteristic(uuid: "2A37", properties: ["notify"])
        var device = ClonedDevice()
        device.services = [
            .init(uuid: "180F", characteristics: [level]), .init(uuid: "180F", characteristics: [level, level]),
            .init(uuid: "180D", characteristics: [rate]),
            .init(uuid: "F1000001-0000-4000-8000-000000000000", characteristics: [own, level]),
        ]
        return device
    }

    private var places: [ClonedDevice.Place] {
        device.services.enumerated().flatMap { service, value in
            value.characteristics.indices.map { .init(service: service, characteristic: $0) }
        }
    }

    private func profile() throws -> PeripheralProfile { try ProfileFile.read(path: path).value }

    @Test func `each value is that of its characteristic, and the file is complete after each`() throws {
        let text = ProfileText(device)
        let file = try RecordingFile(path, overwrites: false, begin: text.lines)
        #expect(try profile().recording == nil)
        for (number, place) in places.enumerated() {
            let value = Data(repeating: UInt8(number), count: number)
            try file.append(value, at: Double(number) * 1.0005, of: text.reference(to: place))
            let profile = try profile()
            let last = try #require(profile.recording?.values.last)
            #expect(profile.recording?.values.count == number + 1 && last.bytes == Array(value))
            #expect(abs(last.time - Double(number) * 1.0005) < 0.001)
            let service = profile.services[place.service]
            #expect(
                last.characteristic
                    == CharacteristicPath(service.name, service.characteristics[place.characteristic].name))
        }
    }

    @Test func `names are as short as they can be`() throws {
        let text = ProfileText(device)
        #expect(
            places.map { text.reference(to: $0) } == [
                "180f-1/battery-level", "180f-2/2a19-1", "180f-2/2a19-2", "heart-rate-measurement",
                "F100000A-0000-4000-8000-000000000000", "F1000001-0000-4000-8000-000000000000/battery-level",
            ])
    }

    @Test func `a file is not overwritten unless that is wanted`() throws {
        try "mine".write(toFile: path, atomically: true, encoding: .utf8)
        let failure = #expect(throws: CommandError.self) { try RecordingFile(path, overwrites: false, begin: ["x"]) }
        #expect(failure?.status == .failed && failure?.message.contains("File exists") == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        _ = try RecordingFile(path, overwrites: true, begin: ["x"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "x\n")
    }

    @Test func `a file that is full is said to be, and is one that dittojay reads`() throws {
        let text = ProfileText(device)
        let file = try RecordingFile(path, overwrites: false, begin: text.lines)
        let reference = text.reference(to: places[4])
        let value = Data(repeating: 0xA5, count: 512)
        let failure = #expect(throws: CommandError.self) {
            for number in 0..<RecordingLimits.maximumValues {
                try file.append(value, at: Double(number), of: reference)
            }
        }
        #expect(
            failure?.status == .failed
                && failure?.message == "\(path) is full: dittojay does not read a longer recording")
        #expect(file.count > 7000)
        #expect(try profile().recording?.values.count == file.count)
        #expect(throws: CommandError.self) { try file.append(value, at: 8000, of: reference) }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(try #require(size) < RecordingLimits.longestFile)
    }

    @Test func `a recording has an end in time and in number`() throws {
        let text = ProfileText(device)
        let file = try RecordingFile(path, overwrites: false, begin: text.lines)
        let reference = text.reference(to: places[3])
        #expect(throws: CommandError.self) {
            try file.append(Data(), at: RecordingLimits.longest + 1, of: reference)
        }
        for number in 0..<RecordingLimits.maximumValues { try file.append(Data(), at: Double(number), of: reference) }
        #expect(throws: CommandError.self) { try file.append(Data(), at: 1e5, of: reference) }
        #expect(file.count == RecordingLimits.maximumValues)
    }

    @Test func `a device that is full is a failure`() {
        let failure = #expect(throws: CommandError.self) {
            try RecordingFile("/dev/full", overwrites: true, begin: ["x"])
        }
        #expect(failure?.message == "cannot write /dev/full: No space left on device")
    }
}
