// A limit for connecting is up while the connection is being reported.
//
// usage: connect-timeout racy|fixed     beside the sensor (racing.py); exit status 0 if it has connected or given up
import CoreBluetooth
import Foundation

/// What a connection takes here, and some more, in seconds.
let limit = 0.08

/// Writes something, which takes a while.
func keepLog() {
    guard let file = FileHandle(forWritingAtPath: "/dev/null") else { return }
    for number in 1...1000 { file.write(Data("\(number)\n".utf8)) }
}

final class Connector: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    private let isRacy: Bool
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var answers = 0

    init(isRacy: Bool) {
        self.isRacy = isRacy
        super.init()
        manager = CBCentralManager(delegate: self, queue: .main)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "FFF0")]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover found: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
    ) {
        central.stopScan()
        guard peripheral == nil else { return }
        peripheral = found
        central.connect(found)
        DispatchQueue.main.asyncAfter(deadline: .now() + limit) { [self] in
            guard found.state != .connected else { return }
            keepLog()
            central.cancelPeripheralConnection(found)
            answer("gave up")
        }
    }

    func centralManager(_ central: CBCentralManager, didConnect found: CBPeripheral) {
        answer("connected")
    }

    /// The program's one answer to its caller.
    private func answer(_ text: String) {
        // Fixed: the program has said so, and that holds.
        if !isRacy, answers > 0 { return }
        answers += 1
        print(text)
        guard answers == 1 else {
            print("it has answered twice")
            exit(1)
        }
        DispatchQueue.main.asyncAfter(deadline: .now() + 2) { exit(0) }
    }
}

guard CommandLine.arguments.count == 2, ["racy", "fixed"].contains(CommandLine.arguments[1]) else {
    print("usage: connect-timeout racy|fixed")
    exit(2)
}
let connector = Connector(isRacy: CommandLine.arguments[1] == "racy")
RunLoop.main.run()
