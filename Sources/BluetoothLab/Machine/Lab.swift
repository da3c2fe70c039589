public import Foundation

/// The lab that this process runs in: a machine with virtual controllers, a system bus and bluetoothd (`./lab run`,
/// `./lab test`).
public struct Lab: Swift.Sendable {
    /// The names of the controllers: `hci0`, `hci1`, …
    public let controllers: [String]
    /// What is put here is kept when the lab ends (`$LAB_OUT`).
    public let output: URL

    private static let environment = ProcessInfo.processInfo.environment

    /// The lab around this process; nil outside of one.
    public static let current: Lab? = {
        guard environment["BLUETOOTH_LAB"] == "1" else { return nil }
        let output = environment["LAB_OUT"] ?? NSTemporaryDirectory()
        return Lab(controllers: controllerNames, output: URL(fileURLWithPath: output))
    }()

    /// The lab around the test, which is ``current``. Throws a ``LabError`` outside of one.
    public static var here: Lab {
        get throws {
            guard let current else { throw LabError("this runs only in the lab: \(howToGetOne)") }
            return current
        }
    }

    /// Why a test is skipped outside of the lab.
    static let skipReason = "skipped: no lab (\(howToGetOne))"
    private static let howToGetOne = "`lab test` of bluejay-linux starts one"

    private static let controllerNames: [String] = {
        let count = environment["LAB_CONTROLLERS"].flatMap(Int.init) ?? 2
        return (0..<max(count, 0)).map(name)
    }()

    private static func name(ofController number: Int) -> String {
        // Where the machine has controllers of its own (LAB=host), the lab's come after them.
        let first = environment["LAB_FIRST_CONTROLLER"].flatMap(Int.init) ?? 0
        return "hci\(first + number)"
    }

    /// Whether a ``Sensor`` has a `dittojay proxy` in front of it (`LAB_PROXY=1`), which takes two more controllers:
    /// then what centrals meet is the proxy, and ``sensorAdapter`` is the one that it is offered with.
    static let hasProxies = environment["LAB_PROXY"] == "1"
    /// The controller of the sensor itself.
    static let deviceAdapter = name(ofController: 0)
    static let deviceAddress = address(ofController: 0)
    /// The controller that a proxy reaches the sensor with.
    static let proxyAdapter = name(ofController: 2)

    /// The controller for the peripheral, the lab's first one: `hci0`.
    public static let sensorAdapter = name(ofController: hasProxies ? 3 : 0)
    /// The controller for the central: the lab's second one, `hci1`, or on a host of its own the first one there. In a
    /// test with ``BluetoothLabTrait`` or in a ``BluetoothLabTestCase`` it is in the environment as
    /// `BLUETOOTH_ADAPTER`, which Bluejay, CoreBluetooth and both programs heed.
    public static let centralAdapter = name(ofController: sensorHost == nil ? 1 : 0)
    /// The Bluetooth address of ``sensorAdapter``.
    public static let sensorAddress = address(ofController: hasProxies ? 3 : 0)
    /// The Bluetooth address of ``centralAdapter``.
    public static let centralAddress = address(ofController: 1)

    /// The address of the lab's controller of this number, from 0, as the radio makes it.
    public static func address(ofController number: Int) -> String {
        let number = String(format: "%02X", number)
        return "00:AA:01:\(number):00:\(number)"
    }

    /// bluetoothd's settings; what is written there goes away with the lab.
    public static let bluetoothdSettings = "/etc/bluetooth/main.conf"

    /// Stops, kills or starts the lab's bluetoothd, and returns when that is done.
    public func bluetoothd(_ action: BluetoothdAction) async throws {
        let process = try ChildProcess("lab-bluetoothd", [action.rawValue])
        // It gives up by itself: after 10 s to end, and 60 s until the controllers are powered.
        let status = try await process.exitStatus(within: .seconds(90))
        guard status == 0 else { throw LabError("lab-bluetoothd \(action.rawValue) failed: \(process.transcript)") }
    }

    /// What can be done to the lab's bluetoothd.
    public enum BluetoothdAction: String, Swift.Sendable {
        /// Start it and wait until all controllers are powered.
        case start
        /// End it in order.
        case stop
        /// End it as a crash would.
        case kill
        /// End it in order and start it again.
        case restart
    }
}
