import Foundation
import Synchronization

/// A test that has the lab to itself: from its turn to the bundle that it leaves when it has failed.
final class LabTest: Swift.Sendable {
    /// What a test wants of the lab.
    struct Needs: Swift.Sendable {
        var controllers = 2
        var scene: LabRadio.Scene?
        var sensor: Sensor.Setup?
    }

    let lab: Lab
    let radio = LabRadio()
    private let name: String
    private let start = WallTime.now
    private let busPosition = Recording.busPosition
    private let issues = Mutex<[String]>([])
    private let kernel: KernelLog

    private init(_ name: String, in lab: Lab) {
        self.lab = lab
        self.name = name
        kernel = KernelLog(for: name)
        AppLog.shared.forget(before: start)
    }

    /// Waits for the test's turn. Each test that has begun must end by ``end(sensor:)``.
    static func begin(_ name: String, in lab: Lab) async throws -> LabTest {
        await LabQueue.shared.enter()
        do {
            try await Recording.start()
        } catch {
            await LabQueue.shared.leave()
            throw error
        }
        setenv("BLUETOOTH_ADAPTER", Lab.centralAdapter, 1)
        let test = LabTest(name, in: lab)
        lab.note("\(name) begins")
        return test
    }

    /// Gives the test what it needs: a sensor, which is nil when it needs none. The scene's time begins when that
    /// advertises.
    func prepare(_ needs: Needs) async throws -> Sensor? {
        guard lab.controllers.count >= needs.controllers else {
            throw LabError(
                "the test needs \(needs.controllers) controllers, and the lab has \(lab.controllers.count): "
                    + "--controllers \(needs.controllers)")
        }
        guard needs.sensor != nil || needs.scene != nil else { return nil }
        try await lab.reset()
        if let scene = needs.scene {
            // What is wrong with it is said before anything else happens.
            _ = try scene.json()
            try await radio.awaitNoLinks(within: Self.linkTimeout)
            try await radio.play(scene, waits: true)
        }
        var sensor: Sensor?
        if let setup = needs.sensor { sensor = try await Sensor(setup) }
        if needs.scene != nil { try await radio.begin() }
        return sensor
    }

    /// The longest supervision timeout is 32 s. (Core Specification, Vol 6 Part B, 4.5.2)
    private static let linkTimeout = Duration.seconds(60)

    /// Makes the radio as it was, if the test has changed it. Links must have ended, because another kind of air may
    /// come back.
    private func restoreRadio() async throws {
        radio.end()
        guard radio.isChanged else { return }
        try await lab.reset()
        try await radio.awaitNoLinks(within: Self.linkTimeout)
        try await radio.reset()
    }

    private var hasFailed: Bool { issues.withLock { !$0.isEmpty } }

    /// Notes that the test has failed, and why.
    func fail(_ issue: String) {
        issues.withLock { $0.append(issue) }
        lab.note("failure: \(issue)")
    }

    /// Ends the test's sensor, writes the bundle if the test has failed, and lets the next one begin. Throws when all
    /// was well but for the sensor's end.
    ///
    /// - Parameter record: gets what else the test has failed by: what the kernel has reported, and the backtraces of
    ///   programs that crashed during a test that has failed.
    func end(sensor: Sensor?, record: (String) -> Void) async throws {
        var failure: (any Error)?
        var devices = ""
        if hasFailed { devices = await describeDevices() }
        for step in [{ try await sensor?.stop() }, restoreRadio] {
            do {
                try await step()
            } catch {
                if !hasFailed { failure = error }
                fail("\(error)")
            }
        }
        let reports = await kernel.reports()
        if !reports.isEmpty {
            let issue = "the kernel reported: \(reports)"
            fail(issue)
            record(issue)
        }
        if hasFailed || Recording.keepsAll {
            let backtraces = await writeBundle(devices)
            if hasFailed { backtraces.forEach(record) }
        }
        await LabQueue.shared.leave()
        if let failure { throw failure }
    }

    private func describeDevices() async -> String {
        do {
            return try await lab.describeDevices()
        } catch {
            return "bluetoothd did not list its devices: \(error)"
        }
    }

    /// Returns the backtraces that the bundle has.
    private func writeBundle(_ devices: String) async -> [String] {
        do {
            let bundle = FailureBundle(
                test: name, start: start, end: .now, busPosition: busPosition, issues: issues.withLock(\.self),
                devices: devices)
            let folder = try await bundle.write(into: lab.output)
            guard hasFailed else { return [] }
            print("lab: \(name) failed; page.html, timeline.txt, hci.btsnoop and more of it are in \(folder.path)")
            return FailureBundle.backtraces(in: folder)
        } catch {
            print("lab: \(name) \(hasFailed ? "failed" : "passed"), and its record could not be kept: \(error)")
            return []
        }
    }
}
