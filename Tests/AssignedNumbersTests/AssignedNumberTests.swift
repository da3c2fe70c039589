import Testing

@testable import AssignedNumbers

@Suite struct AssignedNumberTests {
    @Test(
        arguments: [
            (.service, 0x1800, "Generic Access"), (.service, 0x180D, "Heart Rate"),
            (.characteristic, 0x2A00, "Device Name"), (.characteristic, 0x2A6E, "Temperature"),
            (.characteristic, 0x2BD6, "Particulate Matter - PM2.5 Concentration"),
            (.descriptor, 0x2901, "Characteristic User Description"),
            (.declaration, 0x2803, "Characteristic"), (.unit, 0x272F, "Celsius temperature (degree Celsius)"),
            (.unit, 0x27AD, "percentage"), (.company, 0x004C, "Apple, Inc."),
            (.company, 0x0059, "Nordic Semiconductor ASA"), (.appearance, 0x0300, "Thermometer"),
            (.appearance, 0x0341, "Heart Rate Belt"),
        ] as [(AssignedKind, UInt16, String)])
    func `names are found by number, and numbers by name`(kind: AssignedKind, number: UInt16, name: String) {
        #expect(kind.name(of: number) == name)
        #expect(kind.number(named: name) == number)
        #expect(kind.number(named: TypedName.text(name)) == number)
        #expect(kind.number(named: name.uppercased()) == number)
    }

    @Test(arguments: AssignedKind.allCases)
    func `every entry is found, and what lies between is not`(kind: AssignedKind) {
        let all = kind.all
        #expect(all.count > 3)
        #expect(all.map(\.number) == all.map(\.number).sorted())
        #expect(Set(all.map(\.number)).count == all.count)
        for entry in all {
            #expect(kind.name(of: entry.number) == entry.name)
            #expect(kind.number(named: entry.name) ?? .max <= entry.number)
            #expect(!entry.name.isEmpty && !entry.name.contains("\\") && !entry.typedName.isEmpty)
        }
        let numbers = Set(all.map(\.number))
        for number in UInt16.min...UInt16.max where !numbers.contains(number) {
            if kind.name(of: number) != nil { Issue.record("\(kind) has \(number)") }
        }
    }

    @Test(arguments: [AssignedKind.service, .characteristic, .unit])
    func `a typed name belongs to one service, characteristic or unit`(kind: AssignedKind) {
        let all = kind.all
        #expect(Set(all.map(\.typedName)).count == all.count)
    }

    @Test(arguments: [
        ("Heart Rate Measurement", "heart-rate-measurement"), ("heart-rate", "heart-rate"), ("", ""), ("--", ""),
        (" (PM2.5) ", "pm2-5"), ("Ångström", "ångström"), ("length (ångström)", "length-ångström"),
    ])
    func `names are typed in lower case with hyphens`(name: String, typed: String) {
        #expect(TypedName.text(name) == typed)
    }

    @Test func `what has no name has none`() {
        #expect(AssignedKind.service.name(of: 0x2A37) == nil)
        #expect(AssignedKind.service.number(named: "heart-rat") == nil)
        #expect(AssignedKind.service.number(named: "heart-rate-") == 0x180D)
        #expect(AssignedKind.service.number(named: "") == nil)
        #expect(AssignedName.attribute(0x2A37) == "Heart Rate Measurement")
        #expect(AssignedName.attribute(0xFFF0) == nil)
    }
}
