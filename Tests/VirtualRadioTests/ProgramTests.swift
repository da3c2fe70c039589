import Foundation
import Posix
import Testing
import VirtualRadio

@testable import VirtualRadioCommand

@Suite struct ProgramTests {
    @Test func `arguments are read with and without equals signs`() throws {
        let arguments = try Arguments(["--controllers", "7", "--controller=4.2", "--air", "real", "--seed=9"])
        #expect(arguments.controllers == 7 && arguments.kind == .v4_2)
        #expect(arguments.air == .real && arguments.seed == 9)
        let usual = try Arguments([])
        #expect(usual.controllers == 2 && usual.kind == .v5_3 && usual.air == nil && usual.seed == nil)
        #expect(try Arguments(["-h"]).showsHelp)
        let sockets = try Arguments(["--h4", "/tmp/radio"])
        #expect(sockets.hostSockets == ["/tmp/radio"] && sockets.controllers == 0)
        #expect(try Arguments(["--h4", "radio", "--h4=tcp:0"]).hostSockets == ["radio", "tcp:0"])
        #expect(try Arguments(["--h4=radio", "--controllers=1"]).controllers == 1)
        let ports = try Arguments(["--port", "/dev/ttyS0", "--port=/dev/ttyS1"])
        #expect(ports.ports == ["/dev/ttyS0", "/dev/ttyS1"] && ports.controllers == 0)
        #expect(try Arguments(["--remote", "/dev/ttyS0"]).remote == "/dev/ttyS0")
        let words = ["--hosts", "2", "--controllers", "2", "--port", "x", "--port", "y", "--scene", "x.json", "--hold"]
        let hosts = try Arguments(words)
        #expect((0..<4).map { hosts.controllerName($0, kernel: 9) } == ["a/hci0", "a/hci1", "b/hci0", "b/hci1"])
        #expect(hosts.scene == "x.json" && hosts.holds && usual.controllerName(1, kernel: 4) == "hci4")
    }

    @Test(arguments: [
        ["--controllers", "0"], ["--controllers", "251"], ["--controllers"], ["--controller", "6"], ["--air", "thick"],
        ["--seed", "-1"], ["--sed", "1"], ["hci0"], ["--hold"],
        ["--hosts", "3"],
    ])
    func `other arguments are mistakes that name themselves`(words: [String]) throws {
        let error = #expect(throws: UsageError.self) { try Arguments(words) }
        #expect(try #require(error).text.contains(words[0]))
    }

    @Test(arguments: ["", "\u{FEFF}"])
    func `a file may begin with a byte-order mark`(mark: String) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data((mark + "{}").utf8).write(to: URL(fileURLWithPath: path))
        #expect(try SceneFile.bytes(path) == Array("{}".utf8))
    }

    @Test func `each controller has an address of its own, however many there are`() {
        #expect(RadioLoop.address(0).description == "00:AA:01:00:00:00")
        #expect(RadioLoop.address(255).description == "00:AA:01:FF:00:FF")
        #expect(Set((0..<70_000).map(RadioLoop.address)).count == 70_000)
    }

    @Test func `a capture is a pcap file with nanoseconds`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try CaptureFile(path, begin: 7 * Span.second)
        file.add([1, 2, 3], at: 2 * Span.second + 5)
        let bytes = try #require(FileManager.default.contents(atPath: path))
        #expect(Array(bytes[..<4]) == [0x4D, 0x3C, 0xB2, 0xA1])
        #expect(Array(bytes[4..<8]) == [2, 0, 4, 0] && Array(bytes[20..<24]) == [0, 1, 0, 0])
        #expect(Array(bytes[24...]) == [9, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 1, 2, 3])
        let error = #expect(throws: SystemError.self) { try CaptureFile("/nowhere/file", begin: 0) }
        #expect(try #require(error).description.hasPrefix("cannot write /nowhere/file: "))
    }

    /// The radio does nothing else while it writes.
    @Test func `an air is recorded to files, not to what may hold up the radio`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { unlink(path) }
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: SystemError.self) { try RecordingFile(path) }
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let error = #expect(throws: SystemError.self) { try RecordingFile(path) }
        #expect(error?.description == "cannot write \(path): not a regular file")
        #expect(throws: SystemError.self) { try RecordingFile("/dev/null") }
        try #require(unlink(path) == 0)
        let file = try RecordingFile(path)
        file.write("{}")
        file.flush()
        #expect(FileManager.default.contents(atPath: path) == Data("{}\n".utf8))
    }
}
