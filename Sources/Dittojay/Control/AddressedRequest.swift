import PlainText

/// A request, and which of a process's peripherals it is for.
package struct AddressedRequest: Hashable, Swift.Sendable {
    package var request: ControlRequest
    /// A peripheral's id, controller or name; nil for the only one.
    package var peripheral: String?

    package init(_ request: ControlRequest, for peripheral: String? = nil) {
        self.request = request
        self.peripheral = peripheral
    }

    /// Parses a line as received, with or without its line end.
    init(line: some Sequence<UInt8>) throws(ControlRequest.ParsingError) {
        let (request, peripheral) = try ControlRequest.addressed(line: line)
        self.init(request, for: peripheral)
    }

    /// Parses a line as typed into the terminal of a running dittojay: as ``ControlRequest/init(typed:)`` does, perhaps
    /// after `@` and the peripheral that it is for: `@hci1 c hello`.
    package init(typed line: some StringProtocol) throws(ControlRequest.ParsingError) {
        let trimmed = line.drop { $0.isWhitespace }
        guard trimmed.first == "@" else {
            self.init(try ControlRequest(typed: trimmed))
            return
        }
        let peripheral = trimmed.dropFirst().prefix { !$0.isWhitespace }
        let rest = trimmed.dropFirst(peripheral.count + 1)
        guard !peripheral.isEmpty, !rest.allSatisfy(\.isWhitespace) else {
            throw .init(description: "\"@\" requires a peripheral and a command, as in @hci1 c hello")
        }
        self.init(try ControlRequest(typed: rest), for: String(peripheral))
    }

    /// The line that ``init(line:)`` understands, without its line end.
    var line: String {
        var object = request.json
        object.add("peripheral", peripheral)
        return object.text
    }
}
