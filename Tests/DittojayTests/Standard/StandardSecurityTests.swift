import GATTProfiles
import Testing

@testable import Dittojay

/// What standard services have because their specifications say so: security, boot reports, triggers.
@Suite struct StandardSecurityTests {
    private func profile(_ line: String) throws -> [CharacteristicProfile] {
        try ProfileFile.parse("services: [{\(line)}]", file: "x.yaml").value.services[0].characteristics
    }

    @Test(arguments: StandardService.allCases)
    func `nothing of a standard service needs pairing unless the profile says so`(service: StandardService) throws {
        for characteristic in try profile("standard: \(service.rawValue)") {
            #expect(characteristic.encryption.isEmpty && characteristic.authentication.isEmpty)
        }
    }

    @Test func `a service's security is for all that can be done with it`() throws {
        for characteristic in try profile("standard: user-data, security: encrypted") {
            #expect(characteristic.encryption == characteristic.possibleUses && characteristic.authentication.isEmpty)
        }
        for characteristic in try profile("standard: battery, security: authenticated") {
            #expect(characteristic.authentication == [.read, .notify] && characteristic.encryption.isEmpty)
        }
    }

    @Test func `the specification's security is one word away`() throws {
        let glucose = try profile("standard: glucose, security: specification")
        #expect(glucose.filter { !$0.authentication.isEmpty }.map(\.uuid) == ["2A52"])
        #expect(glucose.first { $0.uuid == "2A52" }?.authentication == .write)
        for service in ["user-data", "human-interface-device"] {
            for characteristic in try profile("standard: \(service), security: specification") {
                #expect(characteristic.encryption == characteristic.possibleUses)
            }
        }
        #expect(try profile("standard: battery, security: specification").allSatisfy { $0.encryption.isEmpty })
    }

    @Test(arguments: [
        ("standard: glucose, security: secret", "security"),
        ("uuid: FFF0, characteristics: [], security: encrypted", "security is for a standard service"),
    ])
    func `security is one of four words, of a standard service`(line: String, part: String) {
        let error = #expect(throws: ProfileFileError.self) { try profile(line) }
        #expect(error?.description.contains(part) == true)
    }

    // MARK: Keyboard

    @Test func `a keyboard sends by the protocol that the host has chosen`() throws {
        let bench = try #require(ModelBench(.humanInterfaceDevice))
        let (report, boot) = (HumanInterfaceDevice.report, HumanInterfaceDevice.bootInput)
        #expect(bench.profile.characteristics.contains { $0.uuid == "2A32" })
        func check(_ mode: UInt8, sends uuid: String, not other: String) throws {
            #expect(try bench.model.value(of: HumanInterfaceDevice.protocolMode) == [mode])
            #expect(!bench.model.isPaused(uuid) && bench.model.isPaused(other))
        }
        try check(1, sends: report, not: boot)
        #expect(try bench.write("00", on: HumanInterfaceDevice.protocolMode) == [])
        try check(0, sends: boot, not: report)
        for (wrong, error) in [("02", "error 0xff"), ("ff", "error 0xff"), ("", "error 0xd"), ("0001", "error 0xd")] {
            #expect(try bench.write(wrong, on: HumanInterfaceDevice.protocolMode) == [error])
        }
        try check(0, sends: boot, not: report)
        bench.model.unsubscribed(from: boot)
        try check(1, sends: report, not: boot)
    }

    // MARK: Environmental sensing and cycling power

    @Test func `what environmental sensing notifies has the setting of its trigger`() throws {
        for characteristic in StandardService.environmentalSensing.profile.characteristics {
            let trigger = try #require(characteristic.copiedDescriptors.first { $0.uuid == "290D" })
            let seconds = try #require(characteristic.notifications?.interval)
            #expect(trigger.value == [1, UInt8(seconds), 0, 0])
            #expect(
                AttributeFormat(uuid: "290D")?.decode(trigger.value)?.text.hasPrefix("condition at fixed intervals")
                    == true)
        }
    }

    @Test func `a power meter that compensates torque says that it measures torque`() throws {
        let features = AttributeFormat(uuid: "2A65")?.decode(NumberType.bytes(of: CyclingPower.features))
        #expect(features?.text.contains("Torque based") == true)
    }
}
