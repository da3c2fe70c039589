import CoreBluetooth
import TestSupport
import Testing

@testable import Dittojay

/// Services are published and advertised without Bluetooth, requests or a scenario.
struct ServicePublicationTests {
    private let parts = Parts()
    private var publication: ServicePublication { parts.publication }
    private var server: FakeGATTServer { parts.server }

    private static let chirp = "CED261B7-F120-41C8-9A92-A41DE69CF2A8"

    @Test func `services are advertised once the last one is published`() {
        publication.start()
        let services = server.services
        #expect(services.count == 4 && server.advertisements.isEmpty)
        for service in services.dropLast() { publication.published(service, error: nil) }
        #expect(server.advertisements.isEmpty)
        for service in services.suffix(1) { publication.published(service, error: nil) }
        #expect(server.advertisements == [["180D", Self.chirp]])
        publication.advertisingStarted(error: nil)
        #expect(
            parts.lines == ["advertising: \"Parts\" with heart-rate, chirp on hci0 00:AA:01:00:00:00"])
    }

    @Test func `a service that is refused does not keep the others back`() throws {
        publication.start()
        for (index, service) in server.services.enumerated() {
            publication.published(service, error: index == 0 ? CBATTError(.unlikelyError) : nil)
        }
        #expect(server.advertisements == [[Self.chirp]])
        #expect(parts.lines.first?.hasPrefix("failed: cannot publish the service heart-rate: ") == true)
        #expect(parts.services.all.map(\.isPublished) == [false, true, true, true])
    }

    @Test func `a service that is removed and added is advertised again`() throws {
        parts.publish()
        var withdrawals = 0
        publication.onWithdrawal = { withdrawals += 1 }
        #expect(parts.remove("chirp").ok)
        #expect(parts.remove("chirp").error == "the service chirp is withdrawn")
        var replies: [ControlReply] = []
        publication.add("chirp") { replies.append($0) }
        #expect(replies.isEmpty, "it is not published yet")
        publication.published(try #require(server.services.last), error: nil)
        #expect(replies.map(\.ok) == [true])
        #expect(withdrawals == 1)
        #expect(parts.lines == ["service-removed chirp", "service-added chirp"])
        #expect(server.advertisements == [["180D", Self.chirp], ["180D"], ["180D", Self.chirp]])
    }

    @Test(arguments: [true, false])
    func `a service is removed when bluetoothd says so, or does not answer`(settles: Bool) {
        parts.publish()
        var replies: [Bool] = []
        publication.remove("chirp") { replies.append($0.ok) }
        publication.removeAll { replies.append($0.ok) }
        #expect(replies.isEmpty && parts.lines.isEmpty)
        if settles { parts.settle() } else { parts.clock.advance(by: 5.1) }
        #expect(replies == [true, true])
        #expect(parts.lines.first == "service-removed chirp" && parts.lines.count == 4)
    }

    @Test func `the answer to an advertisement that was replaced is no failure`() {
        parts.publish()
        publication.advertisingStarted(error: nil)
        var replies: [ControlReply] = []
        #expect(parts.remove("heart-rate").ok)
        publication.setAdvertising(false) { replies.append($0) }
        parts.settle()
        publication.setAdvertising(true) { replies.append($0) }
        // The first answer is to what was asked for when the service went.
        publication.advertisingStarted(error: CBError(.operationCancelled))
        #expect(replies.map(\.ok) == [true])
        publication.advertisingStarted(error: nil)
        #expect(replies.map(\.ok) == [true, true])
        #expect(!parts.lines.contains { $0.hasPrefix("failed") })
        // What is on is known: it is stopped before another one is asked for.
        #expect(parts.remove("chirp").ok)
        #expect(server.advertisements == [["180D", Self.chirp], [Self.chirp], [Self.chirp], []])
        #expect(server.stops == 3)
    }

    @Test func `whoever waits for a service is answered when it does not come`() {
        parts.publish()
        #expect(parts.remove("chirp").ok)
        var errors: [String?] = []
        publication.add("chirp") { errors.append($0.error) }
        #expect(parts.remove(nil).ok)
        publication.add("chirp") { errors.append($0.error) }
        server.state = .poweredOff
        publication.interrupt()
        publication.add("chirp") { errors.append($0.error) }
        #expect(
            errors == [
                "the service chirp was withdrawn before it was published",
                "Bluetooth was switched off before chirp was published", "Bluetooth is not on",
            ])
    }

    @Test func `it advertises no more, and again, by command`() {
        parts.publish()
        publication.advertisingStarted(error: nil)
        var replies: [String] = []
        let reply = { (answer: ControlReply) in replies.append(answer.error ?? "done") }
        publication.setAdvertising(true, reply)
        publication.setAdvertising(false, reply)
        parts.settle()
        #expect(!server.isAdvertising)
        // The answer to what was stopped may come later.
        let before = parts.lines
        publication.advertisingStarted(error: nil)
        #expect(parts.lines == before)
        // A change of the services does not bring it back.
        #expect(parts.remove("chirp").ok)
        publication.setAdvertising(false, reply)
        #expect(!server.isAdvertising)
        publication.setAdvertising(true, reply)
        #expect(server.isAdvertising && server.advertisements.last == ["180D"])
        #expect(replies == ["already advertising", "done", "not advertising"])
        publication.advertisingStarted(error: nil)
        #expect(replies.last == "done" && replies.count == 4)
        #expect(parts.lines.contains("advertising-stopped"))
    }

    @Test(arguments: [true, false])
    func `it advertises no more when bluetoothd says so, or does not answer`(settles: Bool) {
        parts.publish()
        publication.advertisingStarted(error: nil)
        var replies: [Bool] = []
        publication.setAdvertising(false) { replies.append($0.ok) }
        #expect(!server.isAdvertising)
        #expect(replies.isEmpty && !parts.lines.contains("advertising-stopped"))
        if settles { parts.settle() }
        #expect(replies == (settles ? [true] : []))
        parts.clock.advance(by: 5.1)
        #expect(replies == [true])
        #expect(parts.lines.count { $0 == "advertising-stopped" } == 1)
    }

    @Test func `it does not advertise while it is switched off, and again once it is on, or is not off after all`() {
        parts.publish()
        publication.pauseAdvertising()
        #expect(!server.isAdvertising)
        publication.resumeAdvertising()
        #expect(server.isAdvertising)
        publication.pauseAdvertising()
        server.state = .poweredOff
        publication.interrupt()
        #expect(!server.isAdvertising)
        server.state = .poweredOn
        parts.publish()
        #expect(server.isAdvertising)
    }

    @Test func `whoever waits until it advertises is answered when it does not`() {
        parts.publish()
        var errors: [String?] = []
        var stops = 0
        let stopped = { (reply: ControlReply) in
            #expect(reply.ok)
            stops += 1
        }
        for end in 0..<3 {
            publication.setAdvertising(false, stopped)
            publication.setAdvertising(true) { errors.append($0.error) }
            switch end {
            case 0: publication.setAdvertising(false, stopped)
            case 1: publication.advertisingStarted(error: CBATTError(.unlikelyError))
            default:
                server.state = .poweredOff
                publication.interrupt()
            }
            if end == 0 { publication.setAdvertising(true) { _ in } }
        }
        publication.setAdvertising(false) { errors.append($0.error) }
        parts.settle()
        #expect(stops == 4)
        #expect(errors.count == 4)
        #expect(errors[0] == "advertising was switched off again")
        #expect(errors[1]?.hasPrefix("cannot advertise: ") == true)
        #expect(
            errors[2] == "Bluetooth was switched off before advertising started" && errors[3] == "Bluetooth is not on")
    }

    @Test func `a beacon advertises one frame after another`() {
        var profile = PeripheralProfile.lab
        profile.advertisement.eddystone = EddystoneBeacon(interval: 2)
        let parts = Parts(profile)
        parts.publish()
        for count in 1...3 {
            parts.publication.advertisingStarted(error: nil)
            parts.clock.advance(by: 1.9)
            #expect(parts.server.advertisements.count == count)
            parts.clock.advance(by: 0.2)
            #expect(parts.server.advertisements.count == count + 1)
        }
        #expect(parts.lines.count { $0.hasPrefix("advertising") } == 1, "it is one advertisement to users")
        parts.publication.stopAdvertising {}
        parts.clock.advance(by: 10)
        #expect(parts.server.advertisements.count == 4 && parts.clock.pendingCount == 0)
    }

    @Test func `nothing is advertised while it stops`() {
        publication.start()
        publication.stopAdvertising {}
        for service in server.services { publication.published(service, error: nil) }
        #expect(server.advertisements.isEmpty)
        publication.stop {}
        #expect(server.services.isEmpty && publication.notReady == "Bluetooth is not ready yet")
    }

    @Test(arguments: [true, false])
    func `the end waits until bluetoothd has taken back everything, or does not answer`(settles: Bool) {
        parts.publish()
        var ends = 0
        publication.stop { ends += 1 }
        #expect(ends == 0)
        if settles { parts.settle() }
        #expect(ends == (settles ? 1 : 0))
        parts.clock.advance(by: 5.1)
        #expect(ends == 1)
    }
}
