import Foundation
import Posix
import TestSupport
import Testing

@testable import CoreBluetooth
@testable import RestorationAgent

@Suite struct AgentLimitTests {
    private let backend = FakeBackend()
    private let host = FakeHost()
    private let core: AgentCore

    init() {
        core = AgentCore(
            record: RestorationRecord(), backend: backend, host: host,
            queue: DispatchQueue(label: "test"))
    }

    private func registration(_ number: Int, program: String = "/bin/app") -> AppRegistration {
        var registration = AppRegistration.app("app \(number)")
        registration.program = program
        return registration
    }

    @discardableResult
    private func register(_ registration: AppRegistration, process: Int32) -> FakePeer {
        host.alive.insert(process)
        let peer = FakePeer(process: process)
        _ = core.receive(.hello(registration), from: peer)
        return peer
    }

    /// Registers, connects to a peripheral, and dies as by SIGKILL.
    private func leave(_ registration: AppRegistration, process: Int32) {
        let peer = register(registration, process: process)
        #expect(core.receive(.connected(request(.numbered(1))), from: peer))
        core.connectionIsGone(peer)
        host.alive.remove(process)
        host.advance(by: 0.1)
    }

    private func request(_ peripheral: UUID, adapter: String = "00:AA") -> PeripheralRequest {
        PeripheralRequest(peripheral: peripheral, adapter: adapter, reconnects: true)
    }

    @Test func `programs that have ended make room for new ones, the one that ended first before the others`() {
        for number in 0..<AgentLimits.apps {
            leave(registration(number, program: "/bin/\(number)"), process: Int32(100 + number))
        }
        // The first one comes back and dies again: now the second one has been gone for longest.
        leave(registration(0, program: "/bin/0"), process: 900)
        #expect(register(registration(0, program: "/bin/new"), process: 901).welcome != nil)
        #expect(core.apps.count == AgentLimits.apps)
        #expect(!core.apps.contains { $0.record.registration.program == "/bin/1" })
        #expect(core.apps.contains { $0.record.registration.program == "/bin/0" })
        #expect(host.lines.contains { $0.contains("/bin/1 is dropped") })
    }

    @Test func `when all programs run a new one is refused in words, and the log says so`() {
        for number in 0..<AgentLimits.apps {
            let peer = register(registration(number, program: "/bin/\(number)"), process: Int32(100 + number))
            #expect(peer.welcome != nil)
        }
        let late = register(registration(0, program: "/bin/new"), process: 901)
        #expect(late.refusal == "too many registered programs (limit 64)")
        #expect(host.lines.last?.contains("too many registered programs (limit 64)") == true)
    }

    @Test func `one program cannot take all the room`() {
        for number in 0..<AgentLimits.apps { register(registration(number), process: 7) }
        #expect(core.apps.count == AgentLimits.appsPerProgram)
        let late = register(registration(99), process: 7)
        #expect(late.refusal == "too many restore identifiers of /bin/app (limit 16)")
        #expect(register(registration(1, program: "/bin/other"), process: 8).welcome != nil)
    }

    @Test func `a registration that is too long is refused in words`() {
        var long = AppRegistration.app()
        long.environment["PATH"] = String(repeating: "x", count: AgentLimits.registrationLength)
        #expect(register(long, process: 7).refusal?.contains("too long (limit 32768 bytes)") == true)
        var name = AppRegistration.app(String(repeating: "x", count: 1025))
        #expect(register(name, process: 7).refusal?.contains("too long: 1025 bytes (limit 1024)") == true)
        name.identifier = ""
        #expect(register(name, process: 7).refusal == "the registration is incomplete")
    }

    /// A program with as much of everything as there can be.
    private func fullest() throws -> RegisteredApp {
        let peer = register(.app(), process: 7)
        let name = String(repeating: "x", count: AgentLimits.nameLength)
        let peripherals = (1...AgentLimits.peripherals).map { UUID.numbered($0) }
        for peripheral in peripherals {
            #expect(core.receive(.connected(request(peripheral, adapter: name)), from: peer))
        }
        let first = UInt32.max - UInt32(AgentLimits.subscriptions) - 1
        for number in 0..<AgentLimits.subscriptions {
            let key = CharacteristicKey(
                service: name, characteristic: name, path: String(repeating: "y", count: 61) + String(number + 100))
            let subscription = SubscriptionRequest(
                subscription: first + UInt32(number), peripheral: peripherals[number % peripherals.count], key: key,
                usesSocket: false)
            #expect(core.receive(.subscribe(subscription), from: peer))
        }
        core.connectionIsGone(peer)
        host.alive.remove(7)
        host.advance(by: 0.1)
        host.launchFailure = SystemError(text: "not now")
        for peripheral in peripherals {
            for number in 0..<100 {
                backend.observer?.servicesChanged(
                    peripheral, invalidated: [UUID.numbered(number).uuidString.lowercased()], paths: ["none"])
            }
        }
        return try #require(core.apps.first)
    }

    @Test func `the fullest welcome fits into a message`() throws {
        let app = try fullest()
        #expect(app.record.peripherals.map(\.subscriptions.count).reduce(0, +) == AgentLimits.subscriptions)
        let bytes = try #require(MessageCoder.encode(AgentMessage.welcome(app.welcome)))
        #expect(bytes.count > MessageCoder.maximumLength / 2)
        #expect(MessageCoder.decode(AgentMessage.self, from: bytes) == .welcome(app.welcome))
    }

    @Test func `the fullest record is read back whole, and one with more is cut down`() throws {
        let record = RestorationRecord(apps: [try fullest().record])
        #expect(record.withinLimits == record)
        var more = record
        more.apps[0].peripherals[0].adapter = "\u{1}"
        more.apps[0].peripherals[1].serviceChange?.invalidated.append("x")
        more.apps[0].peripherals += more.apps[0].peripherals
        more.apps += more.apps
        let within = more.withinLimits
        #expect(within.apps.count == 1)
        #expect(within.apps.first?.peripherals == Array(record.apps[0].peripherals.dropFirst()))
        let next = AgentCore(
            record: more, backend: backend, host: host, queue: DispatchQueue(label: "test"))
        #expect(next.record.withinLimits == next.record)
        #expect(host.lines.last?.contains("more than the agent keeps") == true)
    }

    @Test func `of subscriptions with the same number a record has one`() throws {
        var record = RestorationRecord(apps: [try fullest().record])
        let numbers = record.apps[0].peripherals.flatMap(\.subscriptions).map(\.subscription)
        for index in record.apps[0].peripherals.indices {
            for other in record.apps[0].peripherals[index].subscriptions.indices {
                record.apps[0].peripherals[index].subscriptions[other].subscription = numbers[0]
            }
        }
        let kept = record.withinLimits.apps[0].peripherals.flatMap(\.subscriptions)
        #expect(kept.map(\.subscription) == [numbers[0]])
    }

    @Test func `what has changed since a program ended is kept once, and not without end`() throws {
        let changes = try fullest().record.peripherals.compactMap(\.serviceChange?.invalidated)
        #expect(changes.count == AgentLimits.peripherals)
        for change in changes {
            #expect(change.count == AgentLimits.invalidatedServices && Set(change).count == change.count)
        }
    }

    @Test func `a characteristic has one subscription of a program, the last one`() {
        let peer = register(.app(), process: 7)
        let sensor = UUID.numbered(1)
        #expect(core.receive(.connected(request(sensor)), from: peer))
        for number in 1...200 as ClosedRange<UInt32> {
            let request = SubscriptionRequest(subscription: number, peripheral: sensor, key: .chirp)
            #expect(core.receive(.subscribe(request), from: peer))
        }
        #expect(core.apps.first?.record.peripherals.first?.subscriptions.map(\.subscription) == [200])
        backend.observer?.received(Data("a".utf8), from: sensor, path: CharacteristicKey.chirp.path)
        #expect(peer.takeAll() == ["200: a"])
    }

    @Test func `a subscription above the limit fails in words, and the program stays connected`() {
        let peer = register(.app(), process: 7)
        let sensor = UUID.numbered(1)
        #expect(core.receive(.connected(request(sensor)), from: peer))
        for number in 0...AgentLimits.subscriptions {
            let key = CharacteristicKey(service: "s", characteristic: "c", path: "service0010/char\(number)")
            let request = SubscriptionRequest(subscription: UInt32(number + 1), peripheral: sensor, key: key)
            #expect(core.receive(.subscribe(request), from: peer))
        }
        guard case .subscribed(129, let failure) = peer.messages.last else {
            Issue.record("\(String(describing: peer.messages.last))")
            return
        }
        #expect(
            failure?.text.contains("Too many subscriptions for the restoration agent (limit 128 per program)") == true)
        #expect(!peer.isClosed)
    }

    @Test(arguments: [String(repeating: "x", count: 65), "\u{1}", "\"", "\\", "é"])
    func `names that none has end the connection`(name: String) {
        let peer = register(.app(), process: 7)
        #expect(!core.receive(.connected(request(.numbered(1), adapter: name)), from: peer))
        #expect(core.receive(.connected(request(.numbered(1))), from: peer))
        let key = CharacteristicKey(service: "s", characteristic: "c", path: name)
        let subscription = SubscriptionRequest(subscription: 1, peripheral: .numbered(1), key: key)
        #expect(!core.receive(.subscribe(subscription), from: peer))
    }

    @Test func `values that wait are counted with what they take in memory, for one program and for all`() throws {
        let budget = BacklogBudget(limit: AgentLimits.backlog * 3 / 2)
        let queue = DispatchQueue(label: "test")
        let frame = ValueFrame(subscription: 1, value: Data([1]))
        func fill(_ inbox: Inbox) -> Int {
            var count = 0
            while inbox.lost == 0 {
                inbox.append(frame)
                count += 1
            }
            return count
        }
        let most = AgentLimits.backlog / 64 + 1000
        do {
            let (first, second) = try (
                #require(Inbox(queue: queue, budget: budget)), #require(Inbox(queue: queue, budget: budget))
            )
            let (one, other) = (fill(first), fill(second))
            #expect(one < most && other < one * 2 / 3)
            #expect(!budget.take(1000))
        }
        #expect(budget.take(AgentLimits.backlog * 3 / 2), "given back")
    }
}

@Suite struct RecordFileTests {
    private let folder: TemporaryFolder
    private let file: RecordFile

    init() throws {
        folder = try TemporaryFolder()
        file = RecordFile(folder: folder.path)
    }

    /// Loads what is there, which is put aside, and returns what the log says.
    private func refusal() throws -> String {
        var lines: [String] = []
        #expect(try file.load { lines.append($0) } == RestorationRecord())
        var info = stat()
        #expect(lstat(file.path, &info) != 0 && lstat(file.path + ".damaged", &info) == 0)
        return try #require(lines.first)
    }

    @Test func `a record is not read through a link`() throws {
        try RecordFile(folder: folder.path).save(
            RestorationRecord(apps: [AppRecord(registration: .app(), process: nil)]))
        rename(file.path, folder.path + "/elsewhere")
        symlink("elsewhere", file.path)
        #expect(try refusal().contains("is a symbolic link: moved to"))
    }

    @Test func `a record of any size is not read`() throws {
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        ftruncate(descriptor, 1 << 40)
        close(descriptor)
        #expect(try refusal().contains("is too long (limit 16777216 bytes)"))
    }

    @Test func `a pipe is no record, and nothing waits for it`() throws {
        mkfifo(file.path, 0o600)
        #expect(try refusal().contains("is not owned by this user"))
    }

    @Test func `a folder is no record`() throws {
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: true)
        #expect(try refusal().contains("is not owned by this user"))
    }

    @Test func `a deeply nested record is put aside`() throws {
        let deep = String(repeating: "[", count: 1_000_000)
        try Data("{\"version\":1,\"apps\":\(deep)".utf8).write(to: URL(fileURLWithPath: file.path))
        #expect(try refusal().contains("has an unsupported format version"))
    }

    @Test func `a folder that cannot be made is a sentence`() throws {
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        for (path, reason) in [
            ("/file/state", "a file of that name already exists"), ("/file", "a file of that name already exists"),
        ] {
            let location = AgentLocation(environment: [
                "BLUEJAY_AGENT_SOCKET": folder.path + "/agent.sock", "BLUEJAY_STATE_DIRECTORY": folder.path + path,
            ])
            let error = #expect(throws: SystemError.self) { try location.prepare() }
            #expect(error?.description.hasSuffix(reason) == true, "\(error?.description ?? "")")
            #expect(error?.description.hasPrefix("cannot create the folder \(folder.path)/file") == true)
            let start = #expect(throws: SystemError.self) {
                try AgentStarter.start(location, environment: [:])
            }
            #expect(start?.description == error?.description)
        }
        let new = AgentLocation(environment: [
            "BLUEJAY_AGENT_SOCKET": folder.path + "/agent.sock", "BLUEJAY_STATE_DIRECTORY": folder.path + "/a//b/c",
        ])
        try new.prepare()
        var info = stat()
        #expect(stat(folder.path + "/a/b/c", &info) == 0 && info.st_mode & 0o777 == 0o700)
    }
}
