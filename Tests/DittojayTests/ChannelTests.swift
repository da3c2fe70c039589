import BlueZ
import CoreBluetooth
import TestSupport
import Testing

@testable import CoreBluetooth
@testable import Dittojay

/// The L2CAP channels of a profile.
@Suite(.timeLimit(.minutes(1)))
struct ChannelTests {
    private static let services = """
        services:
          - uuid: FFF0
            characteristics:
              - {name: psm, uuid: FFF1, properties: [read], psm-of: log}

        """

    private func parse(_ text: String) throws -> PeripheralProfile {
        try ProfileFile.parse(Self.services + text, file: "folder/a.yaml").value
    }

    private func mistakes(_ text: String) -> [String] {
        do throws(ProfileFileError) {
            _ = try ProfileFile.parse(Self.services + text, file: "a.yaml")
            return []
        } catch {
            return error.all.map { "\($0.keyPath): \($0.message)" }
        }
    }

    // MARK: Files

    @Test func `a file has channels`() throws {
        let profile = try parse(
            """
            l2cap:
              - {name: log, mode: echo}
              - {name: numbers, mode: counter, bytes: 1000, psm: 0x90, encrypted: true}
              - {name: endless, mode: counter}
              - {name: sink, mode: discard}
              - {name: stall, mode: stall, psm: 255}
              - {name: firmware, mode: file, file: firmware.bin}
            """)
        #expect(
            profile.channels == [
                ChannelProfile(name: "log", mode: .echo),
                ChannelProfile(name: "numbers", psm: 0x90, isEncrypted: true, mode: .counter(byteCount: 1000)),
                ChannelProfile(name: "endless", mode: .counter(byteCount: nil)),
                ChannelProfile(name: "sink", mode: .discard), ChannelProfile(name: "stall", psm: 255, mode: .stall),
                ChannelProfile(name: "firmware", mode: .file(path: "folder/firmware.bin"), folder: "folder"),
            ])
        #expect(profile.services[0].characteristics[0].source == .psm(of: "log"))
        #expect(profile.summary.contains("L2CAP channel numbers at PSM 144, encrypted: sends 1000 bytes of numbers"))
    }

    @Test func `a file that cannot be read is a warning`() throws {
        let content = try ProfileFile.parse(
            Self.services + "l2cap: [{name: log, mode: file, file: none.bin}]", file: "a.yaml")
        #expect(content.warnings.map(\.message) == ["none.bin cannot be read: No such file or directory"])
    }

    @Test func `a channel sends regular files from the profile's folder, and others only if that is allowed`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let inner = folder.appendingPathComponent("inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for url in [folder, inner] { try Data("x".utf8).write(to: url.appendingPathComponent("a.bin")) }
        #expect(mkfifo(inner.path + "/pipe", 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: inner.path + "/link", withDestinationPath: "../a.bin")
        func mistake(_ file: String, allowed: Bool = false) -> String? {
            let text = Self.services + "l2cap: [{name: log, mode: file, file: \(file)}]"
            do throws(ProfileFileError) {
                _ = try ProfileFile.parse(text, file: inner.path + "/p", allowsOtherFolders: allowed)
                return nil
            } catch {
                return error.all.map(\.message).joined()
            }
        }
        #expect(mistake("a.bin") == nil && mistake("./../inner/a.bin") == nil && mistake(inner.path + "/a.bin") == nil)
        for outside in ["../a.bin", "link", folder.path + "/a.bin"] {
            #expect(mistake(outside)?.contains("is outside the profile's folder") == true, "\(outside)")
            #expect(mistake(outside, allowed: true) == nil, "\(outside)")
        }
        for odd in ["pipe", "/dev/zero", "/dev/null", ".", "/proc"] {
            #expect(mistake(odd, allowed: true)?.hasSuffix("is not a regular file") == true, "\(odd)")
        }
    }

    @Test func `a profile in a file of one letter has the current folder`() throws {
        let text = Self.services + "l2cap: [{name: log, mode: file, file: none.bin}]"
        #expect(try ProfileFile.parse(text, file: "p").value.channels.map(\.folder) == ["."])
        #expect(try ProfileFile.parse(text, file: "/p").value.channels.map(\.folder) == ["/"])
    }

    @Test func `a file that is exchanged for a pipe is not opened`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        #expect(mkfifo(path, 0o600) == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: ChannelFileError.notRegular(path: path)) { try ChannelFile(path, within: nil) }
    }

    @Test(arguments: [
        ("l2cap: []", "l2cap: expected 1...32 channels"),
        ("l2cap: [{name: log}]", "l2cap[0]: \"mode\" is missing"),
        ("l2cap: [{mode: echo}]", "l2cap[0]: \"name\" is missing"),
        (
            "l2cap: [{name: log, mode: echo, psm: 127}]",
            "l2cap[0].psm: expected a whole number from 128 to 255, found \"127\""
        ),
        ("l2cap: [{name: log, mode: echo, bytes: 5}]", "l2cap[0].bytes: bytes is valid only for the mode counter"),
        ("l2cap: [{name: log, mode: echo, file: a}]", "l2cap[0].file: file is valid only for the mode file"),
        ("l2cap: [{name: log, mode: file}]", "l2cap[0]: \"file\" is missing"),
        (
            "l2cap: [{name: log, mode: echo}, {name: log, mode: stall}]",
            "l2cap[1]: duplicate channel name log"
        ),
        (
            "l2cap: [{name: log, mode: echo, psm: 200}, {name: b, mode: stall, psm: 200}]",
            "l2cap[1]: duplicate PSM 200"
        ),
        (
            "l2cap: [{name: other, mode: echo}]",
            "services[0].characteristics[0].psm-of: unknown L2CAP channel \"log\""
        ),
    ])
    func `mistakes are reported`(text: String, mistake: String) {
        #expect(mistakes(text) == [mistake])
    }

    // MARK: Channels

    private struct Bench {
        let queue = DispatchQueue(label: "channels")
        let parts: Parts
        let channels: SimulatedChannels
        let closed = AwaitedValues<String>()

        init(_ channels: [ChannelProfile]) {
            parts = Parts(PeripheralProfile(name: "", localName: "", services: []), queue: queue)
            self.channels = SimulatedChannels(channels, queue: queue, events: parts.events)
            let closed = closed
            parts.events.onEvent = { event in
                if event.kind != .channelOffered { closed.put(event.textWithoutTime) }
            }
        }

        func publish(_ psms: CBL2CAPPSM...) {
            queue.sync {
                channels.start(parts.server)
                for psm in psms { channels.published(psm, error: nil) }
            }
        }

        /// A central opens a channel.
        func open(_ psm: UInt16) async throws -> L2CAPSocket {
            let pair = try await ChannelPair(psm: psm)
            let central = CBCentral(
                identifier: try #require(CBPeer.identifier(forBluetoothAddress: Parts.central, isRandom: true)))
            queue.sync { channels.opened(CBL2CAPChannel(peer: central, socket: pair.near)) }
            return pair.far
        }
    }

    @Test func `channels are offered in their order and have their numbers`() {
        let bench = Bench([
            ChannelProfile(name: "a", mode: .echo),
            ChannelProfile(name: "b", psm: 0x90, isEncrypted: true, mode: .stall),
        ])
        bench.publish(0x83, 0x90)
        #expect(bench.parts.server.channels == ["any", "144, encrypted"])
        #expect(bench.channels.psm(of: "a") == 0x83)
        #expect(bench.channels.psm(of: "b") == 0x90)
        bench.queue.sync { bench.channels.interrupt() }
        #expect(bench.channels.psm(of: "a") == nil)
    }

    @Test func `a channel that cannot be offered is reported and the others are`() async throws {
        let bench = Bench([ChannelProfile(name: "a", mode: .echo), ChannelProfile(name: "b", mode: .echo)])
        bench.queue.sync {
            bench.channels.start(bench.parts.server)
            bench.channels.published(0, error: CBError(.operationNotSupported))
            bench.channels.published(0x80, error: nil)
        }
        #expect(try await bench.closed.next().hasPrefix("failed: cannot publish the L2CAP channel a:"))
        #expect(bench.channels.psm(of: "b") == 0x80)
    }

    @Test func `an echo sends back what comes until the central closes it`() async throws {
        let bench = Bench([ChannelProfile(name: "log", mode: .echo)])
        bench.publish(0x80)
        let central = try await bench.open(0x80)
        #expect(try await bench.closed.next() == "channel-opened log PSM 128 by \(Parts.central)")
        for round in 0..<20 {
            let bytes = [UInt8](repeating: UInt8(round), count: 90)
            #expect(central.give(bytes) == 90)
            #expect(try await central.take(exactly: 90) == bytes)
        }
        central.close()
        #expect(
            try await bench.closed.next()
                == "channel-closed log PSM 128, received 1800 bytes, sent 1800 bytes by \(Parts.central)")
    }

    @Test func `an echo that cannot send back any more ends`() async throws {
        let bench = Bench([ChannelProfile(name: "log", mode: .echo)])
        bench.publish(0x80)
        let central = try await bench.open(0x80)
        #expect(try await bench.closed.next() == "channel-opened log PSM 128 by \(Parts.central)")
        // Until what it has sent back, and what it has not read, fills both sockets.
        var isFull = false
        while !isFull {
            while let count = central.give([UInt8](repeating: 1, count: 100)), count > 0 {}
            try await pass(.milliseconds(20))
            bench.queue.sync {}
            isFull = central.readiness(for: .sending) == .notReady
        }
        #expect(central.taken(100) != nil)
        central.close()
        #expect(try await bench.closed.next().hasPrefix("channel-closed log PSM 128, received "))
    }

    @Test func `a counter sends its numbers and closes the channel`() async throws {
        let bench = Bench([ChannelProfile(name: "log", mode: .counter(byteCount: 50_002))])
        bench.publish(0x80)
        let central = try await bench.open(0x80)
        let bytes = try await central.take(exactly: 50_002)
        #expect(Array(bytes[..<12]) == [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])
        #expect(Array(bytes[49_996...]) == [211, 48, 0, 0, 212, 48])
        _ = try await bench.closed.next()
        #expect(
            try await bench.closed.next()
                == "channel-closed log PSM 128, received 0 bytes, sent 50002 bytes by \(Parts.central)")
    }

    @Test func `a file is sent whole`() async throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/f"))
        let bench = Bench([ChannelProfile(name: "log", mode: .file(path: folder.path + "/f"))])
        bench.publish(0x80)
        let central = try await bench.open(0x80)
        #expect(try await central.take(exactly: 40_000) == bytes)
    }

    @Test func `a file that cannot be read closes the channel`() async throws {
        let bench = Bench([ChannelProfile(name: "log", mode: .file(path: "/nowhere"))])
        bench.publish(0x80)
        let central = try await bench.open(0x80)
        #expect(try await bench.closed.next().hasPrefix("failed: the L2CAP channel log: "))
        let ended = AwaitedValues<Void>()
        central.onEnd { ended.put(()) }
        try await ended.next()
    }

    @Test func `a channel that stalls reads nothing`() async throws {
        let bench = Bench([ChannelProfile(name: "log", mode: .stall)])
        bench.publish(0x80)
        let central = try await bench.open(0x80)
        while let count = central.give([UInt8](repeating: 1, count: 100)), count > 0 {}
        #expect(central.readiness(for: .sending) == .notReady)
        bench.queue.sync { bench.channels.stop() }
        _ = try await bench.closed.next()
        #expect(
            try await bench.closed.next()
                == "channel-closed log PSM 128, received 0 bytes, sent 0 bytes by \(Parts.central)")
    }
}
