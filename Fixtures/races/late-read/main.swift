// The device disconnects between two requests.
//
// usage: late-read racy|fixed     beside the sensor (racing.py); exit status 0 if it has read the number
import Bluejay
import Foundation

let service = ServiceIdentifier(uuid: "FFF0")
let command = CharacteristicIdentifier(uuid: "FFF1", service: service)
let number = CharacteristicIdentifier(uuid: "FFF3", service: service)

@MainActor
func readNumber(_ bluejay: Bluejay, isRacy: Bool) async throws {
    try await connect(bluejay)
    // It is about to leave, after 60 ms.
    try await bluejay.write(to: command, value: Data("LEAVE".utf8))
    do {
        let _: Data = try await bluejay.read(from: number)
    } catch  where !isRacy {
        try await connect(bluejay)
        let _: Data = try await bluejay.read(from: number)
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
bluejay.start()
do {
    try await readNumber(bluejay, isRacy: CommandLine.arguments[1] == "racy")
} catch {
    print("failed: \(error)")
    exit(1)
}
exit(0)
