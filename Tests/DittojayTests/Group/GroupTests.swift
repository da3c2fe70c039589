import BlueZ
import DBus
import Foundation
import GATTProfiles
import MainLoop
import TestSupport
import Testing

@testable import Dittojay

@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct GroupTests {
    @Test func `each has a controller, a name and a seed of its own, and says so in its events`() async throws {
        let group = try await GroupSimulation()
        try await group.run()
        #expect(await group.advertisedNames == [["Dittojay 1"], ["Dittojay 2"], []])
        #expect(
            Set(group.lines) == [
                #"hci0 advertising: "Dittojay 1" with heart-rate, chirp on hci0 00:AA:01:00:00:00"#,
                #"hci1 advertising: "Dittojay 2" with heart-rate, chirp on hci1 00:AA:01:01:00:01"#, "ready",
            ])
        let listed = await group.perform(.peripherals).peripherals
        #expect(
            listed == [
                .init(id: "hci0", adapter: "hci0", name: "Dittojay 1", profile: "lab"),
                .init(id: "hci1", adapter: "hci1", name: "Dittojay 2", profile: "lab"),
            ])
        try await group.end()
        #expect(await group.advertisedNames == [[], [], []])
        #expect(group.lines.suffix(3).sorted() == ["all ended", "hci0 ended", "hci1 ended"])
    }

    @Test func `one that is told to quit ends alone, and the last one ends all`() async throws {
        let group = try await GroupSimulation()
        try await group.run()
        #expect(await group.perform(.quit, for: "hci0").ok)
        try await group.saw("hci0 ended")
        #expect(await group.ids == ["hci1"])
        #expect(await group.perform(.status).status?.adapter == "hci1", "the only one that runs")
        #expect(await group.advertisedNames == [[], ["Dittojay 2"], []])
        #expect(await group.perform(.quit, for: "hci1").ok)
        try await group.saw("all ended")
    }

    @Test func `quit for nobody in particular ends all`() async throws {
        let group = try await GroupSimulation()
        try await group.run()
        #expect(await group.perform(.quit).ok)
        try await group.saw("all ended")
        #expect(await group.advertisedNames == [[], [], []])
    }

    @Test func `one whose controller is pulled out waits for it, and the others go on`() async throws {
        let group = try await GroupSimulation()
        try await group.run()
        await group.daemon.remove(group.daemon.adapters[0])
        try await group.saw("hci0 state: the Bluetooth adapter was removed; waiting for it to come back")
        #expect(await group.perform(.status, for: "hci1").status?.isAdvertising == true)
        #expect(await group.perform(.status, for: "hci0").status?.state == "unsupported")
        await group.daemon.addAdapter(0)
        try await group.saw(
            #"hci0 advertising: "Dittojay 1" with heart-rate, chirp on hci0 00:AA:01:00:00:00"#, count: 2)
        try await group.end()
    }

    @Test func `one that cannot run ends alone, and the first reason is that of the whole`() async throws {
        let group = try await GroupSimulation(on: .init(given: ["hci0", "hci1"])) { daemon in
            daemon.adapters[0].offersAdvertising = false
        }
        try await group.run()
        let reason = "the Bluetooth adapter hci0 does not support the peripheral role"
        #expect(group.lines.contains("hci0 ended: \(reason)"))
        #expect(await group.ids == ["hci1"])
        #expect(await group.perform(.quit).ok)
        try await group.saw("all ended: \(reason)")
    }

    @Test func `a central is one of the peripheral that it has connected to`() async throws {
        let group = try await GroupSimulation()
        try await group.run()
        await group.daemon.adapters[1].connectCentral()
        try await group.saw("hci1 connected C0:00:00:00:00:02")
        #expect(await group.perform(.status, for: "hci0").status?.centrals.isEmpty == true)
        #expect(await group.perform(.status, for: "hci1").status?.centrals.count == 1)
        #expect(await group.perform(.disconnect(central: nil), for: "hci1").disconnected == ["C0:00:00:00:00:02"])
        try await group.end()
    }

    @Test func `a bluetoothd that comes back gets all of them again`() async throws {
        let group = try await GroupSimulation(Array(repeating: .lab, count: 3))
        try await group.run()
        try await group.daemon.restart()
        try await eventually("all advertise") {
            group.advertisedNames == [["Dittojay 1"], ["Dittojay 2"], ["Dittojay 3"]]
        }
        try await group.end()
    }

    @Test func `stopped before there is a bluetoothd, none begins`() async throws {
        let group = try await GroupSimulation { $0.react(to: "GetManagedObjects", with: .late(.milliseconds(50))) }
        group.start()
        try await group.end()
        #expect(await group.daemon.count(of: "RegisterApplication") == 0)
    }

    @Test func `scenarios that expect something end each for itself`() async throws {
        var profile = PeripheralProfile.lab
        profile.scenario = [.expect(ScenarioExpectation([.init(.connected)], within: 0.05))]
        let group = try await GroupSimulation([profile, profile])
        try await group.run()
        group.advance(by: 0.06)
        try await group.saw("all ended: the scenario failed: 0 of 1 expectation met")
        let reports = group.queue.sync { group.group.scenarioReports }
        #expect(reports.map(\.name) == ["lab on hci0", "lab on hci1"])
        let junit = ScenarioReport.junit(of: reports)
        #expect(junit.hasPrefix("<?xml") && junit.contains("<testsuites>\n<testsuite name=\"lab on hci0\""))
        #expect(junit.ranges(of: "<?xml").count == 1 && junit.hasSuffix("</testsuite>\n</testsuites>\n"))
    }
}

@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct ControllerChoiceTests {
    /// Why it ended.
    private func failure(_ group: GroupSimulation) async throws -> String? {
        group.start()
        try await eventually("its end") { group.lines.contains { $0.hasPrefix("all ended") } }
        return group.lines.last
    }

    @Test func `fewer free controllers than peripherals are an error, and none begins`() async throws {
        let group = try await GroupSimulation(Array(repeating: .lab, count: 3)) { daemon in
            daemon.adapters[0].advertisementsOfOthers = 1
            daemon.adapters[1].connectCentral()
        }
        #expect(
            try await failure(group) == "all ended: 3 peripherals need a Bluetooth adapter each, but 1 is free: hci2")
        #expect(await group.daemon.count(of: "RegisterApplication") == 0)
    }

    @Test func `the preferred one comes first, and the reserved one is left out`() async throws {
        let group = try await GroupSimulation(controllers: 4, on: .init(first: "hci2", reserved: "hci0"))
        try await group.run()
        #expect(await group.ids == ["hci2", "hci1"])
        try await group.end()
    }

    @Test func `those that are given are named as they were given`() async throws {
        let group = try await GroupSimulation(on: .init(given: ["00:aa:01:02:00:02", "hci0"]))
        try await group.run()
        #expect(await group.ids == ["00:aa:01:02:00:02", "hci0"])
        #expect(await group.perform(.status, for: "hci2").status?.adapter == "hci2")
        #expect(await group.advertisedNames == [["Dittojay 2"], [], ["Dittojay 1"]])
        try await group.end()
    }

    @Test(arguments: [
        (["hci0", "00:AA:01:00:00:00"], "hci0 and 00:AA:01:00:00:00 are the same Bluetooth adapter"),
        (
            ["hci0", "hci7"],
            "no Bluetooth adapter hci7; available: hci0 00:AA:01:00:00:00, hci1 00:AA:01:01:00:01"
        ),
    ])
    func `what is given wrongly is an error`(given: [String], message: String) async throws {
        let group = try await GroupSimulation(controllers: 2, on: .init(given: given))
        #expect(try await failure(group) == "all ended: \(message)")
        #expect(await group.daemon.count(of: "RegisterApplication") == 0)
    }
}

@Suite struct GroupPlanTests {
    private func plan(_ profiles: [PeripheralProfile], name: String? = nil, seed: UInt64 = 7) -> GroupPlan {
        GroupPlan(profiles: profiles, name: name, seed: seed)
    }

    @Test func `a single one is as it always was`() {
        let plan = plan([.lab])
        #expect(plan.members == [.init(profile: .lab, localName: "Dittojay", seed: 7)])
        #expect(self.plan([.lab], name: "Sensor").members.first?.localName == "Sensor")
    }

    @Test func `names have the number where they would be the same`() {
        var other = PeripheralProfile.lab
        other.localName = "Other"
        #expect(plan([.lab, other, .lab]).members.map(\.localName) == ["Dittojay 1", "Other", "Dittojay 3"])
        #expect(plan([.lab, .lab], name: "S{n}/{n}").members.map(\.localName) == ["S1/1", "S2/2"])
        #expect(plan([.lab, .lab], name: "S").members.map(\.localName) == ["S 1", "S 2"])
    }

    @Test func `seeds follow from the seed, differ from each other, and are no longer than others`() {
        let profiles = Array(repeating: PeripheralProfile.lab, count: 1000)
        let seeds = plan(profiles).members.map(\.seed)
        #expect(Set(seeds).count == 1000)
        #expect(seeds == plan(profiles).members.map(\.seed))
        #expect(Set(seeds).isDisjoint(with: plan(profiles, seed: 8).members.map(\.seed)))
        #expect(seeds.allSatisfy { $0 <= UInt32.max })
    }

    @Test func `hearts of different members beat differently`() {
        let hearts = plan([.lab, .lab]).members.map { member in
            var heart = HeartRateSimulation(seed: member.seed)
            return (0..<20).map { _ in heart.step().rate }
        }
        #expect(hearts[0] != hearts[1])
    }
}

/// Several objects of the library, each with a control socket of its own.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct SeveralPeripheralTests {
    @Test func `peripherals on one queue and one session run side by side`() async throws {
        let daemon = try await FakeBluetoothd.start(adapters: 2)
        let folders = try (0..<2).map { _ in try TemporaryFolder() }
        let session = BlueZSession(timing: .init(), handleFolder: "/dev/null") {
            [bus = daemon.bus] () throws(BusError) in try bus.connect()
        }
        let (queue, journal) = (DispatchQueue(label: "both"), Journal())
        let peripherals = folders.enumerated().map { index, folder in
            VirtualPeripheral(
                profile: .lab,
                options: .init(
                    adapter: "hci\(index)", localName: "S\(index)", seed: 7,
                    controlSocket: .init(path: folder.path + "/socket", environment: [:])),
                clock: DispatchClock(queue: queue), session: session, folder: folder.runtime)
        }
        queue.sync {
            for (index, peripheral) in peripherals.enumerated() {
                peripheral.onReady = { journal.note("\(index) ready") }
                peripheral.onEnd = { journal.note("\(index) ended: \($0?.description ?? "")") }
                peripheral.onEvent = { if $0.peripheral != nil { journal.note("one of several") } }
                peripheral.start()
            }
        }
        try await journal.saw("0 ready")
        try await journal.saw("1 ready")
        for peripheral in peripherals {
            let socket = try #require(peripheral.options.controlSocket)
            #expect(try ControlClient.send(.status, to: socket).status?.name == peripheral.localName)
            #expect(try ControlClient.send(.peripherals, to: socket).peripherals?.count == 1)
        }
        let first = try #require(peripherals[0].options.controlSocket)
        _ = try ControlClient.send(.quit, to: first)
        try await journal.saw("0 ended: ")
        #expect(await daemon.adapters[1].advertisements.first?.localName == "S1")
        queue.sync { peripherals[1].stop() }
        try await journal.saw("1 ended: ")
        #expect(!journal.lines.contains("one of several"))
    }
}
