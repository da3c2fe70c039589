public import Testing

/// Gives a test, or each test of a suite, the lab: `@Suite(.bluetoothLab(sensor: .default))`.
///
/// - Outside of a lab the test is skipped, with the reason "skipped: no lab". Inside of one it never is.
/// - Tests with this trait have the lab one after another, in all suites; other tests run beside them.
/// - A scene is played for the test: device positions and a timeline of events (`docs/radio.md`). Its time begins when
///   the sensor advertises. ``LabRadio/here`` changes it.
/// - A sensor starts on freshly reset controllers (``Lab/reset()``), is the test's ``Sensor/here``, and is ended after
///   it.
/// - When the test fails, what was recorded of it is kept in a folder of `$LAB_OUT/failures`:
///   packets, bus messages, logs, and all of them merged by their times (`docs/testing-your-app.md`).
/// - A test during which the kernel reports a mistake of its own fails. A failed test during which a program crashed
///   has its backtrace among its issues.
/// - A test's own trait replaces that of its suite.
///
/// With a toolchain older than Swift 6.3 only a failure that is thrown (`try #require`, any error) leaves a bundle, one
/// that is only recorded (`#expect`) does not.
public struct BluetoothLabTrait: TestTrait, SuiteTrait, TestScoping {
    /// It holds for each test of a suite.
    public var isRecursive: Bool { true }

    let needs: LabTest.Needs
    private let identity = Identity()

    private final class Identity: Swift.Sendable {}

    init(_ needs: LabTest.Needs) {
        self.needs = needs
    }

    /// Skips the test where there is no lab.
    public func prepare(for test: Test) async throws {
        let condition: ConditionTrait = .enabled(if: Lab.current != nil, Comment(rawValue: Lab.skipReason))
        try await condition.prepare(for: test)
    }

    /// This trait for each case of a test, unless another of these traits is nearer to the test.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> BluetoothLabTrait? {
        let nearest = test.traits.last { $0 is BluetoothLabTrait } as? BluetoothLabTrait
        return testCase != nil && nearest?.identity === identity ? self : nil
    }

    /// Runs the test in the lab.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let labTest = try await LabTest.begin(Self.name(of: test), in: Lab.here)
        var sensor: Sensor?
        var failure: (any Error)?
        do {
            sensor = try await labTest.prepare(needs)
            try await Sensor.$current.withValue(sensor) {
                try await LabRadio.$current.withValue(labTest.radio) {
                    try await watching(test, testCase, for: labTest, function)
                }
            }
        } catch {
            labTest.fail("\(error)")
            failure = error
        }
        try await labTest.end(sensor: sensor) { Issue.record(Comment(rawValue: $0)) }
        if let failure { throw failure }
    }

    /// Runs the test; what it records without throwing is a failure as well.
    private func watching(
        _ test: Test, _ testCase: Test.Case?, for labTest: LabTest, _ function: @Sendable () async throws -> Void
    ) async throws {
        #if compiler(>=6.3)
            let watcher: IssueHandlingTrait = .compactMapIssues { issue in
                if issue.severity >= .error {
                    let place = issue.sourceLocation.map { "\($0.fileName):\($0.line): " } ?? ""
                    labTest.fail("\(place)\(issue)")
                }
                return issue
            }
            try await watcher.provideScope(for: test, testCase: testCase, performing: function)
        #else
            try await function()
        #endif
    }

    /// `SensorTests.measures`, by the file, because suites may be nested and have long names.
    private static func name(of test: Test) -> String {
        let file = test.sourceLocation.fileName.split(separator: ".").first ?? ""
        let isRaw = test.name.hasPrefix("`")
        let name = isRaw ? test.name.dropFirst().prefix { $0 != "`" } : test.name.prefix { $0 != "(" }
        return "\(file).\(name)"
    }
}

extension Trait where Self == BluetoothLabTrait {
    /// The lab with its two controllers, and no sensor.
    public static var bluetoothLab: Self { BluetoothLabTrait(LabTest.Needs()) }

    /// The lab, with at least this many controllers, and with a scene and a sensor when they are given.
    ///
    /// - Parameters:
    ///   - controllers: how many the test needs. `lab test --controllers N` makes so many.
    ///   - scene: device positions and a timeline of events; ``LabRadio/here`` in the test.
    ///   - sensor: the peripheral on the first controller, ``Sensor/here`` in the test.
    public static func bluetoothLab(
        controllers: Int = 2, scene: LabRadio.Scene? = nil, sensor: Sensor.Setup? = nil
    ) -> Self {
        BluetoothLabTrait(LabTest.Needs(controllers: controllers, scene: scene, sensor: sensor))
    }
}
