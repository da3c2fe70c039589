import Bluejay
import CoreBluetooth

private func running() {
    let _:
        (Bluejay) -> (
            @escaping (SynchronizedPeripheral) throws -> Void, @escaping (RunResult<Void>) -> Void
        ) -> Void = Bluejay.run(backgroundTask:completionOnMainThread:)
    let _:
        (Bluejay) -> (
            @escaping (SynchronizedPeripheral) throws -> Int, @escaping (RunResult<Int>) -> Void
        ) -> Void = Bluejay.run(backgroundTask:completionOnMainThread:)
    let _:
        (Bluejay) -> (
            String, @escaping (SynchronizedPeripheral, String) throws -> Int, @escaping (RunResult<Int>) -> Void
        ) -> Void = Bluejay.run(userData:backgroundTask:completionOnMainThread:)
}

private typealias Peripheral = SynchronizedPeripheral
private typealias Identifier = CharacteristicIdentifier
private typealias Values = (UInt8) -> ListenAction

private func calls() {
    let _: (Peripheral) -> (Identifier) throws -> UInt8 = Peripheral.read(from:)
    let _: (Peripheral) -> (Identifier, UInt8, CBCharacteristicWriteType) throws -> Void =
        Peripheral.write(to:value:type:)
    let _: (Peripheral) -> (Identifier, UInt8, CBCharacteristicWriteType, Identifier) throws -> Data =
        Peripheral.writeAndRead(writeTo:value:type:readFrom:)
    let _: (Peripheral) -> (Identifier, Timeout, @escaping Values) throws -> Void =
        Peripheral.listen(to:timeout:completion:)
    let _: (Peripheral) -> (Identifier, (any Error)?, ((WriteResult) -> Void)?) throws -> Void =
        Peripheral.endListen(to:error:completion:)
    let _: (Peripheral) -> (Identifier, Timeout, @escaping () -> Void) throws -> Void =
        Peripheral.flushListen(to:nonZeroTimeout:completion:)
    let _: (Peripheral) -> (CBCharacteristicWriteType) -> Int = Peripheral.maximumWriteValueLength(for:)
    let _: any ConnectionObserver.Type = Peripheral.self
    let _: (Peripheral) -> (Bool) -> Void = Peripheral.bluetoothAvailable
    let _: (Peripheral) -> (PeripheralIdentifier) -> Void = Peripheral.disconnected(from:)
}

private func exchanges() {
    let _:
        (Peripheral) -> (Identifier, UInt8, CBCharacteristicWriteType, Identifier, Int, @escaping Values) throws -> Void =
            Peripheral.writeAndListen(writeTo:value:type:listenTo:timeoutInSeconds:completion:)
    let _: (Peripheral) -> (Identifier, UInt8, Identifier, Int, Int, @escaping Values) throws -> Void =
        Peripheral.writeAndAssemble(writeTo:value:listenTo:expectedLength:timeoutInSeconds:completion:)
    // With a time-out as the README of the original writes it.
    let _:
        (Peripheral) -> (
            Identifier, UInt8, CBCharacteristicWriteType, Identifier, Timeout, @escaping Values
        ) throws -> Void =
            Peripheral.writeAndListen(writeTo:value:type:listenTo:timeoutInSeconds:completion:)
    let _: (Peripheral) -> (Identifier, UInt8, Identifier, Int, Timeout, @escaping Values) throws -> Void =
        Peripheral.writeAndAssemble(writeTo:value:listenTo:expectedLength:timeoutInSeconds:completion:)
}

private func defaults(_ peripheral: Peripheral, _ identifier: Identifier) throws {
    try peripheral.write(to: identifier, value: "text")
    let _: Data = try peripheral.writeAndRead(writeTo: identifier, value: "text", readFrom: identifier)
    try peripheral.listen(to: identifier) { (_: String) in .done }
    try peripheral.endListen(to: identifier)
    try peripheral.flushListen(to: identifier) {}
    try peripheral.writeAndListen(writeTo: identifier, value: "text", listenTo: identifier) { (_: String) in .done }
    try peripheral.writeAndAssemble(
        writeTo: identifier, value: "text", listenTo: identifier, expectedLength: 4
    ) { (_: String) in .done }
}
