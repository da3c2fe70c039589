import Testing

@testable import CoreBluetooth

@Suite struct ServiceChangesTests {
    @Test func `what goes together is one change`() {
        var changes = ServiceChanges<String>()
        #expect(!changes.isPending)
        let former = [changes.went("a"), changes.went("b")]
        #expect(former.allSatisfy { $0 == nil } && changes.isPending)
        let change = changes.end(changes.number)
        #expect(change?.gone == ["a", "b"] && !changes.isPending)
    }

    @Test func `what comes together is one change and reported once`() {
        var changes = ServiceChanges<String>()
        let former = [changes.came(), changes.came()]
        #expect(former.allSatisfy { $0 == nil })
        let ends = [changes.end(changes.number), changes.end(changes.number)]
        #expect(ends.map { $0?.gone } == [[], nil])
    }

    @Test func `going and coming are two`() {
        var changes = ServiceChanges<String>()
        var reported = [changes.went("a")?.gone]
        let first = changes.number
        reported.append(changes.came()?.gone)
        let second = changes.number
        reported.append(changes.went("b")?.gone)
        #expect(reported == [nil, ["a"], []])
        // The ends of the first bursts come late, when others have begun.
        let ends = [first, second, changes.number].map { changes.end($0)?.gone }
        #expect(ends == [nil, nil, ["b"]])
    }

    @Test func `an end from before it was cleared ends nothing`() {
        var changes = ServiceChanges<String>()
        _ = changes.went("a")
        let former = changes.number
        changes.clear()
        _ = changes.came()
        let end = changes.end(former)
        #expect(end == nil && changes.isPending)
    }
}
