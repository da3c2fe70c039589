import CoreBluetooth
import Foundation
import LineOutput
import MainLoop
import PlainText

/// Listens to everything that a device sends, and writes it to a file with its times.
@MainActor
final class DeviceRecording {
    struct Sender {
        let attribute: CBCharacteristic
        /// Its name in the file.
        let reference: String
    }

    /// A connection to the device, and what it has.
    struct Device {
        let connection: DeviceConnection
        let senders: [Sender]
    }

    private var device: Device
    private let reconnect: @MainActor () async throws -> Device
    private let file: RecordingFile
    private let output: Output
    private let count: Int?
    /// What the times count from.
    private var begin: ContinuousClock.Instant?
    private var lastTime = 0.0
    private var heard: Set<String> = []
    private var removedServices: Set<ObjectIdentifier> = []
    /// Whether everything is subscribed to.
    private var isSubscribed = false
    private let end = FirstOutcome<End>()

    private enum End: Swift.Sendable {
        case done
        case timeIsUp
        case failed(any Error)
    }

    /// A first value that comes within this time is taken for one that was sent at once.
    nonisolated static let delivery = Duration.milliseconds(100)
    /// How often the count is printed.
    private static let progressInterval = Duration.seconds(1)

    /// - Parameters:
    ///   - count: after how many values it ends.
    ///   - reconnect: makes the connection again.
    init(
        _ device: Device, file: RecordingFile, output: Output, count: Int?,
        reconnect: @escaping @MainActor () async throws -> Device
    ) {
        self.device = device
        self.reconnect = reconnect
        self.file = file
        self.output = output
        self.count = count
    }

    var hasBegun: Bool { begin != nil }

    /// The battery's level comes first. bluetoothd subscribes to it by itself, and a device that begins to send once
    /// everything is subscribed to would begin before this program listens to it.
    nonisolated static func inOrderOfListening(_ senders: [Sender]) -> [Sender] {
        let isLevel = { (sender: Sender) in sender.attribute.uuid == CBUUID(string: "2A19") }
        return senders.filter(isLevel) + senders.filter { !isLevel($0) }
    }

    /// `240 values of 2 characteristics in 12 s`.
    var contents: String {
        "\(counted(file.count, "value")) of \(counted(heard.count, "characteristic")) in "
            + "\(decimal(lastTime)) s"
    }

    func add(to object: inout JSONObject) {
        object.add("values", file.count)
        object.add("seconds", lastTime, places: 3)
    }

    /// - Parameter duration: after how many seconds it ends.
    /// - Throws: ``CommandError`` if it has not ended as it was asked to. What has come by then is in the file.
    func run(for duration: Double?) async throws {
        follow()
        defer { unfollow() }
        let subscribed = try await subscribe()
        isSubscribed = true
        if let reason = device.connection.link.end { stop(reason) }
        if begin == nil { begin = .now }
        output.event("recording", "recording \(counted(subscribed.count, "characteristic")) to \(file.path)") {
            object in
            object.add("file", file.path)
            object.add("characteristics", subscribed.map(\.reference))
        }
        let progress = Task { await showProgress() }
        defer { progress.cancel() }
        switch await end.value(within: duration.map { .seconds($0) }, otherwise: .timeIsUp) {
        case .done: break
        case .timeIsUp:
            guard let count, let duration else { break }
            throw CommandError(.notInTime, "received only \(file.count) of \(count) values in \(inSeconds(duration))")
        case .failed(let error): throw CommandError(error, attempt: "stopped after \(counted(file.count, "value"))")
        }
    }

    private func follow() {
        device.connection.link.onEvent = { [weak self] event in self?.handle(event) }
    }

    private func unfollow() { device.connection.link.onEvent = nil }

    private func handle(_ event: AsyncPeripheral.Event) {
        switch event {
        case .value(let value, let source): receive(value, from: source)
        case .loss(let characteristic): output.report(lossOf: characteristic, of: device.connection.table)
        case .servicesChanged(let services): removed(services)
        // Before that, it is why a subscription fails.
        case .end(let reason): if isSubscribed { stop(reason) }
        }
    }

    /// Subscribes to one after another. The connection is made again, without the one in question, when the device does
    /// not answer, or ends the connection at once: it answers nothing else then.
    ///
    /// - Returns: those that the device has allowed.
    private func subscribe() async throws -> [Sender] {
        var (subscribed, refused): (Set<String>, Set<String>) = ([], [])
        var firstRefusal: CommandError?
        while let sender = Self.inOrderOfListening(device.senders).first(where: {
            !subscribed.contains($0.reference) && !refused.contains($0.reference)
        }) {
            do {
                try await device.connection.subscribe(to: sender.attribute)
                subscribed.insert(sender.reference)
            } catch {
                let failure = CommandError(error, attempt: "cannot listen to \(sender.reference)")
                guard !failure.endsEverything || failure.isAboutThisRequest else { throw failure }
                firstRefusal = firstRefusal ?? failure
                refused.insert(sender.reference)
                StandardError.write("bluejay: not recorded: \(failure.message)")
                guard failure.endsEverything, refused.count < device.senders.count else { continue }
                unfollow()
                device = try await reconnect()
                follow()
                subscribed = []
            }
        }
        if subscribed.isEmpty, let firstRefusal { throw firstRefusal }
        return device.senders.filter { subscribed.contains($0.reference) }
    }

    private func receive(_ value: Data, from source: CBCharacteristic) {
        let now = ContinuousClock.now
        guard !end.isKnown, let reference = device.senders.first(where: { $0.attribute === source })?.reference else {
            return
        }
        do {
            let begin = Self.begin(now, isFirst: file.count == 0, subscribed: self.begin)
            self.begin = begin
            lastTime = (now - begin).inSeconds
            try file.append(value, at: lastTime, of: reference)
            heard.insert(reference)
            if file.count == count { end.report(.done) }
        } catch {
            stop(error)
        }
    }

    /// What the times count from, when a value has come `now`. A first value that was sent at once takes a while to
    /// come, because bluetoothd gathers values and the link has its interval; a device that sends it again would add as
    /// much once more.
    nonisolated static func begin(
        _ now: ContinuousClock.Instant, isFirst: Bool, subscribed: ContinuousClock.Instant?
    ) -> ContinuousClock.Instant {
        guard let subscribed else { return now }
        return isFirst && now - subscribed < delivery ? now : subscribed
    }

    /// Records nothing more.
    func finish() {
        end.report(.done)
    }

    private func removed(_ services: [CBService]) {
        for service in services {
            StandardError.write("bluejay: the device removed the service \(service.uuid.uuidString)")
            removedServices.insert(ObjectIdentifier(service))
        }
        let isOver = device.senders.allSatisfy { sender in
            sender.attribute.service.map { removedServices.contains(ObjectIdentifier($0)) } ?? true
        }
        guard isOver else { return }
        stop(CommandError(.noSuchCharacteristic, "the device removed everything that was being recorded"))
    }

    private func stop(_ error: any Error) {
        end.report(.failed(error))
    }

    private func showProgress() async {
        var shown = 0
        while (try? await Task.sleep(for: Self.progressInterval)) != nil, !end.isKnown {
            guard file.count > shown else { continue }
            shown = file.count
            output.event("progress", contents) { add(to: &$0) }
            output.flush()
        }
    }
}
