import Logging
import Testing

@testable import CommandSupport

@Suite struct LogFilterTests {
    @Test func `a level is for all layers`() throws {
        let filter = try LogFilter(parsing: "debug")
        #expect(filter.level(ofLabel: "bluejay.dbus") == .debug)
        #expect(filter.level(ofLabel: "bluejay") == .debug)
        #expect(filter.level(ofLabel: "of somebody else") == .debug)
    }

    @Test(arguments: ["info,dbus=trace,bluez=error", " Info , DBus = TRACE , bluejay.bluez=error"])
    func `layers can have levels of their own`(text: String) throws {
        let filter = try LogFilter(parsing: text)
        #expect(filter.level(ofLabel: "bluejay.dbus") == .trace)
        #expect(filter.level(ofLabel: "bluejay.bluez") == .error)
        #expect(filter.level(ofLabel: "bluejay.corebluetooth") == .info)
    }

    @Test func `without a level for all, theirs stays`() throws {
        let filter = try LogFilter(parsing: "dbus=trace", default: .info)
        #expect(filter.level(ofLabel: "bluejay.dbus") == .trace)
        #expect(filter.level(ofLabel: "bluejay") == .info)
    }

    @Test(arguments: [
        ("loud", #"unknown log level "loud"; valid: trace, debug, info"#),
        ("", #"unknown log level """#),
        ("debug,", #"unknown log level """#),
        ("dbus=", #"unknown log level """#),
        ("dbus=trace=1", #"unknown log level "trace=1""#),
        ("=trace", #"unknown log layer """#),
        ("radio=trace", #"unknown log layer "radio"; valid: dbus, bluez, corebluetooth"#),
        ("debug,info", #"duplicate level for all layers in "debug,info""#),
        ("dbus=info,bluejay.dbus=debug", "duplicate level for dbus"),
    ])
    func `a mistake is named`(text: String, message: String) {
        let mistake = #expect(throws: LogFilter.Mistake.self) { try LogFilter(parsing: text) }
        #expect(mistake?.description.hasPrefix(message) == true, "\(mistake as Any)")
    }
}
