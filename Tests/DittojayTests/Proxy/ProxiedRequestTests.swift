import CoreBluetooth
import Foundation
import GATTProfiles
import TestSupport
import Testing

@testable import Dittojay

/// Requests that something else than a profile answers.
@Suite(.fewAtOnce, .timeLimit(.minutes(5)))
struct ProxiedRequestTests {
    private let parts = Parts()
    private let device = FakeSource()
    private var requests: RequestHandler { parts.requests }
    private var server: FakeGATTServer { parts.server }

    init() {
        parts.services.source = device
        parts.publish()
    }

    /// Notes what it is asked, and answers when a test says so.
    private final class FakeSource: AnswerSource {
        var asked: [String] = []
        var answers: [(Answer) -> Void] = []

        func read(_ path: CharacteristicPath, _ done: @escaping (Answer) -> Void) {
            asked.append("read \(path)")
            answers.append(done)
        }

        func write(
            _ value: Data, to path: CharacteristicPath, wantsResponse: Bool?, _ done: @escaping (Answer) -> Void
        ) {
            asked.append("write \(path) \(ValueText.hex(value))\(wantsResponse == false ? " without response" : "")")
            answers.append(done)
        }

        func setNotifying(_ isOn: Bool, of path: CharacteristicPath, _ done: @escaping (Answer) -> Void) {
            asked.append("\(isOn ? "on" : "off") \(path)")
            answers.append(done)
        }

        func answer(_ outcome: Answer.Outcome) {
            answers.removeFirst()(Answer(outcome, seconds: 0.0125))
        }
    }

    private var store: SimulatedCharacteristic? {
        parts.services.characteristic(at: CharacteristicPath("lab", "store"))
    }

    @Test func `a read is answered when the device has answered`() throws {
        let read = try parts.request(LabService.store)
        requests.read(read)
        #expect(server.answers.isEmpty)
        device.answer(.value(Data([1, 2])))
        #expect(server.answers == [0] && read.value == Data([1, 2]))
        requests.read(try parts.request(LabService.store))
        device.answer(.refused(CBATTError(.insufficientAuthorization)))
        #expect(server.answers == [0, 8])
        #expect(device.asked == ["read lab/store", "read lab/store"])
        #expect(
            parts.lines == [
                "read store 0102 by 02 (MTU 100), device took 12.5 ms",
                "read store: refused with ATT error 0x08 by 02 (MTU 100), device took 12.5 ms",
            ])
    }

    @Test func `a write is answered with what the device says`() throws {
        requests.write([try parts.request(LabService.store, [1])])
        device.answer(.refused(CBATTError(attError: 0x80)))
        #expect(server.answers == [0x80])
        #expect(device.asked == ["write lab/store 01"])
        #expect(requests.writeCount == 0)
        requests.write([try parts.request(LabService.store, [2], offset: 1)])
        #expect(server.answers == [0x80, 7], "a device cannot be written in the middle")
    }

    @Test func `the parts of a long value are parts of one read`() throws {
        requests.read(try parts.request(LabService.store))
        device.answer(.value(Data((0..<150).map { UInt8($0) })))
        let rest = try parts.request(LabService.store, offset: 99)
        requests.read(rest)
        #expect(rest.value == Data((99..<150).map { UInt8($0) }))
        #expect(device.asked.count == 1 && server.answers == [0, 0])
        // Another characteristic, and one that was not begun.
        requests.read(try parts.request(HeartRateService.bodySensorLocation, offset: 1))
        #expect(device.asked.count == 2)
    }

    @Test func `a fault takes the place of the device, which is not asked`() throws {
        store?.add(Fault(on: .read, .error(0x81), times: 1))
        store?.add(Fault(on: .read, .resize(1), times: 1))
        requests.read(try parts.request(LabService.store))
        #expect(server.answers == [0x81] && device.asked.isEmpty)
        let short = try parts.request(LabService.store)
        requests.read(short)
        device.answer(.value(Data([7, 8])))
        #expect(short.value == Data([7]))
    }

    @Test func `replaced values are shown with what they replace`() throws {
        store?.replacements = Replacements(read: Data([9]), notified: nil, written: Data([4]))
        let read = try parts.request(LabService.store)
        requests.read(read)
        device.answer(.value(Data([1])))
        #expect(read.value == Data([9]))
        requests.write([try parts.request(LabService.store, [2])])
        device.answer(.value(Data([4])))
        #expect(device.asked.last == "write lab/store 04")
        #expect(
            parts.lines == [
                "read store 09 in place of 01 by 02 (MTU 100), device took 12.5 ms",
                "written store 04 in place of 02 by 02 (MTU 100), device took 12.5 ms",
            ])
        store?.set(Data([5]))
        let set = try parts.request(LabService.store)
        requests.read(set)
        device.answer(.value(Data([1])))
        #expect(set.value == Data([5]), "set replaces what reads give")
    }

    @Test func `what is lost with the device is answered with the end of the central's link`() async throws {
        let queue = DispatchQueue(label: "requests")
        let parts = Parts(queue: queue)
        parts.services.source = device
        parts.publish()
        try queue.sync {
            parts.requests.read(try parts.request(LabService.store))
            device.answer(.lost)
            #expect(parts.server.answers.isEmpty)
            parts.links.end { _ in }
        }
        let control = parts.control
        try await eventually("the end of the link") { control.lines.contains("disconnect all") }
        #expect(parts.lines.last?.contains("not answered: the link to the device was lost") ?? false)
    }

    @Test func `a device's notifications are turned off once no other subscriber has taken over`() throws {
        for number in 2...3 { parts.links.handle(.connected(address: "C0:00:00:00:00:0\(number)")) }
        let request = try parts.request("2A37")
        requests.unsubscribed(request.central, from: request.characteristic)
        parts.clock.advance(by: 0.19)
        #expect(device.asked.isEmpty)
        parts.clock.advance(by: 0.02)
        #expect(device.asked == ["off heart-rate/heart-rate-measurement"])
    }

    @Test func `an answer may come when its service is forgotten`() throws {
        requests.read(try parts.request(LabService.store))
        let lab = try #require(parts.services.service(named: "lab"))
        parts.publication.replace([lab], by: [])
        parts.settle()
        #expect(parts.services.service(named: "lab") == nil)
        device.answer(.refused(CBATTError(.invalidHandle)))
        #expect(server.answers == [1])
        #expect(
            parts.lines == [
                "service-removed lab", "read store: refused with ATT error 0x01 by 02 (MTU 100), device took 12.5 ms",
            ])
    }

    @Test func `a value of the device goes to nobody when its service is withdrawn`() throws {
        requests.notified(Data([1]), by: CharacteristicPath("heart-rate", "heart-rate-measurement"))
        #expect(parts.lines == ["notified heart-rate-measurement 01"])
        #expect(parts.remove("heart-rate").ok)
        requests.notified(Data([2]), by: CharacteristicPath("heart-rate", "heart-rate-measurement"))
        requests.notified(Data([3]), by: CharacteristicPath("no", "such"))
        #expect(parts.lines == ["notified heart-rate-measurement 01", "service-removed heart-rate"])
    }
}
