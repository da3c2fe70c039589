// The device disconnects between two requests.
//
// usage: late-read racy|fixed     beside the sensor (racing.py); exit status 0 if it has read all values
import Bluejay
import Foundation

let service = ServiceIdentifier(uuid: "FFF0")
let command = CharacteristicIdentifier(uuid: "FFF1", service: service)
let wanted = ["FFF3", "FFF5", "FFF7"].map { CharacteristicIdentifier(uuid: $0, service: service) }

/// The program connects again by itself.
final class NoReconnect: DisconnectHandler {
    func didDisconnect(
        from peripheral: PeripheralIdentifier, with error: Error?, willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        .change(shouldAutoReconnect: false)
    }
}

@MainActor
func readAll(_ bluejay: Bluejay, isRacy: Bool) async throws {
    try await connect(bluejay)
    do {
        // It is about to leave, after 25 ms.
        try await bluejay.write(to: command, value: Data("LEAVE".utf8))
        for characteristic in wanted { let _: Data = try await bluejay.read(from: characteristic) }
    } catch  where !isRacy {
        try await connect(bluejay)
        for characteristic in wanted { let _: Data = try await bluejay.read(from: characteristic) }
    }
}

@MainActor
func connect(_ bluejay: Bluejay) async throws {
    for try await discovery in bluejay.scan(duration: 20, serviceIdentifiers: [service]).discoveries {
        try await bluejay.connect(discovery.peripheralIdentifier, timeout: .seconds(20))
        return
    }
    throw BluejayError.connectionTimedOut
}

guard CommandLine.arguments.count == 2, ["racy", "fixed"].contains(CommandLine.arguments[1]) else {
    print("usage: late-read racy|fixed")
    exit(2)
}
let bluejay = Bluejay()
let handler = NoReconnect()
bluejay.start()
bluejay.registerDisconnectHandler(handler: handler)
do {
    try await readAll(bluejay, isRacy: CommandLine.arguments[1] == "racy")
} catch {
    print("failed: \(error)")
    exit(1)
}
exit(0)
