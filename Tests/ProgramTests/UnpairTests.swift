import BluetoothLab
import DBus
import Foundation
import MainLoop
import TestSupport
import Testing

/// Forgetting the keys of paired devices, by both programs.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct UnpairTests {
    private let daemon: FakeBluetoothd
    private let programs: Programs

    init() async throws {
        daemon = try await .start()
        programs = try Programs(on: daemon)
        await addDevices()
    }

    @LoopActor
    private func addDevices() {
        for (address, name) in [("C0:00:00:00:00:01", "Belt"), ("00:00:00:00:00:02", "Phone")] {
            let device = daemon.adapter.addDevice(address, name: name)
            device.set("Paired", .boolean(true))
            device.show()
        }
        daemon.adapter.addDevice("C0:00:00:00:00:03", name: "Stranger").show()
    }

    @LoopActor
    private func device(named name: String) -> FakeDevice? { daemon.adapter.air.first { $0.text("Name") == name } }

    @LoopActor private var paired: [String] { daemon.adapter.air.filter(\.isPaired).map { $0.text("Name") } }

    @Test(arguments: ["Belt", "C0:00:00:00:00:01"])
    func `Bluejay forgets the device that is named`(device: String) async throws {
        let program = try programs.run("bluejay", "unpair", device)
        #expect(try await program.exitStatus() == 0)
        #expect(program.transcript.contains("unpaired C0:00:00:00:00:01"))
        #expect(await paired == ["Phone"])
    }

    @Test func `what is not paired cannot be unpaired`() async throws {
        let program = try programs.run("bluejay", "unpair", "Stranger")
        #expect(try await program.exitStatus() == 3)
        #expect(program.transcript.contains("no device Stranger is paired with this machine"))
        #expect(await paired == ["Belt", "Phone"])
    }

    @Test func `dittojay forgets one central or all`() async throws {
        let one = try programs.run("dittojay", "unpair", "00:00:00:00:00:02")
        #expect(try await one.exitStatus() == 0)
        #expect(await paired == ["Belt"])
        let all = try programs.run("dittojay", "unpair", "--all", "--json")
        #expect(try await all.exitStatus() == 0)
        #expect(all.transcript.contains("{\"unpaired\":\"C0:00:00:00:00:01\"}"))
        #expect(await paired == [])
    }

    /// As bluetoothd 5.87 does at times.
    @Test(arguments: [["bluejay", "unpair", "Belt"], ["dittojay", "unpair", "C0:00:00:00:00:01"]])
    func `a device that bluetoothd keeps is removed again`(words: [String]) async throws {
        await daemon.react(to: "RemoveDevice", times: 1, with: .answer([]))
        let program = try programs.run(words)
        #expect(try await program.exitStatus() == 0)
        #expect(await paired == ["Phone"])
        #expect(await daemon.count(of: "RemoveDevice") == 2)
    }

    @Test(arguments: [["bluejay", "unpair", "Belt"], ["dittojay", "unpair", "C0:00:00:00:00:01"]])
    func `a device that was removed by somebody else is unpaired`(words: [String]) async throws {
        let device = try #require(await device(named: "Belt"))
        await daemon.react(
            to: "RemoveDevice", times: 1,
            with: .handler { call in
                device.beForgotten()
                call.resume()
            })
        let program = try programs.run(words)
        #expect(try await program.exitStatus() == 0, "\(program.transcript)")
        #expect(await paired == ["Phone"])
    }

    @Test func `both say when bluetoothd refuses`() async throws {
        await daemon.react(to: "RemoveDevice", with: .refuse("Failed", "busy"))
        for words in [["bluejay", "unpair", "Belt"], ["dittojay", "unpair", "--all"]] {
            let program = try programs.run(words)
            #expect(try await program.exitStatus() == 4)
            #expect(program.transcript.contains("cannot unpair"))
        }
    }
}
