import AssignedNumbers
import CoreBluetooth
import GATTProfiles
import Testing

@testable import Dittojay

@Suite struct StandardProfileTests {
    /// What goes on by itself: each characteristic that a model measures.
    private static let measured: [(StandardService, String)] = StandardService.allCases.flatMap { service in
        service.profile.characteristics.filter { $0.notifications?.source == .simulated }.map { (service, $0.uuid) }
    }

    @Test(arguments: StandardService.allCases)
    func `a service has the name and number that the SIG has given it`(service: StandardService) {
        let number = AssignedKind.service.number(named: service.rawValue)
        #expect(number.map(AssignedName.digits) == service.profile.uuid)
        for characteristic in service.profile.characteristics {
            #expect(AssignedKind.characteristic.number(named: characteristic.name) != nil, "\(characteristic.name)")
        }
    }

    @Test(arguments: StandardService.allCases)
    func `what can be read has the format that the SIG has given it`(service: StandardService) throws {
        let bench = ModelBench(service)
        if service == .userData { _ = try bench?.write("0200d204", on: UserData.controlPoint) }
        for characteristic in service.profile.characteristics where characteristic.properties.contains(.read) {
            guard ![HumanInterfaceDevice.report, HumanInterfaceDevice.reportMap].contains(characteristic.uuid) else {
                continue
            }
            let isSimulated = characteristic.source == .simulated
            let value = isSimulated ? try bench?.model.value(of: characteristic.uuid) : characteristic.initialValue
            #expect(KnownValue(value ?? [], ofCharacteristic: characteristic.uuid) != nil, "\(characteristic.name)")
        }
    }

    @Test(arguments: measured)
    func `measurements fit their format and a small notification, move, and follow from the seed`(
        service: StandardService, uuid: String
    ) throws {
        let typed = [HumanInterfaceDevice.report, HumanInterfaceDevice.bootInput]
        guard uuid != CurrentTime.currentTime, !typed.contains(uuid) else { return }
        func values(_ seed: UInt64) throws -> [[UInt8]] {
            let model = try #require(ModelBench(service, seed: seed)).model
            return (0..<300).compactMap { _ in model.measurement(of: uuid, maximumLength: 20) }
        }
        let run = try values(1)
        #expect(run.count == 300)
        #expect(run.allSatisfy { $0.count <= 20 && KnownValue($0, ofCharacteristic: uuid) != nil })
        #expect(Set(run).count > 5)
        #expect(try values(1) == run)
        guard uuid != BloodPressure.intermediateCuffPressure else { return }
        #expect(try values(2) != run)
    }

    @Test func `a wheel's count and time begin anew at the end of their bits`() {
        var wheel = Rotation(count: Int(UInt32.max))
        wheel.turn(2, for: 1)
        #expect(wheel.count == 1 && wheel.lastEvent == 1)
        for _ in 0..<70 { wheel.turn(2, for: 1) }
        #expect(wheel.lastEvent(inUnitsOf: 1024) == 71 * 1024 % 65_536)
        wheel.turn(0, for: 10)
        #expect(wheel.lastEvent == 71)
    }

    @Test func `a keyboard presses and releases each key`() throws {
        let model = try #require(ModelBench(.humanInterfaceDevice)).model
        let keys = (0..<4).compactMap { _ in model.measurement(of: "2A4D", maximumLength: 20)?[2] }
        // h, nothing, e, nothing.
        #expect(keys == [11, 0, 8, 0])
    }

    /// What `bluejay monitor --profile` listens to, as far as it is sent by itself.
    @Test func `monitor listens to every measurement of the profile of the same name`() throws {
        for profile in PeripheralProfile.standard {
            let measured = profile.services.filter(\.isAdvertised).flatMap(\.characteristics)
                .filter { $0.notifications != nil }.map(\.uuid)
            guard !measured.isEmpty, profile.name != "keyboard" else { continue }
            let monitored = try #require(MonitoredProfile.named(profile.name), "\(profile.name)")
            #expect(profile.services.contains { $0.isAdvertised && $0.uuid == monitored.service }, "\(profile.name)")
            #expect(Set(measured).isSubset(of: monitored.measurements), "\(profile.name)")
        }
    }
}
