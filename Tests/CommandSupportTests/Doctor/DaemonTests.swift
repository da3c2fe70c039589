import DBus
import Foundation
import TestSupport
import Testing

@testable import CommandSupport

/// bluetoothd's version and settings.
@Suite(.fewAtOnce) struct DaemonTests {
    // MARK: Version

    @Test func `the version comes from the bus`() async throws {
        let machine = try await Machine()
        try await machine.start { $0.set("Modalias", .string("usb:v1D6Bp0246d0552")) }
        let finding = await machine.examine().findings.first { $0.topic == .version }
        #expect(finding == .ok(.version, "bluetoothd 5.82"))
    }

    @Test func `the version comes from the program when another identity is set`() async throws {
        let machine = try await Machine()
        try await machine.start { $0.set("Modalias", .string("bluetooth:v05F1p1234d0542")) }
        try machine.write("#!/bin/sh\necho 5.77\n", to: "/opt/bluez/it's mine")
        try machine.makeExecutable("/opt/bluez/it's mine")
        try machine.addProcess(Int(getpid()), commandLine: "/opt/bluez/it's mine\0-n\0")
        let finding = await machine.examine().findings.first { $0.topic == .version }
        #expect(finding == .ok(.version, "bluetoothd 5.77"))
    }

    @Test func `a version that is too old for a peripheral`() async throws {
        let machine = try await Machine()
        try await machine.start { $0.set("Modalias", .string("usb:v1D6Bp0246d052F")) }
        let problem = try #require(await machine.examine(as: .peripheral).problems.first)
        #expect(problem.topic == .version && problem.text.contains("5.47") && problem.text.contains("5.48"))
        #expect(problem.remedies.first?.contains("bluez") == true)
        #expect(await machine.examine(as: .central).problems.isEmpty)
    }

    @Test func `a version that was not tested`() async throws {
        let machine = try await Machine()
        try await machine.start { $0.set("Modalias", .string("usb:v1D6Bp0246d0532")) }
        let report = await machine.examine(as: .peripheral)
        #expect(report.problems.isEmpty)
        #expect(report.warnings.map(\.topic) == [.version])
    }

    @Test(arguments: [Doctor.Role.central, .peripheral])
    func `a release that crashes is a warning`(role: Doctor.Role) async throws {
        let machine = try await Machine()
        try await machine.start { $0.set("Modalias", .string("usb:v1D6Bp0246d0557")) }
        let report = await machine.examine(as: role)
        let warning = try #require(report.warnings.first)
        #expect(report.problems.isEmpty && report.warnings.count == 1 && warning.topic == .version)
        #expect(warning.text.hasPrefix("bluetoothd 5.87 crashes when a program scans for certain services"))
        #expect(warning.remedies.first?.contains("bluez") == true)
    }

    @Test(arguments: [("usb:v1D6Bp0246d0542", true), ("usb:v1D6Bp0246d0552", false)])
    func `a release that drops long writes says so to peripherals`(modalias: String, drops: Bool) async throws {
        let machine = try await Machine()
        try await machine.start { $0.set("Modalias", .string(modalias)) }
        let versions = await machine.examine(as: .peripheral).findings.filter { $0.topic == .version }
        #expect(versions.map { $0.text.contains("510 bytes") } == [drops])
        #expect(versions.map(\.verdict) == [.ok])
        let central = await machine.examine(as: .central).findings.filter { $0.topic == .version }
        #expect(central.map { $0.text.contains("510") } == [false])
    }

    // MARK: Settings

    private static let withGroup =
        "sudo sed -i -e '/^ *Channels *=/d' -e 's/^\\[GATT\\].*/&\\nChannels = 1/' /etc/bluetooth/main.conf"
    private static let withoutGroup = "printf '\\n[GATT]\\nChannels = 1\\n' | sudo tee -a /etc/bluetooth/main.conf"

    @Test(arguments: [
        (settings: "[GATT]\nChannels = 3\n", modalias: "usb:v1D6Bp0246d0552", remedy: withGroup),
        (settings: "[GATT]\n#Channels = 1\n", modalias: "usb:v1D6Bp0246d0542", remedy: withGroup),
        (settings: "[General]\n", modalias: "usb:v1D6Bp0246d0542", remedy: withoutGroup),
        (settings: "[General]\n", modalias: "usb:v1D6Bp0246d0552", remedy: nil),
        (settings: "[GATT]\n Channels=1\n", modalias: "usb:v1D6Bp0246d0542", remedy: nil),
    ])
    func `several channels bring notifications out of order`(settings: String, modalias: String, remedy: String?)
        async throws
    {
        let machine = try await Machine()
        try await machine.start { $0.set("Modalias", .string(modalias)) }
        try machine.write(settings, to: "/etc/bluetooth/main.conf")
        let report = await machine.examine()
        #expect(report.problems.isEmpty)
        #expect(report.warnings.map(\.topic) == (remedy == nil ? [] : [.settings]))
        #expect(report.warnings.first?.remedies == remedy.map { ["\($0) && sudo service bluetooth restart"] })
        // Without support in the kernel there is one channel only.
        try machine.write("N\n", to: "/sys/module/bluetooth/parameters/enable_ecred")
        #expect(await machine.examine().complaints.isEmpty)
    }

    @Test func `low energy is switched off`() async throws {
        let machine = try await Machine()
        try await machine.start()
        try machine.write("[General]\nControllerMode = bredr\n[GATT]\nChannels = 1\n", to: "/etc/bluetooth/main.conf")
        let problem = try #require(await machine.examine().problems.first)
        #expect(problem.topic == .settings)
        #expect(problem.remedies.first?.contains("ControllerMode = dual") == true)
    }

    @Test func `settings of a container are not those of bluetoothd`() async throws {
        let machine = try await Machine()
        try await machine.start()
        try machine.write(["/etc/bluetooth/main.conf": "[GATT]\nChannels = 3\n", "/.dockerenv": ""])
        #expect(await machine.examine().complaints.isEmpty)
        // Files of a container, seen by a machine.
        try machine.write("kthreadd\n", to: "/proc/2/comm")
        #expect(await machine.examine().warnings.map(\.topic) == [.settings])
    }

    @Test(arguments: ["", "JustWorksRepairing = never\n"])
    func `what a lost key takes is said`(setting: String) async throws {
        let machine = try await Machine()
        try await machine.start()
        try machine.write("[General]\n\(setting)[GATT]\nChannels = 1\n", to: "/etc/bluetooth/main.conf")
        let report = await machine.examine()
        #expect(report.complaints.isEmpty)
        #expect(report.findings.contains { $0.topic == .settings && $0.text.hasSuffix("only after bluejay unpair") })
    }
}
