import Testing

@testable import CoreBluetooth

@Suite struct ServiceChangesTests {
    @Test func `what goes together is one change`() {
        var changes = ServiceChanges<String>()
        #expect(!changes.isPending)
        let former = [changes.serviceRemoved("a"), changes.serviceRemoved("b")]
        #expect(former.allSatisfy { $0 == nil } && changes.isPending)
        let change = changes.end(changes.number)
        #expect(change?.removed == ["a", "b"] && !changes.isPending)
    }

    @Test func `what comes together is one change and reported once`() {
        var changes = ServiceChanges<String>()
        let former = [changes.serviceAdded(), changes.serviceAdded()]
        #expect(former.allSatisfy { $0 == nil })
        let ends = [changes.end(changes.number), changes.end(changes.number)]
        #expect(ends.map { $0?.removed } == [[], nil])
    }

    @Test func `going and coming are two`() {
        var changes = ServiceChanges<String>()
        var reported = [changes.serviceRemoved("a")?.removed]
        let first = changes.number
        reported.append(changes.serviceAdded()?.removed)
        let second = changes.number
        reported.append(changes.serviceRemoved("b")?.removed)
        #expect(reported == [nil, ["a"], []])
        // The ends of the first bursts come late, when others have begun.
        let ends = [first, second, changes.number].map { changes.end($0)?.removed }
        #expect(ends == [nil, nil, ["b"]])
    }

    @Test func `an end from before it was cleared ends nothing`() {
        var changes = ServiceChanges<String>()
        _ = changes.serviceRemoved("a")
        let former = changes.number
        changes.clear()
        _ = changes.serviceAdded()
        let end = changes.end(former)
        #expect(end == nil && changes.isPending)
    }
}
