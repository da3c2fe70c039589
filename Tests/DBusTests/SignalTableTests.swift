import CDBus
import Foundation
import MainLoop
import TestSupport
import Testing

@testable import DBus

/// Who hears a signal, without a bus.
@Suite @LoopActor struct SignalTableTests {
    private enum A: BusInterface {
        static let name = "org.example.A"
        static let value = Property<Data>("Value")
    }

    /// What the listeners have heard, in order.
    @LoopActor private final class Heard {
        var lines: [String] = []
    }

    private let table = SignalTable()
    private let heard = Heard()

    private func listen(_ name: String, _ rule: MatchRule) -> SignalTable.Listener {
        table.add(rule) { [heard] signal in heard.lines.append("\(name) \(signal.path.lastElement)") }
    }

    private func listen(_ name: String, toBytesAt place: String) -> ByteListener {
        let listener = ByteListener(sender: "org.example", path: path(place), property: A.value) { [heard] value in
            heard.lines.append("\(name) \(value.count)")
        }
        table.add(listener)
        return listener
    }

    /// What is heard of a signal.
    private func signal(from place: String, by sender: String = ":1.1") throws -> [String] {
        heard.lines = []
        let message = try RawMessage(signal: "Happened", of: A.name, from: path(place), arguments: [])
        try #require(dbus_message_set_sender(message.pointer, sender) != 0)
        table.dispatch(message)
        return heard.lines
    }

    /// What is heard of a value; nil if no listener of bytes takes it.
    private func value(_ count: Int, from place: String, by sender: String = ":1.1") throws -> [String]? {
        heard.lines = []
        let changes = ["Value": BusValue.bytes(Data(count: count))]
        let message = try RawMessage(
            signal: "PropertiesChanged", of: "org.freedesktop.DBus.Properties", from: path(place),
            arguments: [.string(A.name), changes.busValue, [String]().busValue])
        try #require(dbus_message_set_sender(message.pointer, sender) != 0)
        return table.dispatchBytes(message.pointer) ? heard.lines : nil
    }

    @Test func `an object's listeners hear that object alone, and before those of all`() throws {
        _ = listen("all", MatchRule(interface: A.name))
        _ = listen("a", MatchRule(path: path("/x/a"), interface: A.name))
        _ = listen("below x", MatchRule(pathNamespace: path("/x")))
        _ = listen("b", MatchRule(path: path("/x/b")))
        #expect(try signal(from: "/x/a") == ["a a", "all a", "below x a"])
        #expect(try signal(from: "/x/b") == ["b b", "all b", "below x b"])
        #expect(try signal(from: "/x/c") == ["all c", "below x c"])
        #expect(try signal(from: "/x/a/d") == ["all d", "below x d"])
        #expect(try signal(from: "/y") == ["all y"])
    }

    @Test func `each characteristic's value goes to its own listener`() throws {
        table.startWatch(of: "org.example")
        table.setOwner(":1.1", of: "org.example")
        for number in 0..<100 { _ = listen("\(number)", toBytesAt: "/service/char\(number)") }
        #expect(try value(3, from: "/service/char0") == ["0 3"])
        #expect(try value(0, from: "/service/char99") == ["99 0"])
        #expect(try value(1, from: "/service/char100") == nil)
        #expect(try value(1, from: "/service") == nil)
    }

    @Test func `a value goes to those who listen when it comes, whatever came before`() throws {
        table.startWatch(of: "org.example")
        table.setOwner(":1.1", of: "org.example")
        let first = listen("first", toBytesAt: "/a")
        _ = listen("b", toBytesAt: "/b")
        #expect(try value(1, from: "/a") == ["first 1"])
        #expect(try value(2, from: "/a") == ["first 2"])
        #expect(try value(3, from: "/b") == ["b 3"])
        #expect(try value(4, from: "/a") == ["first 4"])
        #expect(try value(5, from: "/ab") == nil)
        table.remove(first)
        #expect(try value(6, from: "/a") == nil)
        _ = listen("second", toBytesAt: "/a")
        #expect(try value(7, from: "/a") == ["second 7"])
    }

    @Test func `a name's owner is known while the name is watched`() throws {
        _ = listen("value", toBytesAt: "/a")
        _ = listen("signal", MatchRule(sender: "org.example", path: path("/a")))
        #expect(try value(1, from: "/a") == nil, "not watched yet")
        table.startWatch(of: "org.example")
        table.startWatch(of: "org.example")
        #expect(try value(1, from: "/a") == nil, "not owned yet")
        table.setOwner(":1.1", of: "org.example")
        #expect(try value(1, from: "/a") == ["value 1"])
        #expect(try signal(from: "/a") == ["signal a"])
        #expect(try value(1, from: "/a", by: ":1.2") == nil)
        #expect(try signal(from: "/a", by: ":1.2") == [])
        table.setOwner(":1.2", of: "org.example")
        #expect(try value(1, from: "/a", by: ":1.2") == ["value 1"])
        table.stopWatch(of: "org.example")
        #expect(try value(1, from: "/a", by: ":1.2") == ["value 1"], "one watch is left")
        table.stopWatch(of: "org.example")
        #expect(try value(1, from: "/a", by: ":1.2") == nil)
        table.setOwner(":1.1", of: "org.example")
        #expect(try value(1, from: "/a") == nil, "not watched")
    }

    @Test func `a listener that another one removes does not hear the signal, and one that is added hears the next`()
        throws
    {
        let rule = MatchRule(path: path("/a"))
        let later = Later()
        let first = table.add(rule) { [table, heard] _ in
            heard.lines.append("first")
            if let second = later.second { table.remove(second) }
            later.second = table.add(rule) { _ in heard.lines.append("new") }
        }
        later.second = listen("second", rule)
        #expect(try signal(from: "/a") == ["first"])
        table.remove(first)
        #expect(try signal(from: "/a") == ["new"])
    }

    @LoopActor private final class Later {
        var second: SignalTable.Listener?
    }

    @Test func `nothing is kept of listeners that were removed`() throws {
        let signals = [
            listen("a", MatchRule(path: path("/a"))), listen("again", MatchRule(path: path("/a"))),
            listen("all", MatchRule(interface: A.name)),
        ]
        let bytes = [listen("value", toBytesAt: "/a"), listen("other", toBytesAt: "/b")]
        for listener in signals { table.remove(listener) }
        #expect(!table.isEmpty)
        for listener in bytes { table.remove(listener) }
        #expect(table.isEmpty)
        #expect(try signal(from: "/a") == [])
        table.remove(signals[0])
        table.remove(bytes[0])
        #expect(table.isEmpty)
    }
}
