import BluetoothLab
import Foundation
import MainLoop
import TestSupport
import Testing

/// What the programs report of their work.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct LogTests {
    private func read(_ options: [String] = [], environment: [String: String] = [:]) async throws -> ChildProcess {
        let daemon = try await FakeBluetoothd.start()
        await addSensor(to: daemon)
        let programs = try Programs(on: daemon)
        let central = try programs.run(
            ["bluejay", "read", "C0:00:00:00:00:01/random", "2A38"] + options, environment: environment)
        #expect(try await central.exitStatus() == 0, "\(central.transcript)")
        return central
    }

    @LoopActor
    private func addSensor(to daemon: FakeBluetoothd) {
        daemon.adapter.addDevice(name: "Sensor").addService("180D", [.init("2A38", ["read"], value: Data([1]))])
    }

    @Test func `nothing is logged unless it is asked for`() async throws {
        let central = try await read()
        #expect(central.lines.count == 1, "\(central.transcript)")
    }

    @Test(arguments: [["--log-level", "dbus=trace"], []])
    func `each call is logged with its time and its result`(options: [String]) async throws {
        let central = try await read(options, environment: options.isEmpty ? ["BLUEJAY_LOG": "dbus=trace"] : [:])
        let calls = central.lines.filter { $0.contains("trace bluejay.dbus: call org.bluez.Device1.Connect ") }
        #expect(calls.count == 1 && calls.first?.contains(" to=org.bluez") == true, "\(central.transcript)")
        let answer = try #require(
            central.lines.first { $0.contains("answer to org.bluez.GattCharacteristic1.ReadValue ") })
        #expect(answer.contains(#/ ms=[0-9.]+ .* values=<01>/#), "\(answer)")
    }

    @Test func `the layers above log their steps`() async throws {
        let central = try await read(["--verbose"])
        for text in ["bluejay.bluez: bluetoothd: available", "bluejay.corebluetooth: the link is connected"] {
            #expect(central.lines.contains { $0.contains(" debug \(text)") }, "\(central.transcript)")
        }
        #expect(!central.lines.contains { $0.contains(" trace ") })
    }

    @Test func `what is tried again is logged once, with the reason`() async throws {
        let programs = try Programs()
        let central = try programs.run(["bluejay", "scan", "--log-level", "bluez=debug"])
        #expect(try await central.exitStatus() == 4)
        let lines = central.lines.filter { $0.contains("cannot connect to the system bus yet: ") }
        #expect(lines.count == 1, "\(central.transcript)")
    }

    @Test(arguments: ["bluejay", "dittojay"])
    func `a level that does not exist is a wrong use`(program: String) async throws {
        let programs = try Programs()
        let command = program == "bluejay" ? "scan" : "run"
        let byOption = try programs.run([program, command, "--log-level", "loud"])
        #expect(try await byOption.exitStatus() == 64)
        #expect(byOption.transcript.contains("unknown log level \"loud\""), "\(byOption.transcript)")
        let variable = program.uppercased() + "_LOG"
        let byVariable = try programs.run([program, command], environment: [variable: "radio=info"])
        #expect(try await byVariable.exitStatus() == 64)
        #expect(byVariable.transcript.contains("\(variable): unknown log layer \"radio\""), "\(byVariable.transcript)")
    }
}
