import Testing

@testable import CoreBluetooth

@Suite struct CommandWindowTests {
    private func filled() -> CommandWindow {
        var window = CommandWindow()
        window.open()
        for _ in 0..<CommandWindow.size { window.add() }
        return window
    }

    @Test func `there is no room before a connection, nor after it`() {
        var window = CommandWindow()
        #expect(!window.hasRoom)
        window.open()
        #expect(window.hasRoom)
        window.close()
        #expect(!window.hasRoom)
    }

    @Test func `there is no room while the window is full, and again once, when half of it is free`() {
        var window = filled()
        #expect(!window.hasRoom)
        let answers = (0..<CommandWindow.size).map { _ in window.remove(reopens: true) }
        #expect(answers.firstIndex(of: true) == CommandWindow.size / 2 - 1)
        #expect(answers.count { $0 } == 1)
        #expect(window.hasRoom)
    }

    @Test func `nothing is announced while the connection is being ended`() {
        var window = filled()
        let answers = (0..<CommandWindow.size).map { _ in window.remove(reopens: false) }
        #expect(!answers.contains(true))
        #expect(!window.hasRoom)
    }

    @Test func `what an earlier connection had under way does not count`() {
        var window = filled()
        window.open()
        #expect(window.underWay == 0)
        let answer = window.remove(reopens: true)
        #expect(!answer)
        #expect(window.hasRoom && window.underWay == 0)
    }
}
