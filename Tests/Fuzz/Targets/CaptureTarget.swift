import Captures
import Dittojay
import Foundation
import GATTProfiles
import PlainText
import RadioScenes
import TestSupport

extension FuzzTarget {
    /// Captures of all formats, and what is made of them: dittojay must accept it.
    static let captures = FuzzTarget(
        name: "captures", weight: 100, generate: { Captured.input(&$0) }, run: Captured.run)
}

private enum Captured {
    static func input(_ dice: inout Dice) -> [UInt8] {
        var builder = CaptureBuilder(dice.pick(CaptureBuilder.Format.allCases))
        if dice.happens(50) { builder.session() }
        if dice.happens(20) { builder.snapLength = dice.length(upTo: 60) }
        for _ in 0..<dice.length(upTo: 200) { addOdd(&builder, &dice) }
        var bytes = builder.bytes
        for _ in 0..<dice.length(upTo: 20) where !bytes.isEmpty {
            let place = dice.below(bytes.count)
            switch dice.below(4) {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: dice.next())
            case 1: bytes[place] ^= 1 << UInt8(dice.below(8))
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + dice.below(30)))
            default: bytes.insert(contentsOf: dice.bytes(dice.below(12)), at: place)
            }
        }
        return bytes
    }

    /// Something that devices may say, or that looks like it.
    private static func addOdd(_ builder: inout CaptureBuilder, _ dice: inout Dice) {
        let handle = [0x00, 0x12, 0x13, 0x15, 0x22, 0x24, 0x25, 0x2A, 0xFFFF][dice.below(9)]
        let value = dice.bytes(dice.length(upTo: 600))
        if dice.happens(10) { builder.time += Int64(dice.below(100_000_000)) }
        switch dice.below(18) {
        case 0: builder.read(handle, value)
        case 1: builder.write(handle, value)
        case 2: builder.notify(handle, value)
        case 3: builder.refuse([dice.pick([0x0A, 0x12, 0x08, 0x10]), UInt8(handle & 0xFF), 0], UInt8(dice.below(20)))
        case 4: builder.connect()
        case 5: builder.disconnect(reason: UInt8(dice.below(256)))
        case 6: builder.encrypt()
        case 7: builder.send([UInt8(dice.below(256))] + value, fragment: 1 + dice.below(40))
        case 8: builder.receive([UInt8(dice.below(256))] + value, fragment: 1 + dice.below(40))
        case 9:
            builder.l2cap(dice.pick([4, 5, 6, 0x40, 0x50, dice.below(0x10000)]), value, isFromPhone: dice.happens(50))
        case 10: builder.advertise(Array(value.prefix(200)), isScanResponse: dice.happens(50))
        case 11: builder.discover()
        case 12:
            builder.l2cap(
                5, [dice.pick([0x14, 0x15, 0x17, 0x18, 0x07]), 1, 10, 0, 0x27, 0, 64, 0, 64, 0, 5, 0, 0x40, 0],
                isFromPhone: dice.happens(50))
        case 13: builder.write(handle, [UInt8(dice.below(3)), 0])
        case 14:
            guard !builder.format.isAir else { break }
            builder.add(dice.pick([.command, .event, .aclSent, .aclReceived]), Array(value.prefix(255)))
        case 15:
            builder.l2cap(6, [0x08] + dice.bytes(16), isFromPhone: dice.happens(50))
            builder.l2cap(6, [0x09, UInt8(dice.below(3))] + dice.bytes(6), isFromPhone: dice.happens(50))
        case 16:
            builder.connect(to: dice.bytes(5) + [dice.pick([0x40, 0x7F, 0xC0])])
            let code: UInt8 = dice.pick([0x30, 0x18])
            builder.add(.management(isEvent: dice.happens(50)), [code, 0] + Array(value.prefix(60)))
        default:
            builder.write(0x22, Array(value.prefix(2)))
            builder.notify(0x24, Array(value.suffix(2)))
        }
    }

    static func run(_ bytes: [UInt8]) throws {
        let analysis: CaptureAnalysis
        do throws(CaptureError) {
            analysis = try CaptureAnalysis(CaptureFile(bytes: bytes))
        } catch {
            return try expect(!error.description.isEmpty, "an error without a message")
        }
        let list = DeviceList(analysis)
        try expect(isJSON(list.object), "the list's JSON is none")
        try expect(list.lines.count >= 1 + analysis.devices.count, "devices are not in the list")
        var anonymizer = Anonymizer(using: Dice(state: 1))
        for (index, device) in analysis.devices.prefix(20).enumerated() {
            if index % 2 == 1 { anonymizer.anonymize(device) }
            let made = DeviceImport(
                device, analysis, ImportOptions(fileName: "x\n\u{85}y", includesFaults: index % 3 == 0))
            try check(made)
            try check(ReplayPlan(device) { uuid, _, _ in uuid == "1800" })
        }
        try check(SceneImport(analysis, fileName: "x\n\u{85}y"))
    }

    private static func check(_ plan: ReplayPlan) throws {
        var comparison = ReplayComparison(plan)
        for step in plan.links.flatMap(\.steps) {
            try expect(AttributeSelector(step.attribute.selector) != nil, "no selector: \(step.attribute.selector)")
            try expect(step.pause >= 0 && step.limit >= 10, "a time is too short")
            comparison.began(step)
            for value in step.sent { comparison.receive(value.value?.bytes ?? [], from: value.attribute) }
            let differences = comparison.compareSent(step, onlyAnswers: false)
            try expect(differences.isEmpty, "what was captured is a difference: \(differences.map(\.text))")
        }
    }

    private static func check(_ scene: SceneImport) throws {
        guard scene.count > 0 else { return }
        do throws(SceneFileError) {
            _ = try SceneYAML.json(scene.lines.joined(separator: "\n"), file: "x.yaml")
        } catch {
            throw BrokenPromise(description: "virtual-radio refuses the scene: \(error)\n\(scene.lines)")
        }
    }

    private static func check(_ made: DeviceImport) throws {
        let text = made.profile.lines.joined(separator: "\n")
        let profile: PeripheralProfile
        do throws(ProfileFileError) {
            profile = try ProfileFile.parse(text, file: "x.yaml").value
        } catch {
            throw BrokenPromise(description: "dittojay refuses the profile: \(error)\n\(text)")
        }
        var object = JSONObject()
        made.report.add(to: &object)
        try expect(isJSON(object), "the report's JSON is none")
        guard let scenario = made.scenario else { return }
        let steps = scenario.lines.joined(separator: "\n")
        do throws(ProfileFileError) {
            _ = try ProfileFile.parseScenario(steps, file: "x.yaml", for: profile)
        } catch {
            throw BrokenPromise(description: "dittojay refuses the scenario: \(error)\n\(steps)\n\(text)")
        }
    }

    private static func isJSON(_ object: JSONObject) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(object.utf8))) is [String: Any]
    }
}
