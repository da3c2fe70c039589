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
        ("loud", #"there is no log level "loud"; there are: trace, debug, info"#),
        ("", #"there is no log level """#),
        ("debug,", #"there is no log level """#),
        ("dbus=", #"there is no log level """#),
        ("dbus=trace=1", #"there is no log level "trace=1""#),
        ("=trace", #"there is no layer "" that logs"#),
        ("radio=trace", #"there is no layer "radio" that logs; there are: dbus, bluez, corebluetooth"#),
        ("debug,info", #"there are two levels for all layers in "debug,info""#),
        ("dbus=info,bluejay.dbus=debug", "there are two levels for dbus"),
    ])
    func `a mistake is named`(text: String, message: String) {
        let mistake = #expect(throws: LogFilter.Mistake.self) { try LogFilter(parsing: text) }
        #expect(mistake?.description.hasPrefix(message) == true, "\(mistake as Any)")
    }
}
