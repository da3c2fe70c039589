/// Signal strength and transmit power of connections. (Core Specification, Vol 4 Part E, 7.3.35, 7.5.4)
extension Controller {
    static let signalStrengthCommands = [
        Command(0x0C2D, length: 3, supported: (10, 2), answer: .completeWithHandle, readTransmitPowerLevel),
        Command(0x1405, length: 2, supported: (15, 5), answer: .completeWithHandle, readRSSI),
    ]

    private func readTransmitPowerLevel(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        guard parameters.byte(2) <= 1 else { throw .invalidParameters }
        return Reply(parameters: .init(number: connection.handle) + [UInt8(bitPattern: Self.transmitPower)])
    }

    private func readRSSI(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let connection = try connection(parameters.number(0))
        return Reply(parameters: .init(number: connection.handle) + [UInt8(bitPattern: connection.strength())])
    }
}
