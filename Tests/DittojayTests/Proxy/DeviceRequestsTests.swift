import CoreBluetooth
import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth
@testable import Dittojay

/// Requests to a device without the device: what it would answer is said here.
@Suite struct DeviceRequestsTests {
    private let requests = DeviceRequests(clock: ManualClock())
    private let peripheral = CBPeripheral(identifier: UUID(), manager: nil)
    private let value = CBCharacteristic(
        uuid: CBUUID(string: "2A38"), properties: [.read, .write, .writeWithoutResponse, .notify])
    private let journal = Notes()

    private final class Notes {
        var lines: [String] = []
    }

    init() {
        peripheral.state = .connected
        peripheral.canSendWriteWithoutResponse = true
        requests.open(peripheral)
    }

    private func note(_ name: String) -> (Answer) -> Void {
        { [journal] answer in
            switch answer.outcome {
            case .value(let bytes): journal.lines.append("\(name) \(bytes.map { String($0) }.joined(separator: " "))")
            case .refused(let error): journal.lines.append("\(name) refused \(error.code.rawValue)")
            case .lost: journal.lines.append("\(name) lost")
            }
        }
    }

    private func read(_ name: String) { requests.read(value, note(name)) }

    private func command(_ name: String, _ bytes: [UInt8] = [1]) {
        requests.write(Data(bytes), to: value, wantsResponse: false, note(name))
    }

    @Test func `answers go to those who have asked, in their order`() {
        read("a")
        requests.write(Data([7]), to: value, wantsResponse: true, note("write"))
        read("b")
        requests.setNotifying(true, of: value, note("on"))
        value.value = Data([1])
        requests.wasRead(value, nil)
        requests.notificationStateChanged(of: value, CBATTError(.insufficientEncryption))
        requests.wasRead(value, CBATTError(.insufficientAuthorization))
        requests.wasWritten(value, nil)
        // Nobody has asked.
        requests.wasRead(value, nil)
        #expect(journal.lines == ["a 1", "on refused 15", "b refused 8", "write 7"])
    }

    @Test func `what comes after a command without room waits with it`() {
        peripheral.canSendWriteWithoutResponse = false
        command("first")
        read("then")
        #expect(journal.lines.isEmpty)
        requests.wasRead(value, nil)
        #expect(journal.lines.isEmpty, "it was not asked yet")
        peripheral.canSendWriteWithoutResponse = true
        requests.proceed()
        requests.wasRead(value, nil)
        #expect(journal.lines == ["first 1", "then "])
    }

    @Test func `the end of the link loses what is not answered, and refuses what comes after`() {
        read("asked")
        peripheral.canSendWriteWithoutResponse = false
        command("waiting")
        requests.close()
        read("late")
        #expect(journal.lines == ["asked lost", "waiting lost", "late refused 14"])
        requests.open(peripheral)
        requests.wasRead(value, nil)
        #expect(journal.lines.count == 3, "an answer of the former link is nobody's")
    }

    @Test func `more than the limit is refused`() {
        peripheral.canSendWriteWithoutResponse = false
        for _ in 0..<DeviceRequests.limit { command("one") }
        command("too many")
        #expect(journal.lines == ["too many refused 17"])
    }

    @Test func `a write goes as the device takes it`() {
        let requestOnly = CBCharacteristic(uuid: CBUUID(string: "2A39"), properties: [.write])
        requests.write(Data([2]), to: requestOnly, wantsResponse: false, note("command"))
        #expect(journal.lines.isEmpty, "the device's answer is waited for")
        requests.wasWritten(requestOnly, nil)
        let commandOnly = CBCharacteristic(uuid: CBUUID(string: "2A3A"), properties: [.writeWithoutResponse])
        requests.write(Data([3]), to: commandOnly, wantsResponse: true, note("request"))
        requests.write(Data(count: 21), to: commandOnly, wantsResponse: false, note("long"))
        requests.write(Data([4]), to: value, wantsResponse: nil, note("unknown"))
        #expect(journal.lines == ["command 2", "request 3", "long refused 13", "unknown 4"])
        // What does not fit into a packet.
        requests.write(Data(count: 21), to: value, wantsResponse: nil, note("whole"))
        #expect(journal.lines.count == 4)
        requests.wasWritten(value, nil)
        #expect(journal.lines.last?.hasPrefix("whole 0") ?? false)
    }

    @Test(arguments: [
        (CBError(.invalidHandle), "1"), (CBError(.operationNotSupported), "6"), (CBError(.notConnected), "14"),
    ])
    func `errors of the link have an ATT error`(error: CBError, code: String) {
        read("it")
        requests.wasRead(value, error)
        #expect(journal.lines == ["it refused \(code)"])
    }
}
