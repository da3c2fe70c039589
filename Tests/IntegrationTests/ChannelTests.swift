import BluetoothLab
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension InTheLab {
    /// L2CAP channels, from CoreBluetooth and from bluejay to a dittojay that offers them.
    @Suite(.withoutProxy("channels, which a proxy does not have"))
    struct Channels {
        private enum PSM {
            static let echo: CBL2CAPPSM = 0x80
            static let secret: CBL2CAPPSM = 0x91
            static let numbers: CBL2CAPPSM = 0x92
            static let endless: CBL2CAPPSM = 0x93
            static let sink: CBL2CAPPSM = 0x94
            static let stall: CBL2CAPPSM = 0x95
            static let file: CBL2CAPPSM = 0x96
        }

        private static let service = "C0000A00-0000-4000-8000-000000000000"
        /// Bytes: a megabyte when tests are thorough.
        private static let amount = rounds(100_000, thoroughly: megabyte)
        /// More than the sockets and the controllers of both sides hold.
        private static let megabyte = 1_000_000

        /// Runs `body` with a dittojay and a central that is connected to it.
        ///
        /// - Parameter endsLink: whether `body` ends the link.
        private func connected(
            endsLink: Bool = false, _ body: (Sensor, PlainCentral) async throws -> Void
        ) async throws {
            try await Lab.here.forgetEachOther()
            let sensor = try await Sensor("--profile", Lab.profile("channels"))
            let central = PlainCentral()
            try await central.connect(advertising: Self.service)
            try await central.discoverEverything()
            try await body(sensor, central)
            if !endsLink { try await central.disconnect() }
            central.giveUp()
            try await sensor.stop()
        }

        private func bytes(_ count: Int) -> Data {
            var dice = Dice.ofThisRun
            return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) })
        }

        /// The numbers that a counter sends, from the first.
        private func numbers(_ count: Int) -> Data {
            var data = Data()
            for number in 0..<UInt32(count / 4) {
                withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
            }
            return data
        }

        // MARK: Bytes

        @Test(arguments: [PSM.echo, PSM.secret])
        func `what is sent arrives whole, each way`(psm: CBL2CAPPSM) async throws {
            try await connected { sensor, central in
                let channel = try await central.openChannel(psm)
                let data = bytes(Self.amount)
                async let back = channel.read(data.count)
                try await channel.write(data)
                #expect(try await back == data)
                await channel.close()
                let isPaired = try await Lab.here.isPaired(Lab.sensorAddress, on: Lab.centralAdapter)
                #expect(isPaired == (psm == PSM.secret))
                let closed = try await sensor.event(.channelClosed)
                #expect(closed.received == Self.amount && closed.sent == Self.amount, "\(closed)")
            }
            try await Lab.here.forgetEachOther()
        }

        @Test func `bluejay copies its input and its output`() async throws {
            let sensor = try await Sensor("--profile", Lab.profile("channels"))
            let folder = try TemporaryFolder()
            let data = bytes(Self.amount)
            try data.write(to: URL(fileURLWithPath: folder.path + "/in"))
            // By the number that the characteristic has.
            let echo = try ChildProcess(
                "bash",
                [
                    "-c",
                    "bluejay l2cap Channels --receive \(data.count) --summary <\(folder.path)/in >\(folder.path)/out",
                ])
            #expect(try await echo.exitStatus(within: .seconds(60)) == 0, "\(echo.transcript)")
            #expect(
                echo.transcript.contains("sent \(data.count) bytes and received \(data.count) bytes"),
                "\(echo.transcript)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/out")) == data)
            // Until the device closes the channel.
            let file = try await Lab.here.bluejay("l2cap", "Channels", "0x96")
            let text = try String(contentsOfFile: Lab.profile("channels"), encoding: .utf8)
            #expect(file.lines == text.split(separator: "\n").map(String.init))
            // Until the end of the input; all of it has arrived then.
            let sink = try ChildProcess(
                "bash", ["-c", "head -c 50000 \(folder.path)/in | bluejay l2cap Channels 148 --linger 0"])
            #expect(try await sink.exitStatus(within: .seconds(60)) == 0, "\(sink.transcript)")
            try await sensor.event(.channelClosed) { $0.received == 50000 }
            try await sensor.stop()
        }

        @Test func `a hundred channels are opened and closed and nothing stays`() async throws {
            try await connected { sensor, central in
                func descriptors() throws -> Int {
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
                }
                var before = 0
                for round in 1...100 {
                    let channel = try await central.openChannel(PSM.echo)
                    let data = Data("round \(round)".utf8)
                    try await channel.write(data)
                    #expect(try await channel.read(data.count) == data)
                    await channel.close()
                    if round == 1 { before = try descriptors() }
                }
                try await sensor.event(.channelClosed, count: 100, within: .seconds(60))
                #expect(try descriptors() == before)
            }
        }

        /// The kernel reports the end of the channel first.
        @Test func `what came before the end is read after it`() async throws {
            try await connected { _, central in
                let channel = try await central.openChannel(PSM.file)
                try await channel.endByPeer()
                let file = try Data(contentsOf: URL(fileURLWithPath: Lab.profile("channels")))
                #expect(try await channel.read(1 << 20) == file)
                #expect(try await channel.read(1) == Data())
                await channel.close()
            }
        }

        @Test func `several channels of one link are open at once`() async throws {
            try await connected { _, central in
                let channels = try await [
                    central.openChannel(PSM.echo), central.openChannel(PSM.echo), central.openChannel(PSM.numbers),
                ]
                let data = bytes(100_000)
                async let first: Void = channels[0].write(data)
                async let second: Void = channels[1].write(data)
                async let back = (channels[0].read(data.count), channels[1].read(data.count))
                #expect(try await channels[2].read(Self.amount) == numbers(Self.amount))
                _ = try await (first, second)
                let both = try await back
                #expect(both.0 == data && both.1 == data)
                for channel in channels { await channel.close() }
            }
        }

        // MARK: Flow control

        @Test func `a sender whose peer does not read stops and goes on when it does`() async throws {
            try await connected { sensor, central in
                let slow = try await central.openChannel(PSM.endless)
                // Meanwhile a megabyte comes over the same link.
                let quick = try await central.openChannel(PSM.numbers)
                #expect(try await quick.read(Self.megabyte) == numbers(Self.megabyte))
                await quick.close()
                // None of it is lost.
                #expect(try await slow.read(Self.megabyte) == numbers(Self.megabyte))
                let unread = try await central.openChannel(PSM.endless)
                let other = try await central.openChannel(PSM.numbers)
                _ = try await other.read(Self.megabyte)
                await other.close()
                let position = sensor.position
                await unread.close()
                let closed = try await sensor.event(.channelClosed, from: position) { $0.channel == "endless" }
                let sent = try #require(closed.sent)
                // What the sockets and the controllers hold, in the kernel's memory about 200 kB on each side.
                #expect((10_000..<500_000).contains(sent), "\(closed)")
                await slow.close()
            }
        }

        @Test func `a writer waits for a device that does not read`() async throws {
            try await connected(endsLink: true) { sensor, central in
                let channel = try await central.openChannel(PSM.stall)
                let writing = Task { try await channel.write(Data(count: 4 * Self.megabyte)) }
                // Another channel is not held up by it.
                let other = try await central.openChannel(PSM.numbers)
                #expect(try await other.read(Self.megabyte) == numbers(Self.megabyte))
                await other.close()
                try await sensor.command("disconnect")
                let error = await #expect(throws: CBError.self) { try await writing.value }
                #expect(error?.code == .peripheralDisconnected)
            }
        }

        /// The best of some rounds each, in turn: what else runs on the machine slows some of them down. With more work
        /// than processors a channel has its turns on several threads, and a raw socket on one: then it is slower by
        /// more than it is otherwise.
        @Test(.thorough)
        func `a channel is measured beside a raw socket, and waits for nothing but its turn`() async throws {
            try await connected { _, central in
                var (raw, own) = (0.0, 0.0)
                for round in 0..<5 {
                    raw = max(raw, try await RawChannel.rate(of: Self.amount, psm: 0xE0 + UInt16(round)))
                    let channel = try await central.openChannel(PSM.numbers)
                    let begin = ContinuousClock.now
                    let count = try await channel.read(Self.amount).count
                    #expect(count == Self.amount)
                    own = max(own, Double(Self.amount) / ((ContinuousClock.now - begin) / .seconds(1)))
                    await channel.close()
                }
                let ratio = own / raw
                print("channel: \(Int(own / 1000)) kB/s, raw socket: \(Int(raw / 1000)) kB/s, ratio \(ratio)")
                #expect(ratio > 0.05, "\(own) of \(raw) bytes a second")
            }
        }

        // MARK: l2test

        /// What l2test sends and checks: a number, the length, and bytes that are all the same.
        private func frame(_ number: UInt32, of size: Int) -> Data {
            var data = Data()
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
            withUnsafeBytes(of: UInt16(size).littleEndian) { data.append(contentsOf: $0) }
            return data + Data(repeating: 0x7F, count: size - data.count)
        }

        /// As a program that has nothing to do with the device's services.
        private func l2test(_ arguments: String...) throws -> ChildProcess {
            try ChildProcess("l2test", arguments + ["-V", "le_public"])
        }

        @Test func `l2test receives what is sent, piece by piece`() async throws {
            try await connected { _, central in
                let server = try l2test("-r", "-i", Lab.sensorAdapter, "-P", "225", "-I", "1000", "-b", "1000")
                try await server.line(containing: "Waiting for connection")
                let channel = try await central.openChannel(225)
                for number in 0..<200 { try await channel.write(frame(UInt32(number), of: 1000)) }
                // It does not read on when the channel is closed.
                var position = 0
                for _ in 0..<200 {
                    let index = try await server.index(ofLineWith: "1000 bytes", from: position) {
                        $0.contains("1000 bytes in")
                    }
                    position = index + 1
                }
                await channel.close()
                try await server.line(containing: "Disconnect")
                _ = try await server.interrupt()
                #expect(!server.transcript.contains("mismatch"), "\(server.transcript)")
            }
        }

        @Test func `what l2test sends is received`() async throws {
            try await connected { _, central in
                let server = try l2test(
                    "-w", "-i", Lab.sensorAdapter, "-P", "226", "-b", "500", "-N", "200", "-g", "1000")
                try await server.line(containing: "Waiting for connection")
                let channel = try await central.openChannel(226)
                let expected = (0..<200).reduce(Data()) { $0 + frame(UInt32($1), of: 500) }
                #expect(try await channel.read(expected.count + 1) == expected)
                await channel.close()
                _ = try await server.interrupt()
            }
        }

        @Test func `l2test opens a channel of dittojay`() async throws {
            let sensor = try await Sensor("--profile", Lab.profile("channels"))
            // It closes without regard to what it has sent, hence the pause.
            let client = try l2test(
                "-s", "-i", Lab.centralAdapter, "-P", "148", "-b", "1000", "-N", "100", "-g", "1000", Lab.sensorAddress)
            #expect(try await client.exitStatus(within: .seconds(60)) == 0, "\(client.transcript)")
            let closed = try await sensor.event(.channelClosed) { $0.channel == "sink" }
            #expect(closed.received == 100_000, "\(closed)")
            try await sensor.stop()
        }

        // MARK: The end

        @Test(.needsVirtualRadio, .bluetoothLab)
        func `a link that is lost ends the streams with an error`() async throws {
            try await connected(endsLink: true) { sensor, central in
                let channel = try await central.openChannel(PSM.endless)
                _ = try await channel.read(100_000)
                let radio = try LabRadio.here
                try await radio.block("hci0", "hci1")
                let error = await #expect(throws: CBError.self) { _ = try await channel.read(100 * Self.megabyte) }
                #expect(error?.code == .connectionTimeout)
                let again = await #expect(throws: CBError.self) { try await channel.write(Data([1])) }
                #expect(again?.code == .connectionTimeout)
                let closed = try await sensor.event(.channelClosed, within: .seconds(30)) { $0.channel == "endless" }
                #expect(closed.message != nil, "\(closed)")
                await channel.close()
                try await radio.unblock("hci0", "hci1")
            }
        }

        @Test func `bluejay reports a link that has ended`() async throws {
            let sensor = try await Sensor("--profile", Lab.profile("channels"))
            let copy = try ChildProcess("bash", ["-c", "bluejay l2cap Channels 0x93 | wc -c; exit ${PIPESTATUS[0]}"])
            try await sensor.event(.channelOpened)
            try await sensor.command("disconnect")
            #expect(try await copy.exitStatus(within: .seconds(60)) == 5, "\(copy.transcript)")
            #expect(copy.transcript.contains("cannot copy the L2CAP channel at PSM 147"), "\(copy.transcript)")
            try await sensor.stop()
        }

        @Test func `a channel that is not offered is refused`() async throws {
            try await connected { _, central in
                let error = await #expect(throws: CBError.self) { _ = try await central.openChannel(0xF0) }
                #expect(error?.code == .connectionFailed)
                // And the next one opens.
                try await central.openChannel(PSM.echo).close()
            }
        }

        @Test func `a program without Bluetooth sockets is told why`() async throws {
            let sensor = try await Sensor("--profile", Lab.profile("channels"))
            let elsewhere = try ChildProcess("unshare", ["--net", "bluejay", "l2cap", "Channels", "0x80"])
            #expect(try await elsewhere.exitStatus(within: .seconds(60)) == 1, "\(elsewhere.transcript)")
            #expect(elsewhere.transcript.contains("network namespace"), "\(elsewhere.transcript)")
            try await sensor.stop()
        }

        @Test func `channels need no privilege`() async throws {
            let sensor = try await Sensor("--profile", Lab.profile("channels"))
            let user = try ChildProcess(
                "bash",
                [
                    "-c",
                    "echo hello | setpriv --inh-caps=-all --bounding-set=-all bluejay l2cap Channels 0x80 --receive 6",
                ])
            #expect(try await user.exitStatus(within: .seconds(60)) == 0, "\(user.transcript)")
            #expect(user.lines.contains("hello"))
            try await sensor.stop()
        }
    }
}
