import BluetoothLab
import CoreBluetooth
import Foundation
import TestSupport
import Testing

extension InTheLab {
    /// Services that come and go while a central is connected, as CoreBluetooth's delegates see it.
    @Suite struct ServiceChange {
        // MARK: News

        @Test func `a removal and an addition of services are each reported once`() async throws {
            try await withChanging { sensor, central in
                let anchor = try await central.service(Changing.anchor)
                try await central.setNotify(true, anchor.found(Changing.beat))
                let guest = try await central.service(Changing.guest)
                #expect(try await central.text(guest.found(Changing.text)) == "hello")

                // By command, by key, and by a step.
                try await sensor.command("service", "remove", "guest")
                #expect(try await central.changes.values(1)[0] == [guest])
                #expect(try await !central.services.contains { $0.uuid == Changing.guest })
                try await sensor.command("service", "add", Changing.guest.uuidString)
                #expect(try await central.changes.values(2)[1].isEmpty)
                try await central.discoverEverything()
                let second = try await central.service(Changing.guest)
                #expect(second !== guest)
                #expect(try await central.text(second.found(Changing.text)) == "hello")
                try sensor.type("- guest")
                #expect(try await central.changes.values(3)[2] == [second])
                try sensor.type("+ guest")
                #expect(try await central.changes.values(4)[3].isEmpty)
                try await central.write("away", to: anchor.found(Changing.trigger))
                // It was removed without having been discovered.
                #expect(try await central.changes.values(5)[4].map(\.uuid) == [Changing.guest])
                try await central.write("back", to: anchor.found(Changing.trigger))
                #expect(try await central.changes.values(6)[5].isEmpty)

                // The link, and the other service's notifications, have taken no notice.
                try await central.expectUnbroken(Changing.beat)
                #expect(central.disconnections.values.isEmpty)
                #expect(!sensor.events.contains { $0.kind == .unsubscribed })
                #expect(central.changeSummary == ["100", "", "100", "", "100", ""])
            }
        }

        @Test func `all services go and come`() async throws {
            try await withChanging { sensor, central in
                let before = try await Set(central.services.map(\.uuid).filter { $0.uuidString.hasPrefix("C0000") })
                #expect(before.count == 3)
                try await sensor.command("service", "remove", "--all")
                var calls = 0
                while let changes = try? await central.changes.values(calls + 1) {
                    calls = changes.count
                    if changes.joined().count == 4 { break }
                }
                // bluetoothd may miss one, and go on showing it (docs/bluez-limits.md).
                let missed = try await central.services.filter { before.contains($0.uuid) }
                #expect(missed.count <= 1 && central.changes.values.joined().count + missed.count == 4)
                try await sensor.command("service", "remove", "--all", expecting: 8)
                try await sensor.command("service", "add", "--all")
                _ = try await central.changes.values(calls + 1)
                try await untilItSucceeds {
                    try await central.discoverEverything()
                    _ = try await central.service(Changing.late)
                }
                // It is known to be gone when a request says so and another of the kind is there.
                for service in missed {
                    let readable = service.characteristics?.first { $0.properties.contains(.read) }
                    let characteristic = try #require(readable)
                    let error = await failure { _ = try await central.read(characteristic) }
                    #expect(error == "CBATTError \(CBATTError.Code.invalidHandle.rawValue)")
                }
                while central.changes.values.joined().count < 4 {
                    _ = try await central.changes.values(central.changes.values.count + 1)
                }
                // Each once: the two of the same kind, too.
                let gone = Array(central.changes.values.joined())
                #expect(gone.count == 4 && Set(gone.map(ObjectIdentifier.init)).count == 4)
                #expect(Set(gone.map(\.uuid)) == before)
                let anchor = try await central.service(Changing.anchor)
                try await central.setNotify(true, anchor.found(Changing.beat))
                try await central.expectUnbroken(Changing.beat)
                try await sensor.command("service", "add", "--all", expecting: 8)
                #expect(central.changes.values.joined().count == 4)
            }
        }

        // MARK: Objects that are out of date

        @Test(arguments: [false, true])
        func `objects of a service that went fail with an error`(afterItsReturn: Bool) async throws {
            try await withChanging { sensor, central in
                let guest = try await central.service(Changing.guest)
                let text = try guest.found(Changing.text)
                let ticker = try guest.found(Changing.ticker)
                try await central.discoverDescriptors(of: text)
                let description = try #require(text.descriptors?.first)
                try await central.read(description)
                try await central.setNotify(true, ticker)
                try await central.expectUnbroken(Changing.ticker)
                try sensor.type("- guest")
                _ = try await central.changes.values(1)
                let ticks = central.numbers(Changing.ticker).count
                #expect(try await central.on { !ticker.isNotifying })
                if afterItsReturn {
                    try sensor.type("+ guest")
                    _ = try await central.changes.values(2)
                    try await central.discoverEverything()
                }

                let stale = "CBError \(CBError.Code.invalidHandle.rawValue)"
                #expect(await failure { _ = try await central.read(text) } == stale)
                #expect(await failure { try await central.write("x", to: text) } == stale)
                #expect(await failure { try await central.setNotify(true, ticker) } == stale)
                #expect(await failure { try await central.setNotify(false, ticker) } == stale)
                #expect(await failure { try await central.discoverCharacteristics(of: guest) } == stale)
                #expect(await failure { try await central.discoverIncludedServices(of: guest) } == stale)
                #expect(await failure { try await central.discoverDescriptors(of: text) } == stale)
                #expect(await failure { try await central.read(description) } == stale)
                // A write without response reports no error; what comes after it is done.
                try await central.on {
                    try central.peripheral.writeValue(
                        Data([1]), for: guest.found(Changing.command), type: .withoutResponse)
                }
                let twin = try #require(try await central.services.first { $0.uuid == Changing.twin })
                #expect(try await central.text(twin.found(Changing.name)) == "a")
                #expect(try await central.on { try central.peripheral.canSendWriteWithoutResponse })
                #expect(central.numbers(Changing.ticker).count == ticks, "a value of a service that was removed")

                guard afterItsReturn else { return }
                let again = try await central.service(Changing.guest)
                #expect(try again.found(Changing.text).value == nil)
                #expect(try await central.text(again.found(Changing.text)) == "hello")
                try await central.setNotify(true, again.found(Changing.ticker))
                let isNotifying = try again.found(Changing.ticker).isNotifying
                #expect(isNotifying && !ticker.isNotifying)
                _ = try await central.values.values(central.values.values.count + 3)
            }
        }

        // MARK: In the middle of something

        @Test(.withoutProxy("it waits for events of the sensor itself"), arguments: ["read", "write"])
        func `a request that is under way fails when its service goes`(kind: String) async throws {
            let stale = "CBError \(CBError.Code.invalidHandle.rawValue)"
            try await withChanging { sensor, central in
                let anchor = try await central.service(Changing.anchor)
                try await central.setNotify(true, anchor.found(Changing.beat))
                for round in 0..<3 {
                    let slow = try await central.service(Changing.guest).found(Changing.slow)
                    let position = sensor.position
                    let outcome = Task {
                        await failure {
                            if kind == "read" {
                                _ = try await central.read(slow)
                            } else {
                                try await central.write("x", to: slow)
                            }
                        }
                    }
                    try await sensor.event(.fault, from: position) { $0.characteristic == "slow" }
                    // What is asked behind it fails as well.
                    let next = Task { await failure { _ = try await central.read(slow) } }
                    try sensor.type("- guest")
                    // dittojay refuses what it was asked for (0x0E), and bluetoothd what is asked of a handle that is
                    // no longer there (0x01), if that is faster than the news.
                    let outcomes = await [outcome.value, next.value]
                    let possible = [["CBATTError 14", "CBATTError 1"], ["CBATTError 14", stale], [stale, stale]]
                    #expect(possible.contains(outcomes), "\(outcomes)")
                    #expect(try await central.changes.values(2 * round + 1).last?.map(\.uuid) == [Changing.guest])
                    try sensor.type("+ guest")
                    #expect(try await central.changes.values(2 * round + 2).last?.isEmpty == true)
                    try await central.discoverEverything()
                }
                let slow = try await central.service(Changing.guest).found(Changing.slow)
                #expect(try await central.text(slow) == "too late")
                try await central.expectUnbroken(Changing.beat)
            }
        }

        /// Not while they are being turned on: bluetoothd (5.66) can die of that. The unit tests of the layer below
        /// have it.
        @Test func `notifications that have just been turned on end with the news`() async throws {
            try await withChanging { sensor, central in
                for round in 0..<rounds(4, thoroughly: 10) {
                    try await central.settle()
                    let ticker = try await central.service(Changing.guest).found(Changing.ticker)
                    try await central.setNotify(true, ticker)
                    try sensor.type("- guest")
                    #expect(try await central.changes.values(2 * round + 1).last?.map(\.uuid) == [Changing.guest])
                    #expect(try await central.on { !ticker.isNotifying })
                    let ticks = central.numbers(Changing.ticker).count
                    try sensor.type("+ guest")
                    #expect(try await central.changes.values(2 * round + 2).last?.isEmpty == true)
                    try await central.discoverEverything()
                    #expect(central.numbers(Changing.ticker).count == ticks)
                }
                let ticker = try await central.service(Changing.guest).found(Changing.ticker)
                try await central.setNotify(true, ticker)
                try await central.expectUnbroken(Changing.ticker)
            }
        }

        @Test func `a discovery that is under way finds all or fails`() async throws {
            try await withChanging { sensor, central in
                let count = rounds(4, thoroughly: 10)
                for round in 0..<count {
                    let step = round.isMultiple(of: 2) ? "- guest" : "+ guest"
                    try await central.settle()
                    try sensor.type(step)
                    while central.changes.values.count <= round {
                        let outcome = await failure { try await central.discoverEverything() }
                        #expect(["nothing", "CBError \(CBError.Code.invalidHandle.rawValue)"].contains(outcome))
                    }
                    try await central.discoverEverything()
                    let guests = try await central.services.filter { $0.uuid == Changing.guest }
                    #expect(guests.map { $0.characteristics?.count } == (round.isMultiple(of: 2) ? [] : [4]))
                }
                #expect(central.changeSummary == (0..<count).map { $0.isMultiple(of: 2) ? "100" : "" })
            }
        }
    }
}

/// Tries again for as long as news may be on its way.
func untilItSucceeds(within timeout: Duration = .seconds(30), _ body: () async throws -> Void) async throws {
    let deadline = ContinuousClock.now + timeout
    while true {
        do {
            return try await body()
        } catch {
            if ContinuousClock.now > deadline { throw error }
        }
    }
}
