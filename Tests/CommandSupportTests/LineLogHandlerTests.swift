import LineOutput
import Logging
import Testing

@testable import CommandSupport

@Suite struct LineLogHandlerTests {
    private let time = Timestamp(milliseconds: 0)

    private func line(_ handler: LineLogHandler, metadata: Logger.Metadata? = nil) -> String {
        handler.line(
            for: LogEvent(
                level: .debug, message: "connected", metadata: metadata, source: "", file: "", function: "", line: 0),
            at: time)
    }

    @Test func `a line has the time, the level, the layer, the message and its metadata`() {
        let handler = LineLogHandler(label: "bluejay.bluez", logLevel: .debug)
        #expect(
            line(handler, metadata: ["to": "org.bluez", "path": "/"])
                == "\(time.timeOfDay) debug bluejay.bluez: connected path=/ to=org.bluez")
    }

    @Test func `a message's metadata come before the provider's and the logger's`() {
        var handler = LineLogHandler(label: "a", logLevel: .debug)
        handler.metadata = ["x": "logger", "y": "logger"]
        handler.metadataProvider = Logger.MetadataProvider { ["y": "provider", "z": "provider"] }
        #expect(line(handler, metadata: ["z": "message"]).hasSuffix(": connected x=logger y=provider z=message"))
    }
}
