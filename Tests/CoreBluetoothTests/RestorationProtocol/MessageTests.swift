import Foundation
import TestSupport
import Testing

@testable import CoreBluetooth

@Suite struct MessageTests {
    @Test func `a frame is its number and its value`() {
        let frame = ValueFrame(subscription: 0x0102_0304, value: Data([9, 8]))
        #expect(frame.bytes == Data([1, 2, 3, 4, 9, 8]))
        #expect(ValueFrame(bytes: frame.bytes) == frame)
        #expect(ValueFrame(bytes: Data([0, 0, 0, 5])) == ValueFrame(subscription: 5, value: Data()))
        #expect(ValueFrame(bytes: Data([1, 2, 3])) == nil)
    }

    @Test func `messages survive their encoding`() throws {
        let messages: [AppMessage] = [
            .hello(.app()), .released(peripheral: .numbered(1)), .goodbye, .unsubscribe(subscription: 3),
            .subscribe(SubscriptionRequest(subscription: 1, peripheral: .numbered(1), key: .chirp, usesSocket: false)),
            .hello(.app(role: .peripheral)),
            .publish(
                ServiceRecord(
                    number: 1, uuid: "180D", isPrimary: true,
                    characteristics: [
                        CharacteristicRecord(
                            uuid: "2A38", properties: 2, permissions: 1, value: Data([1]),
                            descriptors: [DescriptorRecord(uuid: "2901", text: "place")])
                    ]), epoch: 3),
            .respond(CentralAnswer(request: 7, code: 0x80, value: nil)),
            .update([ValueUpdate(place: CharacteristicPlace(service: 1, index: 0), value: Data([1, 2]))]),
        ]
        for message in messages {
            let bytes = try #require(MessageCoder.encode(message))
            #expect(MessageCoder.decode(AppMessage.self, from: bytes) == message)
        }
    }

    @Test func `of the environment only what is no secret is kept`() {
        let kept = LaunchEnvironment.kept(of: [
            "PATH": "/bin", "AWS_SECRET": "x", "LC_ALL": "C", "BLUETOOTH_ADAPTER": "hci1",
            LaunchEnvironment.variable: "{}",
        ])
        #expect(kept == ["PATH": "/bin", "LC_ALL": "C", "BLUETOOTH_ADAPTER": "hci1"])
    }

    @Test func `a registration of before the role of a peripheral is a central's`() throws {
        let encoded = try #require(MessageCoder.encode(AppRegistration.app()))
        var object = try #require(JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        #expect(object.removeValue(forKey: "role") != nil)
        let old = try JSONSerialization.data(withJSONObject: object)
        let registration = try #require(MessageCoder.decode(AppRegistration.self, from: old))
        #expect(registration.isSameProgram(as: .app()) && !registration.isSameProgram(as: .app(role: .peripheral)))
    }

    @Test func `launch options are read back, and nonsense is none`() {
        let text = LaunchEnvironment.options(centrals: ["a", "b \"c\""])
        let variable = LaunchEnvironment.variable
        #expect(LaunchEnvironment.options(in: [variable: text]) == [LaunchEnvironment.centralsKey: ["a", "b \"c\""]])
        let other = LaunchEnvironment.options(peripherals: ["a"])
        #expect(LaunchEnvironment.options(in: [variable: other]) == [LaunchEnvironment.peripheralsKey: ["a"]])
        #expect(LaunchEnvironment.options(in: [variable: "["]) == nil)
        #expect(LaunchEnvironment.options(in: [:]) == nil)
    }

    @Test func `a process is known by its number and its start`() throws {
        let own = try #require(ProcessMark(running: getpid()))
        #expect(own.isAlive)
        #expect(!ProcessMark(identifier: own.identifier, start: own.start + 1, boot: own.boot).isAlive)
        #expect(!ProcessMark(identifier: own.identifier, start: own.start, boot: "another").isAlive)
        #expect(ProcessMark(running: 0) == nil && ProcessMark(running: -1) == nil)
    }

    @Test func `the socket is where the environment says`() {
        let location = AgentLocation(environment: ["BLUEJAY_AGENT_SOCKET": "/x/y.sock", "HOME": "/home/me"])
        #expect(location.socket == "/x/y.sock" && location.stateFolder == "/home/me/.local/state/bluejay")
        let other = AgentLocation(environment: ["XDG_STATE_HOME": "/state", "XDG_RUNTIME_DIR": "/nowhere"])
        #expect(other.stateFolder == "/state/bluejay" && !other.socket.hasPrefix("/nowhere"))
    }
}
