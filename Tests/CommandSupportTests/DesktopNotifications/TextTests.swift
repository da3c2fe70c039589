import Testing

@testable import CommandSupport

/// Texts from outside on their way to a desktop.
@Suite struct TextTests {
    @Test(
        arguments: [
            ("Lock", "Lock"), ("", ""), ("Türschloss 門", "Türschloss 門"),
            ("a\nb\r\tc\u{0}d\u{1B}[31m", "abcd[31m"), ("\u{202E}kcoL\u{2066}\u{200B}\u{FEFF}", "kcoL"),
            ("one\u{2028}two\u{2029}", "onetwo"), ("\u{E000}x", "x"),
        ])
    func `what is not seen or turns the writing is left out`(text: String, shown: String) {
        #expect(DesktopNotification.escaped(text) == shown)
    }

    @Test func `long texts are cut off`() {
        let limit = DesktopNotification.foreignLimit
        #expect(DesktopNotification.escaped(String(repeating: "n", count: limit)).count == limit)
        #expect(
            DesktopNotification.escaped(String(repeating: "n", count: 5_000)) == String(repeating: "n", count: limit)
                + "…")
        // One character, for a reader.
        let pile = "e" + String(repeating: "\u{301}", count: 5_000)
        #expect(DesktopNotification.escaped(pile).unicodeScalars.count == limit + 1)
    }

    @Test func `no text is markup`() {
        let text = DesktopNotification(summary: "", body: #"<a href="x">R&D</a> &lt;"#)
        #expect(text.body(hasMarkup: true) == #"&lt;a href="x"&gt;R&amp;D&lt;/a&gt; &amp;lt;"#)
        #expect(text.body(hasMarkup: false) == #"a href="x"RD/a lt;"#)
    }

    @Test func `the session bus is where the environment says`() throws {
        #expect(SessionBus.address(environment: [:]) == nil)
        #expect(SessionBus.address(environment: ["XDG_RUNTIME_DIR": "/nowhere"]) == nil)
        #expect(SessionBus.address(environment: ["XDG_RUNTIME_DIR": "relative"]) == nil)
        let both = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x", "XDG_RUNTIME_DIR": "/nowhere"]
        #expect(SessionBus.address(environment: both) == "unix:path=/x")
        #expect(SessionBus.address(environment: ["DBUS_SESSION_BUS_ADDRESS": ""]) == nil)
    }
}
