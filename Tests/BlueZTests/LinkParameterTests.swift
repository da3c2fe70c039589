import Testing

@testable import BlueZ

/// What the controller's events say of links.
struct LinkParameterTests {
    /// Handle 0x0040, 50 ms, latency 2, 420 ms.
    private static let agreed: [UInt8] = [0x28, 0, 2, 0, 42, 0]
    private static let parameters = LinkParameters(
        interval: .milliseconds(50), latency: 2, supervisionTimeout: .milliseconds(420))

    private static let address: [UInt8] = [1, 0, 0, 0, 0, 0xC0]
    private static let connected: [UInt8] = [0x01, 0, 0x40, 0, 0, 1] + address + agreed + [0]
    private static let connectedPrivately: [UInt8] =
        [0x0A, 0, 0x40, 0, 0, 1] + address + address + address + agreed + [0]

    private static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [code, UInt8(parameters.count)] + parameters
    }

    @Test(arguments: [connected, connectedPrivately])
    func `a connection has the parameters that its event reports`(parameters: [UInt8]) {
        var table = LinkParameterTable()
        table.take(Self.event(0x3E, parameters))
        #expect(table.parameters == [0x0040: Self.parameters])
    }

    @Test func `an update replaces them and the end of the link removes them`() {
        var table = LinkParameterTable()
        table.take(Self.event(0x3E, Self.connected))
        table.take(Self.event(0x3E, [0x03, 0, 0x40, 0, 0x06, 0, 0, 0, 100, 0]))
        let updated = LinkParameters(
            interval: .microseconds(7500), latency: 0, supervisionTimeout: .seconds(1))
        #expect(table.parameters == [0x0040: updated])
        table.take(Self.event(0x3E, [0x03, 0x3B, 0x40, 0, 0x07, 0, 0, 0, 100, 0]))
        #expect(table.parameters == [0x0040: updated], "an update that has failed")
        table.take(Self.event(0x05, [0, 0x40, 0, 0x13]))
        #expect(table.parameters.isEmpty)
    }

    @Test func `what is cut off changes nothing`() {
        for parameters in [Self.connected, Self.connectedPrivately] {
            let whole = Self.event(0x3E, parameters)
            for length in 0..<whole.count {
                var table = LinkParameterTable()
                table.take(whole.prefix(length))
                // A length that lies, too.
                if length > 2 { table.take([whole[0], UInt8(length - 2)] + whole[2..<min(length, 18)]) }
                #expect(table.parameters.isEmpty, "\(length)")
            }
        }
    }
}
