import MainLoop
import Testing

@testable import BlueZ

@LoopActor
@Suite struct CommandGateTests {
    @Test func `only so many are under way, and the others follow in order`() {
        let gate = CommandGate(limit: 2)
        var passes: [CommandGate.Pass] = []
        var order: [Int] = []
        for number in 0..<5 {
            gate.enter { pass in
                order.append(number)
                passes.append(pass)
            }
        }
        #expect(order == [0, 1])
        // Passes that follow are added to the others while one is released.
        var released: CommandGate.Pass? = passes.removeFirst()
        released = nil
        #expect(released == nil && order == [0, 1, 2])
        while !passes.isEmpty {
            released = passes.removeFirst()
            released = nil
        }
        #expect(order == [0, 1, 2, 3, 4])
    }

    @Test func `who gives its turn up leaves it to the next`() {
        let gate = CommandGate(limit: 1)
        var held: CommandGate.Pass?
        gate.enter { held = $0 }
        var entered = 0
        for _ in 0..<100_000 { gate.enter { _ in entered += 1 } }
        #expect(entered == 0 && held != nil)
        held = nil
        #expect(entered == 100_000)
    }
}
