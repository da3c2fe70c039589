import Testing

@testable import CoreBluetooth

@Suite struct AdapterChoiceTests {
    private let off = AdapterChoice.Candidate(name: "hci0", address: "00:AA:01:00:00:00", isPowered: false)
    private let on = AdapterChoice.Candidate(name: "hci1", address: "00:AA:01:01:00:01", isPowered: true)

    @Test func `the program's option goes before the environment, and both before the default`() {
        let environment = [AdapterChoice.environmentVariable: "hci1"]
        #expect(AdapterChoice(option: "hci0", environment: environment) == .named("hci0"))
        #expect(AdapterChoice(option: nil, environment: environment) == .named("hci1"))
        #expect(AdapterChoice(option: "", environment: environment) == .named("hci1"))
        #expect(AdapterChoice(option: 7, environment: [:]) == .firstPowered)
        #expect(AdapterChoice(option: nil, environment: [AdapterChoice.environmentVariable: ""]) == .firstPowered)
    }

    @Test func `a name and an address in any letter case both name a controller`() {
        #expect(AdapterChoice.named("hci1").pick(from: [off, on], settledOn: nil, insists: false) == 1)
        #expect(AdapterChoice.named("00:aa:01:01:00:01").pick(from: [off, on], settledOn: nil, insists: false) == 1)
        #expect(AdapterChoice.named("hci7").pick(from: [off, on], settledOn: nil, insists: false) == nil)
    }

    @Test func `the default is the first that is powered, else the first`() {
        let choice = AdapterChoice.firstPowered
        #expect(choice.pick(from: [off, on], settledOn: nil, insists: true) == 1)
        #expect(choice.pick(from: [off], settledOn: nil, insists: true) == 0)
        #expect(choice.pick(from: [], settledOn: nil, insists: false) == nil)
    }

    @Test func `a manager stays with its controller and waits for it for a while`() {
        let choice = AdapterChoice.firstPowered
        #expect(choice.pick(from: [off, on], settledOn: off.address, insists: true) == 0)
        #expect(choice.pick(from: [on], settledOn: off.address, insists: true) == nil)
        #expect(choice.pick(from: [on], settledOn: off.address, insists: false) == 0)
    }
}
