import CryptographicToolbox

/// Reset, event masks, and what a controller says about itself. (Core Specification, Vol 4 Part E, 7.3, 7.4, 7.8)
extension Controller {
    static let informationCommands = [
        Command(0x0C01, length: 8, supported: (5, 6), setEventMask),
        Command(0x0C03, length: 0, supported: (5, 7), resetCommand),
        Command(0x1001, length: 0, supported: (14, 3), readLocalVersion),
        Command(0x1002, length: 0, supported: (14, 4), readLocalSupportedCommands),
        Command(0x1003, length: 0, supported: (14, 5), readLocalSupportedFeatures),
        Command(0x1009, length: 0, supported: (15, 1), readAddress),
        Command(0x2001, length: 8, supported: (25, 0), leSetEventMask),
        Command(0x2002, length: 0, supported: (25, 1), leReadBufferSize),
        Command(0x2003, length: 0, supported: (25, 2), leReadLocalSupportedFeatures),
        Command(0x2005, length: 6, supported: (25, 4), leSetRandomAddress),
        Command(0x2017, length: 32, supported: (27, 6), leEncrypt),
        Command(0x2018, length: 0, supported: (27, 7), leRand),
        Command(0x201C, length: 0, supported: (28, 3), leReadSupportedStates),
        Command(0x204B, length: 0, supported: (38, 7), since: .v5_3, leReadTransmitPower),
    ]

    /// For internal use: no company's. (Assigned Numbers, 7.1)
    static let manufacturer = 0xFFFF
    static let subversion = 1
    /// The largest packet of data that a host may send, and how many at once.
    static let dataLength = 251
    static let dataPackets = 8
    /// In dBm. The path loss of ``Air`` is for devices that send with it.
    static let transmitPower: Int8 = 0
    /// All states and combinations of them. (7.8.27)
    private static let supportedStates: UInt64 = 0x3FF_FFFF_FFFF
    /// BR/EDR Not Supported, LE Supported (Controller). (Vol 2 Part C, 3.3)
    private static let lmpFeatures: UInt64 = 0x60 << 32

    private func setEventMask(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        masks.events = parameters.bits64(0)
        return .success
    }

    private func leSetEventMask(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        masks.leEvents = parameters.bits64(0)
        return .success
    }

    private func resetCommand(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        reset()
        return .success
    }

    private func readLocalVersion(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        return Reply(
            parameters: [kind.version] + .init(number: Self.subversion) + [kind.version]
                + .init(number: Self.manufacturer) + .init(number: Self.subversion))
    }

    private func readLocalSupportedCommands(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: Command.supported(by: kind))
    }

    private func readLocalSupportedFeatures(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: .init(bits: Self.lmpFeatures, count: 8))
    }

    private func readAddress(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: .init(bits: address.bits, count: 6))
    }

    private func leReadBufferSize(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: .init(number: Self.dataLength) + [UInt8(Self.dataPackets)])
    }

    private func leReadLocalSupportedFeatures(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: .init(bits: kind.features, count: 8))
    }

    private func leSetRandomAddress(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        randomAddress = parameters.address(0, isRandom: true)
        return .success
    }

    /// HCI has the most significant byte last, FIPS 197 first.
    private func leEncrypt(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let cipher = AES128(key: parameters.slice(0, 16).reversed()).encrypt(parameters.slice(16, 16).reversed())
        return Reply(parameters: cipher.reversed())
    }

    private func leRand(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: .init(bits: random.next(), count: 8))
    }

    private func leReadSupportedStates(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        Reply(parameters: .init(bits: Self.supportedStates, count: 8))
    }

    private func leReadTransmitPower(_ parameters: Parameters) throws(ErrorCode) -> Reply {
        let power = UInt8(bitPattern: Self.transmitPower)
        return Reply(parameters: [power, power])
    }
}
