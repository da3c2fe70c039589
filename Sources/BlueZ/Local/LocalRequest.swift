package import DBus
package import Foundation
package import MainLoop

/// What bluetoothd says about the request of a central.
package struct RequestContext: Swift.Sendable {
    /// The central's object, for ``BlueZSession/device(at:)``.
    package let device: ObjectPath
    /// Where in the value the request begins, in bytes.
    package let offset: Int
    /// The ATT MTU of the central's link in bytes.
    package let mtu: Int
    /// Whether this only asks if a long write may begin.
    package let isPrepareAuthorization: Bool
    /// Whether the central waits for an answer: false for a Write Command. Nil where bluetoothd does not say, as 5.66
    /// never does.
    package let wantsResponse: Bool?

    init(_ options: [String: BusValue]) {
        device = options["device"].flatMap(ObjectPath.init(busValue:)) ?? .root
        offset = Int(options["offset"].flatMap(UInt16.init(busValue:)) ?? 0)
        mtu = Int(options["mtu"].flatMap(UInt16.init(busValue:)) ?? 23)
        isPrepareAuthorization = options["prepare-authorize"].flatMap(Bool.init(busValue:)) ?? false
        wantsResponse = options["type"].flatMap(String.init(busValue:)).map { $0 != "command" }
    }
}

/// A request that a central makes of a local attribute. It is to be answered once. A request that is released without
/// an answer is answered with an error.
@LoopActor
package final class LocalRequest {
    package let context: RequestContext
    /// The bytes to write; empty for a read.
    package let value: Data
    private let invocation: MethodInvocation

    init(_ invocation: MethodInvocation, value: Data = Data(), options: [String: BusValue]) {
        self.invocation = invocation
        self.value = value
        context = RequestContext(options)
    }

    /// Answers a read with the bytes from ``RequestContext/offset`` on.
    package func reply(_ value: Data) { invocation.reply([.bytes(value)]) }

    /// Answers a write.
    package func reply() { invocation.reply() }

    /// Answers with an ATT error (Core Specification, Vol 3, Part F, 3.4.1.1).
    ///
    /// bluetoothd 5.66 passes on 0x02 for reads, 0x03 for writes, 0x06, 0x07, 0x08, 0x0D, 0xFE and 0x80 to 0x9F, and
    /// makes 0x0E (Unlikely Error) of all others. It answers a write to a characteristic that also allows writes
    /// without response by itself, as soon as it has passed it on: no error reaches the central then.
    package func fail(attError code: UInt8) {
        let (error, message): (BlueZErrorName, String) =
            switch code {
            case 0x02, 0x03: (.notPermitted, "not permitted")
            case 0x06: (.notSupported, "not supported")
            case 0x07: (.invalidOffset, "invalid offset")
            case 0x08: (.notAuthorized, "not authorized")
            case 0x0D: (.invalidValueLength, "invalid length")
            case 0xFE: (.inProgress, "in progress")
            // bluetoothd reads the number from the message (src/gatt-database.c, dbus_error_to_att_ecode).
            case 0x80...0x9F: (.failed, "0x" + String(code, radix: 16))
            default: (.rejected, "ATT error 0x" + String(code, radix: 16))
            }
        invocation.fail(MethodFailure(error, message))
    }
}
