import Bluejay
import CoreBluetooth

private func scanning(_ bluejay: Bluejay, _ event: ScanEvent) async throws {
    let _: (Bluejay) -> (TimeInterval, Bool, Int, [ServiceIdentifier]?, Bluejay.BufferingPolicy) -> ScanEvents =
        Bluejay.scan(duration:allowDuplicates:throttleRSSIDelta:serviceIdentifiers:buffering:)
    let events: ScanEvents = bluejay.scan(serviceIdentifiers: nil)
    var iterator: ScanEvents.Iterator = events.makeAsyncIterator()
    let _: ScanEvent? = try await iterator.next()
    let _: ScanEvent? = try await iterator.next(isolation: nil)
    let _: AsyncCompactMapSequence<ScanEvents, ScanDiscovery> = events.discoveries
    let _: any AsyncSequence<ScanEvent, any Error> = events
    switch event {
    case .discovered(let discovery), .expired(let discovery): let _: ScanDiscovery = discovery
    }
}

private func connecting(_ bluejay: Bluejay, _ peripheral: PeripheralIdentifier, _ event: ConnectionEvent) async throws {
    let _: PeripheralIdentifier = try await bluejay.connect(
        peripheral, timeout: .none, warningOptions: .default, isolation: nil)
    try await bluejay.connect(peripheral)
    let _: PeripheralIdentifier = try await bluejay.disconnect(immediate: true, isolation: nil)
    try await bluejay.disconnect()
    let events: ConnectionEvents = bluejay.connectionEvents
    var iterator: ConnectionEvents.Iterator = events.makeAsyncIterator()
    let _: ConnectionEvent? = await iterator.next()
    let _: ConnectionEvent? = await iterator.next(isolation: nil)
    let _: any AsyncSequence<ConnectionEvent, Never> = events
    switch event {
    case .bluetoothAvailable(let isAvailable): let _: Bool = isAvailable
    case .connected(let peripheral), .disconnected(let peripheral): let _: PeripheralIdentifier = peripheral
    }
    let _: any (Hashable & Swift.Sendable) = event
}

private func characteristics(_ bluejay: Bluejay, _ identifier: CharacteristicIdentifier) async throws {
    let _: UInt8 = try await bluejay.read(from: identifier)
    _ = try await bluejay.read(from: identifier, as: UInt8.self, isolation: nil)
    try await bluejay.write(to: identifier, value: "text")
    try await bluejay.write(to: identifier, value: "text", type: .withoutResponse, isolation: nil)
    let _: Int = try await bluejay.readRSSI()
    let _: Int = try await bluejay.readRSSI(isolation: nil)
    let _: Notifications<Data> = try await bluejay.listen(to: identifier)
    let values = try await bluejay.listen(
        to: identifier, as: UInt8.self, multipleListenOption: .replaceable, buffering: .newest(1), isolation: nil)
    let _: KeyPath<Notifications<UInt8>, Int> = \.droppedCount
    var iterator: Notifications<UInt8>.Iterator = values.makeAsyncIterator()
    let _: UInt8? = try await iterator.next()
    let _: UInt8? = try await iterator.next(isolation: nil)
    let _: any AsyncSequence<UInt8, any Error> = values
    try await bluejay.endListen(to: identifier)
    try await bluejay.endListen(to: identifier, isolation: nil)
    try await bluejay.flushListen(to: identifier)
    try await bluejay.flushListen(to: identifier, nonZeroTimeout: .seconds(1), isolation: nil)
}

private func exchanges(_ bluejay: Bluejay, _ identifier: CharacteristicIdentifier) async throws {
    let _: UInt8 = try await bluejay.writeAndListen(writeTo: identifier, value: "text", listenTo: identifier)
    let _: UInt8 = try await bluejay.writeAndListen(
        writeTo: identifier, value: "text", type: .withoutResponse, listenTo: identifier, timeout: .seconds(1),
        isolation: nil)
    let _: String = try await bluejay.writeAndAssemble(
        writeTo: identifier, value: "text", listenTo: identifier, expectedLength: 4)
    let _: String = try await bluejay.writeAndAssemble(
        writeTo: identifier, value: "text", listenTo: identifier, expectedLength: 4, timeout: .seconds(1),
        isolation: nil)
}

private func policies(_ policy: Bluejay.BufferingPolicy) {
    switch policy {
    case .unbounded: break
    case .oldest(let count), .newest(let count): let _: Int = count
    }
    let _: any (Hashable & Swift.Sendable) = policy
}

private func pairing(_ bluejay: Bluejay, _ peripheral: PeripheralIdentifier, _ passkey: CBPasskey) async throws {
    try await bluejay.pair(peripheral) { _ in .passkey(passkey) }
    try await bluejay.pair(peripheral, capability: .yesNo, isolation: nil) { (_: CBPairingRequest.Kind) in .yes }
    let _: any (Hashable & Swift.Sendable).Type = Bluejay.PairingAnswer.self
    let _: [Bluejay.PairingAnswer] = [.passkey(passkey), .yes, .no]
}
