import Testing

@testable import CoreBluetooth

@Suite struct CommandWindowTests {
    private func filled() -> CommandWindow {
        var window = CommandWindow()
        window.open()
        let kept = (0..<CommandWindow.size).count { _ in window.add() }
        #expect(kept == CommandWindow.size)
        return window
    }

    @Test func `there is no room before a connection, nor after it`() {
        var window = CommandWindow()
        #expect(!window.hasRoom)
        window.open()
        #expect(window.hasRoom)
        let loss = window.close()
        #expect(loss == nil && !window.hasRoom)
    }

    @Test func `there is no room while the window is full, and again once, when half of it is free`() {
        var window = filled()
        #expect(!window.hasRoom)
        let answers = (0..<CommandWindow.size).map { _ in window.remove(reopens: true).isReady }
        #expect(answers.firstIndex(of: true) == CommandWindow.size / 2 - 1)
        #expect(answers.count { $0 } == 1)
        #expect(window.hasRoom)
    }

    @Test func `nothing is announced while the connection is being ended`() {
        var window = filled()
        let answers = (0..<CommandWindow.size).map { _ in window.remove(reopens: false).isReady }
        #expect(!answers.contains(true))
        #expect(!window.hasRoom)
    }

    @Test func `what an earlier connection had under way does not count`() {
        var window = filled()
        window.open()
        #expect(window.underWay == 0)
        let outcome = window.remove(reopens: true)
        #expect(!outcome.isReady && outcome.loss == nil)
        #expect(window.hasRoom && window.underWay == 0)
    }

    // MARK: Losses

    /// All that a program has written without waiting.
    private func flooded(by excess: Int) -> CommandWindow {
        var window = CommandWindow()
        window.open()
        let kept = (0..<CommandWindow.limit + excess).count { _ in window.add() }
        #expect(kept == CommandWindow.limit)
        return window
    }

    @Test func `what is beyond the limit is dropped, and reported once`() {
        var window = flooded(by: 3)
        let losses = (0..<CommandWindow.limit).compactMap { _ in window.remove(reopens: true).loss?.description }
        #expect(
            losses == [
                "3 writes without response were dropped: more than 4096 waited (canSendWriteWithoutResponse was false)"
            ])
        let rest = window.close()
        #expect(window == CommandWindow() && rest == nil)
    }

    @Test func `what was dropped is reported at the end of the connection`() {
        var window = flooded(by: 1)
        let losses = [window.close(), window.close()]
        #expect(losses[0]?.description.hasPrefix("a write without response was dropped: more than") == true)
        #expect(losses[1] == nil)
    }

    @Test func `what bluetoothd refuses is reported once`() {
        var window = filled()
        let losses = (0..<CommandWindow.size).compactMap { number in
            window.remove(failure: number < 20 ? "no reason" : nil, reopens: true).loss?.description
        }
        #expect(
            losses == [
                "16 writes without response were dropped: no reason",
                "4 writes without response were dropped: no reason",
            ])
    }
}
