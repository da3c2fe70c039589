public import XCTest

/// An XCTest class whose tests have the lab, each for itself, as ``BluetoothLabTrait`` does it for Swift Testing.
///
/// ```swift
/// final class MonitorTests: BluetoothLabTestCase {
///     override class var sensor: Sensor.Setup? { .default }
///
///     func testReadsTheLocation() async throws {
///         let lab = try Lab.here
///         let read = try await lab.bluejay("read", "Dittojay", "180D/2A38")
///         XCTAssertEqual(read.lines, ["01"])
///     }
/// }
/// ```
///
/// Outside of a lab the tests are skipped, with the reason "skipped: no lab". A failed test leaves a folder in
/// `$LAB_OUT/failures`. A subclass that overrides `setUp` or `tearDown`, the asynchronous ones, calls those of this
/// class.
open class BluetoothLabTestCase: XCTestCase {
    /// How many controllers the tests need; 2 by default.
    open class var controllers: Int { 2 }
    /// Device positions and a timeline of events for each test; by default the lab's.
    open class var scene: LabRadio.Scene? { nil }
    /// The peripheral for each test, on the first controller; none by default.
    open class var sensor: Sensor.Setup? { nil }

    private var labTest: LabTest?
    private var runningSensor: Sensor?

    /// The peripheral that was started for this test. Throws a ``LabError`` when there is none.
    public func sensor() throws -> Sensor {
        guard let runningSensor else { throw LabError("this test has no sensor: override class var sensor") }
        return runningSensor
    }

    /// The radio, for this test. Throws a ``LabError`` when the test has not begun, or has ended.
    public func radio() throws -> LabRadio {
        guard let labTest else { throw LabError("no test is running") }
        return labTest.radio
    }

    /// Waits until the test has the lab, and starts its sensor.
    open override func setUp() async throws {
        guard let lab = Lab.current else { throw XCTSkip(Lab.skipReason) }
        let test = try await LabTest.begin(name, in: lab)
        labTest = test
        let needs = LabTest.Needs(controllers: Self.controllers, scene: Self.scene, sensor: Self.sensor)
        runningSensor = try await test.prepare(needs)
    }

    /// Ends the sensor, and keeps what was recorded if the test has failed.
    open override func tearDown() async throws {
        let (test, sensor) = (labTest, runningSensor)
        (labTest, runningSensor) = (nil, nil)
        try await test?.end(sensor: sensor) { XCTFail($0) }
    }

    /// Notes the failure for the bundle.
    open override func recordFailure(
        withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
    ) {
        labTest?.fail("\(filePath):\(lineNumber): \(description)")
        super.recordFailure(
            withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    }
}
