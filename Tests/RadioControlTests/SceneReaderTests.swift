import PlainText
import RadioScenes
import Testing
import VirtualRadio

@testable import RadioControl

@Suite struct SceneReaderTests {
    private func scene(_ yaml: String) throws -> Scene {
        try SceneReader.scene(try JSONReader.read(SceneYAML.json(yaml, file: "x.yaml").utf8))
    }

    private func mistakes(_ yaml: String) -> [String] {
        do {
            _ = try SceneYAML.json(yaml, file: "x.yaml")
            return []
        } catch {
            return error.lines
        }
    }

    @Test func `a scene has everything that the file says`() throws {
        let scene = try scene(
            """
            air: ideal
            seed: 7
            path-loss: {at-1-m: -50 dBm, exponent: 2.4, deviation: 3 dB}
            walls: [{from: [0 m, 1 m], to: [2.5 m, -3 m], loss: 12 dB}]
            devices:
              sensor: {controller: hci0, at: [1 m, 2 m], body: 6 dB}
              hci1: {at: [3 m, 4 m]}
            phantoms:
              beacon: {address: "C0:00:00:00:00:01", at: [5 m, 6 m], interval: 250 ms, local-name: Beacon}
              phones: {count: 20, within: [[0 m, 0 m], [10 m, 10 m]], data: 020106, response: 0209 41}
            jammers:
              oven: {at: [1 m, 1 m], power: -30 dBm, duty: 50 %}
              crowd: {at: [2 m, 2 m], radius: 3 m, loss: 20 %}
            timeline:
              - at: 1.5 s
                move: {device: sensor, to: [9 m, 9 m], over: 2 min}
              - {at: 2 s, rssi: {between: [sensor, hci1], strength: -70 dBm}}
              - {at: 3 s, rssi: {between: [sensor, phones-3], strength: auto}}
              - {at: 4 s, loss: {between: [sensor, beacon], part: 12.5 %}}
              - {at: 5 s, block: {between: [sensor, hci1]}}
              - {at: 6 s, unblock: {between: [sensor, "C0:00:00:00:00:01"]}}
              - {at: 7 s, jam: {name: burst, at: [0 m, 0 m], power: -20 dBm, for: 500 ms}}
              - {at: 8 s, unjam: {name: oven}}
              - {at: 9 s, body: {device: hci1, loss: 3 dB}}
              - {at: 10 s, phantom: {name: late, at: [0 m, 0 m]}}
              - {at: 11 s, remove: {phantom: phones}}
            """)
        #expect(scene.air == .ideal && scene.seed == 7)
        #expect(scene.pathLoss.atOneMetre == -50 && scene.pathLoss.exponent == 2.4 && scene.pathLoss.deviation == 3)
        #expect(scene.walls == [Wall(from: .init(x: 0, y: 1), to: .init(x: 2.5, y: -3), loss: 12)])
        #expect(
            scene.devices == [
                .init(name: "sensor", controller: "hci0", position: .init(x: 1, y: 2), body: 6),
                .init(name: "hci1", controller: "hci1", position: .init(x: 3, y: 4)),
            ])
        #expect(scene.phantoms[0].interval == 250 * Span.millisecond)
        #expect(scene.phantoms[0].data == [2, 1, 6, 7, 9] + Array("Beacon".utf8))
        #expect(scene.phantoms[1].count == 20 && scene.phantoms[1].response == [2, 9, 0x41])
        #expect(scene.jammers.map(\.name) == ["oven", "crowd"])
        #expect(scene.jammers[0].jammer == .noise(at: .init(x: 1, y: 1), power: -30, duty: 0.5))
        #expect(scene.timeline.map(\.time) == [1_500] + (2...11).map { $0 * 1_000 } as [Int] * Span.millisecond)
        #expect(scene.timeline[0].command == .move("sensor", .init(x: 9, y: 9), over: 120 * Span.second))
        #expect(scene.timeline[2].command == .strength(.init(first: "sensor", second: "phones-3"), nil))
        #expect(scene.timeline[3].command == .loss(.init(first: "sensor", second: "beacon"), 0.125))
    }

    @Test func `a phantom peripheral is read with its faults`() throws {
        let scene = try scene(
            """
            phantoms:
              odd:
                at: [0 m, 0 m]
                services: [180D]
                peripheral:
                  name: Odd
                  mtu: 5
                  waits-for-confirmation: false
                  services:
                    - uuid: 180D
                      characteristics:
                        - uuid: 2A37
                          properties: [read, notify]
                          value: 0048
                          every: 1 s
                          faults:
                            - {on: read, error: value-not-allowed, after: 2, times: 1}
                            - {on: subscribe, no-answer: yes, nth: 3, chance: 20 %}
                  faults:
                    - {on: read-blob, packet: 0B01}
                    - {on: read-by-type, disconnect: true}
                    - {every: 100 ms, packet: FF}
            """)
        let peripheral = try #require(scene.phantoms.first?.peripheral)
        #expect(peripheral.name == "Odd" && peripheral.mtu == 5 && !peripheral.waitsForConfirmation)
        let characteristic = try #require(peripheral.services.first?.characteristics.first)
        #expect(characteristic.value == [0, 0x48])
        #expect(
            characteristic.faults == [
                .init(on: .request(0x0A), .error(0x13), skip: 2, times: 1),
                .init(on: .subscribe, .noAnswer, nth: 3, chance: 20),
            ])
        #expect(
            peripheral.faults == [
                .init(on: .request(0x0C), .packet([11, 1])), .init(on: .request(0x08), .disconnect),
                .init(on: .every(100 * Span.millisecond), .packet([255])),
            ])
    }

    @Test(arguments: [
        ("{on: notify, drop: true}", "a phantom has no fault \"drop\"; valid: no-answer, error, disconnect, packet"),
        ("{on: read, dealy: 1 s}", "exactly one of no-answer, error, disconnect, packet is required"),
        ("{on: notify, disconnect: true}", "invalid trigger \"notify\"; expected one of read, read-blob, "),
        ("{on: read, error: 0}", "invalid ATT error \"0\""), ("{on: read, no-answer: no}", "expected true, found"),
        ("{on: read, every: 1 s, packet: FF}", "exactly one of on, every is required"),
        ("{every: 1 s, error: 0x80}", "error is not possible with \"every\", only on a request"),
        ("{on: read, disconnect: true, chance: 0 %}", "expected a probability such as 20 %"),
        ("{on: read, disconnect: true, nth: 0}", "expected a whole number from 1 to 1000000000"),
        ("{on: read, error: 0x80, no-answer: true}", "exactly one of no-answer, error, disconnect, packet is required"),
        ("{error: 0x80}", "exactly one of on, every is required"),
    ])
    func `a fault that a phantom cannot have is refused`(fault: String, message: String) {
        let found = mistakes("phantoms: {a: {at: [0 m, 0 m], peripheral: {faults: [\n\(fault)]}}}")
        #expect(found.contains { $0.hasPrefix("x.yaml:2:") && $0.contains(message) }, "\(found)")
    }

    @Test func `a fault of a characteristic is on a request about it`() {
        let found = mistakes(
            """
            phantoms:
              odd:
                at: [0 m, 0 m]
                peripheral:
                  services:
                    - uuid: 180D
                      characteristics:
                        - uuid: 2A37
                          properties: [read]
                          faults:
                            - {on: exchange-mtu, no-answer: true}
                            - {every: 1 s, packet: FF}
            """)
        #expect(found.count == 3)
        #expect(found[0].hasPrefix("x.yaml:11:") && found[0].contains("invalid trigger \"exchange-mtu\""))
        #expect(found[1].hasPrefix("x.yaml:12:") && found[2].hasPrefix("x.yaml:12:"))
    }

    @Test func `all mistakes are reported at once, each with its place`() {
        let found = mistakes(
            """
            air: thick
            wals: []
            devices:
              sensor: {controller: hci0, at: [1 m]}
              phone: {controller: usb, at: [1, 2 m]}
            phantoms:
              beacon: {at: [0 m, 0 m], interval: 5 ms, data: 0G}
              long: {at: [0 m, 0 m], local-name: abcdefghijklmnopqrstuvwxyz123}
            timeline:
              - {move: {device: sensor, to: [0 m, 0 m]}}
              - {at: 3 s, mvoe: {device: sensor}}
              - {at: 3, block: {between: [sensor, sensor]}}
            """)
        let places = [
            "1:6", "2:1", "4:34", "5:23", "5:33", "7:38", "7:50", "8:9", "10:5", "11:15", "12:10", "12:30",
        ]
        #expect(found.map { String($0.prefix { $0 != " " }) } == places.map { "x.yaml:\($0):" })
        #expect(found[0] == "x.yaml:1:6: air: invalid air \"thick\"; expected one of real, ideal")
        #expect(found[1].contains("unknown key \"wals\" in a scene (did you mean \"walls\"?)"))
        let expected = "devices.phone.at[0]: expected a number from -100000 to 100000 with its unit, such as 3 m"
        #expect(found[4] == "x.yaml:5:33: \(expected), found \"1\"")
    }

    @Test func `names that nobody has are mistakes, with what was probably meant`() {
        let found = mistakes(
            """
            devices: {sensor: {controller: hci0}}
            timeline:
              - {at: 1 s, move: {device: sensr, to: [0 m, 0 m]}}
              - {at: 1 s, move: {device: hci9, to: [0 m, 0 m]}}
            """)
        #expect(found == ["x.yaml:3:5: timeline[0]: unknown device \"sensr\" (did you mean \"sensor\"?)"])
    }

    @Test(arguments: [
        "devices: {a: {controller: hci0}, b: {controller: hci0}}",
        "devices: {sensor: {controller: hci0}}\nphantoms: {sensor: {at: [0 m, 0 m]}}",
        "phantoms: {\"a b\": {at: [0 m, 0 m]}}",
        "phantoms: {a: {count: 1500, at: [0 m, 0 m]}, b: {count: 501, at: [0 m, 0 m]}}",
        "phantoms: {a: {at: [0 m, 0 m], within: [[0 m, 0 m], [1 m, 1 m]]}}",
        "phantoms: {a: {at: [0 m, 0 m], address: C0}}",
        "phantoms: {a: {at: [0 m, 0 m], type: public}}",
        "jammers: {a: {at: [0 m, 0 m], power: -3 dBm, radius: 3 m}}",
        "jammers: {a: {at: [0 m, 0 m], power: -3 dBm, loss: 3 %}}",
        "timeline: [{at: 1 s, block: {between: [hci0]}}]", "path-loss: {exponent: nan}",
        "seed: -1", "- air", "air: real\nair: real", "", "air: [real]", "walls: {}", "timeline: [{at: 25 h}]",
    ])
    func `what means nothing is refused`(yaml: String) {
        #expect(!mistakes(yaml).isEmpty)
    }

    @Test func `the same seed has the same crowd, another has another`() throws {
        let group = try scene("phantoms: {phones: {count: 50, within: [[-5 m, 2 m], [5 m, 3 m]]}}").phantoms[0]
        let crowd = group.phantoms(seed: 1)
        #expect(crowd.map(\.phantom) == group.phantoms(seed: 1).map(\.phantom))
        #expect(crowd.map(\.phantom) != group.phantoms(seed: 2).map(\.phantom))
        #expect(crowd.map(\.name).first == "phones-1" && crowd.count == 50)
        #expect(Set(crowd.map(\.phantom.address)).count == 50)
        for (_, phantom) in crowd {
            #expect(-5...5 ~= phantom.position.x && 2...3 ~= phantom.position.y)
            #expect(phantom.address.isRandom)
        }
    }
}

private func * (left: [Int], right: Int) -> [Int] { left.map { $0 * right } }
